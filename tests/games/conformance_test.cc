// Runs the kit of tests/support/game_conformance.h on every registry entry. Compiled as several
// programs (tests/games/CMakeLists.txt), each of which takes every AZ_PARTS-th entry from the
// AZ_PART-th on.

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>

#include "games/registry.h"
#include "tests/support/game_conformance.h"

namespace az {
namespace {

template <class Kept, class List, int kIndex>
struct Part {
  using Types = Kept;
};
template <class... Kept, class First, class... Rest, int kIndex>
struct Part<::testing::Types<Kept...>, TypeList<First, Rest...>, kIndex> {
  using Types =
      typename Part<std::conditional_t<kIndex % AZ_PARTS == AZ_PART,
                                       ::testing::Types<Kept..., First>, ::testing::Types<Kept...>>,
                    TypeList<Rest...>, kIndex + 1>::Types;
};

struct EntryName {
  template <class S>
  static std::string GetName(int) {
    return std::string(S::kName);
  }
};

template <RegisteredGame S>
testing::GameFacts FactsOf() {
  const std::string_view family = S::kFamily;
  const auto is_one_of = [&](std::initializer_list<std::string_view> families) {
    return std::ranges::find(families, family) != families.end();
  };
  return {.may_draw = !is_one_of({"hex", "hex_swap", "breakthrough", "go"}),
          .one_stone_a_ply = !is_one_of({"hex_swap", "othello", "breakthrough", "go"})};
}

template <class S>
class Conformance : public ::testing::Test {
 protected:
  const testing::GameConformance<S> kit_{*FindGame(S::kName).value(), FactsOf<S>()};
};
using Entries = Part<::testing::Types<>, AllGames, 0>::Types;
TYPED_TEST_SUITE(Conformance, Entries, EntryName);

TYPED_TEST(Conformance, Constants) { this->kit_.CheckConstants(); }
TYPED_TEST(Conformance, Play) { this->kit_.CheckPlay(); }
TYPED_TEST(Conformance, Value) { this->kit_.CheckValue(); }
TYPED_TEST(Conformance, Hash) { this->kit_.CheckHash(); }
TYPED_TEST(Conformance, Encode) { this->kit_.CheckEncode(); }
TYPED_TEST(Conformance, Symmetry) { this->kit_.CheckSymmetry(); }
TYPED_TEST(Conformance, Text) { this->kit_.CheckText(); }
TYPED_TEST(Conformance, Ops) { this->kit_.CheckOps(); }

}  // namespace
}  // namespace az
