#include "engine/config/run_config.h"
#include "engine/data/game_record.h"
#include "engine/ipc/batch_runner.h"
#include "games/action_set.h"
#include "games/game_ops.h"
#include "base/log.h"
#include "base/rng.h"
#include "base/stats.h"
#include "base/thread_annotations.h"
#include "base/crc32c.h"
#include "base/clock.h"
#include <gtest/gtest.h>
namespace az {
struct Counter { int n=0; template<class T,class... A> void Field(const char*,T&,A&&...){++n;} template<class T> void Section(const char*,T& t,const char*){Describe(*this,t);} };
TEST(Smoke, Base) {
  std::string s="123456789"; EXPECT_EQ(Crc32c(std::as_bytes(std::span(s))), 0xE3069283u);
  RunConfig c; Counter k; Describe(k,c); EXPECT_GT(k.n, 50);
  EXPECT_EQ(FormatBytes(MiB(36)), "36 MiB"); EXPECT_EQ(ParseBytes("4GiB").value(), GiB(4));
  ActionSet<65> a; a.Add(Action{64}); EXPECT_EQ(a.Nth(0), Action{64});
  AZ_CHECK_EQ(1,1) << "x";
}
}
