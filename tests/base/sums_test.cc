#include "base/sums.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace az {
namespace {

struct Counts {
  std::uint64_t rows = 0;
  double seconds = 0;
  template <class V>
  static constexpr void VisitSums(V&& visit) {
    visit("rows", &Counts::rows);
    visit("seconds", &Counts::seconds);
  }
};
struct More : Counts {
  std::uint64_t restarts = 0;
  template <class V>
  static constexpr void VisitSums(V&& visit) {
    Counts::VisitSums(visit);
    visit("restarts", &More::restarts);
  }
};
struct Forgetful {
  std::uint64_t named = 0;
  std::uint64_t forgotten = 0;
  template <class V>
  static constexpr void VisitSums(V&& visit) {
    visit("named", &Forgetful::named);
  }
};

TEST(Sums, AddUpAndTakeDifferences) {
  More sum{{.rows = 10, .seconds = 0.5}, 1};
  AddSums(More{{.rows = 7, .seconds = 0.25}, 2}, sum);
  EXPECT_EQ(sum.rows, 17u);
  EXPECT_EQ(sum.seconds, 0.75);
  EXPECT_EQ(sum.restarts, 3u);
  SubtractSums(More{{.rows = 10, .seconds = 0.5}, 1}, sum);
  EXPECT_EQ(sum.rows, 7u);
  EXPECT_EQ(sum.seconds, 0.25);
  EXPECT_EQ(sum.restarts, 2u);
  Counts part{.rows = 1, .seconds = 1};
  AddSums<Counts>(sum, part);
  EXPECT_EQ(part.rows, 8u);
}

TEST(Sums, AForgottenOneIsSeen) {
  EXPECT_EQ(BytesOfSums<Counts>(), sizeof(Counts));
  EXPECT_EQ(BytesOfSums<More>(), sizeof(More));
  EXPECT_LT(BytesOfSums<Forgetful>(), sizeof(Forgetful));
}

}  // namespace
}  // namespace az
