#include "games/action_set.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "base/rng.h"

namespace az {
namespace {

template <int N>
void ExpectLikeStdSet() {
  Rng rng(N);
  ActionSet<N> actions;
  std::set<int> model;
  for (int step = 0; step < 2000; ++step) {
    if (rng.Below(4 * N) == 0) {  // begins anew, so that sparse and full sets are both met
      actions = ActionSet<N>();
      model.clear();
    }
    const int a = static_cast<int>(rng.Below(N));
    if (rng.Below(3) != 0) {
      actions.Add(static_cast<Action>(a));
      model.insert(a);
    }
    ASSERT_EQ(actions.Count(), std::ssize(model));
    ASSERT_EQ(actions.empty(), model.empty());
    ASSERT_EQ(actions.Contains(static_cast<Action>(a)), model.contains(a));
    std::vector<int> listed;
    actions.ForEach([&](Action x) { listed.push_back(Index(x)); });
    ASSERT_EQ(listed, std::vector<int>(model.begin(), model.end()));
    for (std::size_t k = 0; k < listed.size(); ++k) {
      ASSERT_EQ(Index(actions.Nth(static_cast<int>(k))), listed[k]);
    }
  }
}

TEST(ActionSet, BehavesLikeASetOfNumbers) {
  ExpectLikeStdSet<1>();
  ExpectLikeStdSet<7>();
  ExpectLikeStdSet<64>();
  ExpectLikeStdSet<65>();
  ExpectLikeStdSet<121>();
  ExpectLikeStdSet<200>();
}

TEST(ActionSet, ContainsNothingBeyondItsSize) {
  const ActionSet<7> actions(0x7F);
  EXPECT_TRUE(actions.Contains(Action{6}));
  EXPECT_FALSE(actions.Contains(Action{7}));
  EXPECT_FALSE(actions.Contains(Action{65535}));
}

}  // namespace
}  // namespace az
