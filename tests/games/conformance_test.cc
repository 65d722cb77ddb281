// Runs the kit of tests/support/game_conformance.h on every registry entry.

#include <gtest/gtest.h>

#include <string>

#include "games/registry.h"
#include "tests/support/game_conformance.h"

namespace az {
namespace {

template <class List>
struct AsTestTypes;
template <class... S>
struct AsTestTypes<TypeList<S...>> {
  using Types = ::testing::Types<S...>;
};

struct EntryName {
  template <class S>
  static std::string GetName(int) {
    return std::string(S::kName);
  }
};

template <RegisteredGame S>
testing::GameFacts FactsOf() {
  return {.may_draw = S::kFamily != "hex" && S::kFamily != "go",
          .one_stone_a_ply = S::kFamily != "go"};
}

template <class S>
class Conformance : public ::testing::Test {
 protected:
  const testing::GameConformance<S> kit_{*FindGame(S::kName).value(), FactsOf<S>()};
};
TYPED_TEST_SUITE(Conformance, AsTestTypes<AllGames>::Types, EntryName);

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
