#pragma once
// Bodies of tests/support/game_conformance.h.

namespace az::testing {

template <GameState S>
Planes<S> GameConformance<S>::MapPlanes(const Planes<S>& planes, int symmetry) {
  Planes<S> image{};
  for (std::size_t p = 0; p < static_cast<std::size_t>(S::kShape.planes); ++p) {
    for (int cell = 0; cell < S::kShape.cells(); ++cell) {
      const auto from = static_cast<std::size_t>(cell);
      if ((planes[p * kPlaneWords + from / 64] >> (from % 64) & 1) == 0) continue;
      const auto to = static_cast<std::size_t>(S::MapCell(cell, symmetry));
      image[p * kPlaneWords + to / 64] |= std::uint64_t{1} << (to % 64);
    }
  }
  return image;
}

template <GameState S>
int GameConformance<S>::StoneCount(const Planes<S>& planes) {
  int stones = 0;
  for (std::size_t word = 0; word < 2 * kPlaneWords; ++word) stones += std::popcount(planes[word]);
  return stones;
}

template <GameState S>
void GameConformance<S>::CheckConstants() const {
  const std::string_view name = S::kName;
  ASSERT_FALSE(name.empty());
  EXPECT_TRUE(name[0] >= 'a' && name[0] <= 'z') << name;
  for (const char c : name) {
    EXPECT_TRUE((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_') << name;
  }
  EXPECT_GE(S::kNumActions, 1);
  EXPECT_LE(S::kNumActions, 65535);
  EXPECT_GE(S::kMaxPlies, 1);
  EXPECT_GE(S::kNumSymmetries, 1);
  EXPECT_GE(S::kShape.planes, 2);
  EXPECT_FALSE(S{}.Result().has_value());
  EXPECT_FALSE(S{}.LegalActions().empty());
  EXPECT_EQ(S{}.ToMove(), Player::kFirst);
  EXPECT_EQ(S{}, S{});
  const GameInfo& info = ops_.info();
  EXPECT_EQ(info.entry, name);
  EXPECT_EQ(info.num_actions, S::kNumActions);
  EXPECT_EQ(info.max_plies, S::kMaxPlies);
  EXPECT_EQ(info.num_symmetries, S::kNumSymmetries);
  EXPECT_EQ(info.shape, S::kShape);
}

template <GameState S>
void GameConformance<S>::CheckPlay() const {
  Rng rng = Rng(kSeed).Fork(1);
  for (int game = 0; game < 2000; ++game) {
    const S end = PlayRandomGame<S>(rng, [&](const S& before, Action action, const S& after) {
      const auto legal = before.LegalActions();
      if constexpr (requires { S::kMaxLegal; }) {
        ASSERT_LE(legal.Count(), S::kMaxLegal) << before.ToString();
      }
      ASSERT_TRUE(legal.Contains(action));
      ASSERT_LT(Index(LegalList(before).back()), S::kNumActions);
      ASSERT_EQ(after.LegalActions().empty(), after.Result().has_value()) << after.ToString();
    });
    ASSERT_TRUE(end.Result().has_value()) << "not over after " << S::kMaxPlies << " plies\n"
                                          << end.ToString();
    if (!facts_.may_draw) {
      ASSERT_NE(*end.Result(), Outcome::kDraw) << end.ToString();
    }
  }
}

template <GameState S>
void GameConformance<S>::CheckValue() const {
  Rng rng = Rng(kSeed).Fork(2);
  for (int game = 0; game < 200; ++game) {
    PlayRandomGame<S>(rng, [&](const S& before, Action action, const S& after) {
      S moved = before;
      ASSERT_EQ(moved, before);
      const S copy = moved;
      moved.Apply(action);
      ASSERT_EQ(moved, after);
      ASSERT_EQ(moved.Hash(), after.Hash());
      ASSERT_EQ(copy, before) << "a copy changed with its original";
      ASSERT_FALSE(moved == before) << "a move changed nothing\n" << after.ToString();
    });
  }
}

template <GameState S>
void GameConformance<S>::CheckHash() const {
  using Seen = std::tuple<std::uint64_t, Planes<S>, std::vector<Action>>;
  constexpr std::size_t kPositions = 100'000;
  std::vector<Seen> seen;
  const auto add = [&](const S& s) { seen.emplace_back(s.Hash(), EncodeInto(s, 0), LegalList(s)); };
  Rng rng = Rng(kSeed).Fork(3);
  while (seen.size() < kPositions) {
    add(S{});
    PlayRandomGame<S>(rng, [&](const S&, Action, const S& after) { add(after); });
  }
  std::ranges::sort(seen);
  for (std::size_t i = 1; i < seen.size(); ++i) {
    if (std::get<0>(seen[i - 1]) != std::get<0>(seen[i])) continue;
    ASSERT_EQ(seen[i - 1], seen[i]) << "two positions share a hash";
  }
  std::ranges::sort(seen, {},
                    [](const Seen& s) { return std::tie(std::get<1>(s), std::get<2>(s)); });
  for (std::size_t i = 1; i < seen.size(); ++i) {
    if (std::get<1>(seen[i - 1]) != std::get<1>(seen[i])) continue;
    if (std::get<2>(seen[i - 1]) != std::get<2>(seen[i])) continue;
    if (facts_.one_stone_a_ply) {  // then the position is the state
      ASSERT_EQ(std::get<0>(seen[i - 1]), std::get<0>(seen[i])) << "one position, two hashes";
    }
  }
}

template <GameState S>
void GameConformance<S>::CheckEncode() const {
  Rng rng = Rng(kSeed).Fork(4);
  for (int game = 0; game < 200; ++game) {
    int plies = 0;
    PlayRandomGame<S>(rng, [&](const S&, Action, const S& after) {
      const Planes<S> planes = EncodeInto(after, 0);
      ASSERT_EQ(planes, EncodeInto(after, ~std::uint64_t{0})) << "a word was not written";
      constexpr int kSpare = static_cast<int>(kPlaneWords) * 64 - S::kShape.cells();
      for (std::size_t last = kPlaneWords - 1; last < planes.size(); last += kPlaneWords) {
        if constexpr (kSpare > 0) {
          ASSERT_EQ(planes[last] >> (64 - kSpare), 0u) << "bits beyond the board";
        }
      }
      for (std::size_t word = 0; word < kPlaneWords; ++word) {
        ASSERT_EQ(planes[word] & planes[kPlaneWords + word], 0u) << after.ToString();
      }
      ++plies;
      if (facts_.one_stone_a_ply) {
        ASSERT_EQ(StoneCount(planes), plies) << after.ToString();
      }
    });
  }
}

template <GameState S>
void GameConformance<S>::ExpectSameBijectionGroup() {
  // One row a symmetry: the images of all actions, then of all cells.
  std::vector<std::vector<int>> maps;
  for (int g = 0; g < S::kNumSymmetries; ++g) {
    std::vector<int> map;
    for (int a = 0; a < S::kNumActions; ++a) {
      map.push_back(Index(S::MapAction(static_cast<Action>(a), g)));
    }
    ASSERT_EQ(std::set<int>(map.begin(), map.end()).size(), map.size());
    ASSERT_TRUE(std::ranges::all_of(map, [](int a) { return a >= 0 && a < S::kNumActions; }));
    std::set<int> cells;
    for (int cell = 0; cell < S::kShape.cells(); ++cell) {
      map.push_back(S::MapCell(cell, g));
      ASSERT_TRUE(map.back() >= 0 && map.back() < S::kShape.cells());
      cells.insert(map.back());
    }
    ASSERT_EQ(std::ssize(cells), S::kShape.cells());
    maps.push_back(std::move(map));
  }
  const auto image = [&](int g, std::size_t i) {
    return i < static_cast<std::size_t>(S::kNumActions)
               ? maps[static_cast<std::size_t>(g)][i]
               : maps[static_cast<std::size_t>(g)][i] + S::kNumActions;
  };
  for (std::size_t i = 0; i < maps[0].size(); ++i) ASSERT_EQ(image(0, i), static_cast<int>(i));
  ASSERT_EQ(std::set(maps.begin(), maps.end()).size(), maps.size()) << "two maps are the same";
  for (int g = 0; g < S::kNumSymmetries; ++g) {
    for (int h = 0; h < S::kNumSymmetries; ++h) {
      std::vector<int> composed(maps[0].size());
      for (std::size_t i = 0; i < composed.size(); ++i) {
        composed[i] = maps[static_cast<std::size_t>(h)][static_cast<std::size_t>(image(g, i))];
      }
      ASSERT_NE(std::ranges::find(maps, composed), maps.end()) << h << " after " << g;
    }
  }
}

template <GameState S>
void GameConformance<S>::CheckSymmetry() const {
  ExpectSameBijectionGroup();
  Rng rng = Rng(kSeed).Fork(5);
  for (int game = 0; game < 100; ++game) {
    std::vector<S> images(static_cast<std::size_t>(S::kNumSymmetries));
    PlayRandomGame<S>(rng, [&](const S&, Action action, const S& after) {
      const std::vector<Action> legal = LegalList(after);
      for (int g = 0; g < S::kNumSymmetries; ++g) {
        S& image = images[static_cast<std::size_t>(g)];
        ASSERT_TRUE(image.LegalActions().Contains(S::MapAction(action, g)));
        image.Apply(S::MapAction(action, g));
        ASSERT_EQ(image.ToMove(), after.ToMove());
        ASSERT_EQ(image.Result(), after.Result()) << after.ToString() << image.ToString();
        ASSERT_EQ(EncodeInto(image, 0), MapPlanes(EncodeInto(after, 0), g)) << "symmetry " << g;
        ASSERT_EQ(LegalList(image).size(), legal.size());
        for (const Action a : legal) {
          ASSERT_TRUE(image.LegalActions().Contains(S::MapAction(a, g)));
        }
        Planes<S> mapped;
        ops_.MapPlanes(EncodeInto(after, 0), g, mapped);
        ASSERT_EQ(mapped, EncodeInto(image, 0));
        ASSERT_EQ(ops_.MapAction(action, g), S::MapAction(action, g));
      }
    });
  }
}

template <GameState S>
void GameConformance<S>::CheckText() const {
  Rng rng = Rng(kSeed).Fork(6);
  constexpr int kGames = S::kNumActions < 100 ? 10 : 1;  // parsing reads through all legal moves
  for (int game = 0; game < kGames; ++game) {
    std::unique_ptr<Position> position = ops_.Start();
    PlayRandomGame<S>(rng, [&](const S& before, Action action, const S&) {
      std::set<std::string> texts;
      for (const Action a : LegalList(before)) {
        const std::string text = before.MoveText(a);
        ASSERT_TRUE(texts.insert(text).second) << text << " names two moves";
        const auto parsed = position->ParseMove(text);
        ASSERT_TRUE(parsed.has_value()) << parsed.error().message;
        ASSERT_EQ(*parsed, a);
      }
      ASSERT_TRUE(position->Apply(action).has_value());
    });
    ASSERT_FALSE(position->ParseMove("a1").has_value()) << "a move after the end";
  }
  for (const std::string_view junk : {"", " ", "?", "a", "a0", "zz", "a1 ", "99", "-1", "\n"}) {
    const auto parsed = ops_.Start()->ParseMove(junk);
    ASSERT_FALSE(parsed.has_value()) << junk;
    EXPECT_EQ(parsed.error().code, Errc::kInvalid);
    EXPECT_NE(parsed.error().message.find("legal are "), std::string::npos);
  }
}

template <GameState S>
void GameConformance<S>::ExpectSameStory(const S& state, const Position& position) const {
  ASSERT_EQ(position.ToMove(), state.ToMove());
  ASSERT_EQ(position.FinalOutcome(), state.Result());
  ASSERT_EQ(position.LegalActions(), LegalList(state));
  ASSERT_EQ(position.Hash(), state.Hash());
  ASSERT_EQ(position.ToString(), state.ToString());
  Planes<S> planes;
  position.Encode(planes);
  ASSERT_EQ(planes, EncodeInto(state, 0));
}

template <GameState S>
void GameConformance<S>::CheckOps() const {
  Rng rng = Rng(kSeed).Fork(7);
  for (int game = 0; game < 20; ++game) {
    std::vector<Action> record;
    std::unique_ptr<Position> position = ops_.Start();
    PlayRandomGame<S>(rng, [&](const S& before, Action action, const S& after) {
      const std::unique_ptr<Position> kept = position->Clone();
      ASSERT_TRUE(position->Apply(action).has_value());
      ExpectSameStory(after, *position);
      ExpectSameStory(before, *kept);
      record.push_back(action);
    });
    const auto replayed = ops_.Replay(record);
    ASSERT_TRUE(replayed.has_value()) << replayed.error().message;
    ASSERT_EQ((*replayed)->Hash(), position->Hash());

    for (const Action bad : {record[0], static_cast<Action>(S::kNumActions), Action{65535}}) {
      std::vector<Action> longer = record;
      longer.push_back(bad);  // after the end nothing is legal
      const auto refused = ops_.Replay(longer);
      ASSERT_FALSE(refused.has_value());
      EXPECT_EQ(refused.error().code, Errc::kCorrupt);
      EXPECT_NE(refused.error().message.find("ply " + std::to_string(record.size())),
                std::string::npos);
      ASSERT_EQ(position->Apply(bad).error().code, Errc::kInvalid);
      ASSERT_EQ((*replayed)->Hash(), position->Hash()) << "a refused move changed the position";
    }
  }
}

}  // namespace az::testing
