#pragma once
// Records for the tests of engine/data, and a folder that cleans up after itself.

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "engine/data/journal_format.h"

namespace az {

inline bool operator==(const PolicyEntry& a, const PolicyEntry& b) {
  return a.action == b.action && a.weight == b.weight;
}
inline bool operator==(const MoveRecord& a, const MoveRecord& b) {
  return a.ply == b.ply && a.action == b.action && a.flags == b.flags && a.visits == b.visits &&
         a.weights_version == b.weights_version && a.root_value == b.root_value &&
         a.network_value == b.network_value && a.policy_kl_nats == b.policy_kl_nats &&
         a.policy == b.policy;
}
inline bool operator==(const GameStarted& a, const GameStarted& b) { return a.id == b.id; }
inline bool operator==(const MovePlayed& a, const MovePlayed& b) {
  return a.id == b.id && a.move == b.move;
}
inline bool operator==(const GameEnded& a, const GameEnded& b) {
  return a.id == b.id && a.outcome == b.outcome && a.reason == b.reason && a.plies == b.plies;
}

// A folder of its own for one test.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    path_ = std::filesystem::temp_directory_path() /
            StrCat("az_", test->test_suite_name(), "_", test->name(), "_", ::getpid());
    std::filesystem::create_directories(path_);
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

inline JournalIdentity TestIdentity() {
  JournalIdentity identity;
  for (std::size_t i = 0; i < 16; ++i) identity.run_id[i] = static_cast<std::uint8_t>(i);
  identity.game_hash = 0x0123456789ABCDEF;
  identity.entry = "hex5";
  identity.lane = 3;
  return identity;
}

inline MoveRecord TestMove(int ply, int action, std::vector<PolicyEntry> policy = {}) {
  MoveRecord move;
  move.ply = static_cast<std::uint16_t>(ply);
  move.action = static_cast<Action>(action);
  move.visits = 200;
  move.weights_version = 7;
  move.root_value = 0.25f;
  move.network_value = -0.5f;
  move.policy_kl_nats = policy.empty() ? 0.0f : 0.125f;
  move.policy = std::move(policy);
  return move;
}

// A start, moves with and without a policy, ends of each kind.
inline std::vector<JournalRecord> SomeRecords() {
  const GameId game = GameId::Make(GameKind::kSelfPlay, 12, 345);
  const GameId failed = GameId::Make(GameKind::kMatch, 1, 0xFFFFFFFF);
  return {GameStarted{game},
          MovePlayed{game, TestMove(0, 24, {{Action{3}, 40000}, {Action{24}, 25535}})},
          GameStarted{failed},
          MovePlayed{game, TestMove(1, 7)},
          GameEnded{failed, std::nullopt, EndReason::kFailed, 0},
          GameEnded{game, Outcome::kSecondWins, EndReason::kRules, 2}};
}

}  // namespace az
