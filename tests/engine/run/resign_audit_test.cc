#include "engine/run/resign_audit.h"

#include <gtest/gtest.h>

namespace az {
namespace {

TEST(MayResign, NeedsFiftyGamesAndFewErrors) {
  EXPECT_FALSE(MayResign({.threshold = 0.0, .games = 500}));
  EXPECT_FALSE(MayResign({.threshold = 0.9, .games = 49}));
  EXPECT_FALSE(MayResign({.threshold = 0.9, .games = 50})) << "0 of 50: up to 7.1 %";
  EXPECT_FALSE(MayResign({.threshold = 0.9, .games = 72}));
  EXPECT_TRUE(MayResign({.threshold = 0.9, .games = 74})) << "0 of 74: up to 4.9 %";
  EXPECT_FALSE(MayResign({.threshold = 0.9, .games = 200, .errors = 6}));
  EXPECT_TRUE(MayResign({.threshold = 0.9, .games = 400, .errors = 6}));
}

TEST(AfterGames, ErrorsRaiseTheThresholdAndStartAnew) {
  ResignAudit audit{.threshold = 0.9};
  audit = AfterGames(audit, 40, 10);
  EXPECT_EQ(audit.threshold, 0.9) << "too few to judge";
  audit = AfterGames(audit, 20, 0);
  EXPECT_DOUBLE_EQ(audit.threshold, 0.925);
  EXPECT_EQ(audit.games, 0);
  EXPECT_EQ(audit.errors, 0);
  audit = AfterGames(audit, 100, 5);
  EXPECT_DOUBLE_EQ(audit.threshold, 0.925) << "5 % is the limit itself";
}

// 4 % is below the limit, but not seen to be: without a rise resignation would stay off for ever.
TEST(AfterGames, ARateThatStaysUndecidedRaisesTheThresholdToo) {
  ResignAudit audit{.threshold = 0.9};
  for (int iteration = 0; iteration < 20 && audit.threshold == 0.9; ++iteration) {
    EXPECT_FALSE(MayResign(audit));
    audit = AfterGames(audit, 50, 2);
  }
  EXPECT_DOUBLE_EQ(audit.threshold, 0.925);
  EXPECT_EQ(AfterGames({.threshold = 0.9}, 299, 11).threshold, 0.9) << "too few to judge by";
  EXPECT_EQ(AfterGames({.threshold = 0.9}, 300, 6).threshold, 0.9) << "2 %: up to 4.3 %";
}

TEST(AfterGames, OldGamesFade) {
  const ResignAudit audit = AfterGames({.threshold = 0.9, .games = 1000, .errors = 11}, 10, 0);
  EXPECT_EQ(audit.games, 505);
  EXPECT_EQ(audit.errors, 6);
}

}  // namespace
}  // namespace az
