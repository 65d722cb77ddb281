#include "base/describe.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace az {
namespace {

enum class Colour : unsigned char { kRed, kGreen };

struct Inner {
  float width = 1.0f;
};
template <class V>
void Describe(V& v, Inner& o) {
  v.Field("width", o.width, Range{0.0f, 2.0f}, "how wide");
}

struct Outer {
  Auto<int> count;
  Inner inner;
};
template <class V>
void Describe(V& v, Outer& o) {
  v.Field("count", o.count, Range{1, 9}, "how many");
  v.Section("inner", o.inner, "the inner part");
}

struct Names {
  std::vector<std::string> seen;
  template <class T, class R>
  void Field(const char* name, T&, Range<R>, const char*) {
    seen.emplace_back(name);
  }
  template <class T>
  void Section(const char* name, T& part, const char*) {
    seen.push_back(std::string(name) + ":");
    Describe(*this, part);
  }
};

TEST(Describe, VisitsFieldsAndSectionsInOrder) {
  Outer outer;
  Names names;
  Describe(names, outer);
  EXPECT_EQ(names.seen, (std::vector<std::string>{"count", "inner:", "width"}));
}

}  // namespace

template <>
struct EnumNames<Colour> {
  static constexpr auto value = std::to_array<std::pair<Colour, std::string_view>>(
      {{Colour::kRed, "red"}, {Colour::kGreen, "green"}});
};

namespace {

TEST(EnumName, NamesValuesAndMarksOthers) {
  EXPECT_EQ(EnumName(Colour::kGreen), "green");
  EXPECT_EQ(EnumName(static_cast<Colour>(7)), "?");
}

TEST(EnumFromName, FindsTheValueOfEachNameAndNothingElse) {
  for (const Colour colour : {Colour::kRed, Colour::kGreen}) {
    EXPECT_EQ(EnumFromName<Colour>(EnumName(colour)), colour);
  }
  EXPECT_EQ(EnumFromName<Colour>("?"), std::nullopt);
  EXPECT_EQ(EnumFromName<Colour>(""), std::nullopt);
  EXPECT_EQ(EnumFromName<Colour>("redd"), std::nullopt);
}

}  // namespace
}  // namespace az
