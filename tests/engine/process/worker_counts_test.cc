#include "engine/process/worker_counts.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace az {
namespace {

// Every count a number of its own.
WorkerCounts From(int first) {
  WorkerCounts counts;
  WorkerCounts::VisitSums([&]<class T>(const char*, T WorkerCounts::*count) {
    counts.*count = static_cast<T>(first++);
  });
  return counts;
}

TEST(WorkerCounts, AddUpEachForItself) {
  WorkerCounts sum = From(1);
  sum += From(1000);
  int expected = 1001;
  std::set<std::string> names;
  WorkerCounts::VisitSums([&](const char* name, auto count) {
    EXPECT_EQ(sum.*count, expected) << name;
    expected += 2;
    EXPECT_TRUE(names.insert(name).second) << name;
  });
  EXPECT_EQ(names.size(), 19u);
  EXPECT_EQ(sum.simulations, 1001u);
  EXPECT_EQ(sum.search_kl_nats, 1001.0 + 2 * 18);
}

}  // namespace
}  // namespace az
