#include "base/check.h"

#include <gtest/gtest.h>

namespace az {
namespace {

TEST(CheckDeathTest, PrintsExpressionBothValuesAndTheMessage) {
  const int visits = 3;
  EXPECT_DEATH(AZ_CHECK_EQ(visits, 4) << "after the backup",
               "check_test.cc:[0-9]+: check failed: .*visits.*\\(3 against 4\\).*after the backup");
  EXPECT_DEATH(AZ_CHECK(visits > 5), "check failed: visits > 5");
}

TEST(Check, PassesWithoutEvaluatingTheMessage) {
  int evaluated = 0;
  const auto message = [&evaluated] { return ++evaluated; };
  AZ_CHECK(true) << message();
  AZ_CHECK_LT(1, 2) << message();
  EXPECT_EQ(evaluated, 0);
}

}  // namespace
}  // namespace az
