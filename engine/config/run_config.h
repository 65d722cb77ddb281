#pragma once
// RunConfig: all options of a run, as a person wrote them; auto values are not filled in yet. Read
// by config_reader.h.

#include "base/describe.h"
#include "engine/config/options.h"
#include "mcts/search_options.h"
#include "scheduler/memory_options.h"

namespace az {

struct RunConfig {
  GameOptions game;
  NetOptions net;
  Auto<int> num_workers;
  SearchOptions search;
  SelfPlayOptions self_play;
  TrainOptions train;
  ArenaOptions arena;
  MemoryOptions memory;
  EngineOptions engine;
  LoopOptions loop;
  RunOptions run;
};

template <class V>
void Describe(V& v, RunConfig& c) {
  v.Section("game", c.game, "what is played");
  v.Section("net", c.net, "the network");
  v.Field("num_workers", c.num_workers, Range{1, 256},
          "self-play worker processes; auto = planned");
  v.Section("search", c.search, "tree search");
  v.Section("self_play", c.self_play, "self-play phase");
  v.Section("train", c.train, "training phase");
  v.Section("arena", c.arena, "arena phase and gate");
  v.Section("memory", c.memory, "memory budgets");
  v.Section("engine", c.engine, "device and inference server");
  v.Section("loop", c.loop, "the training loop");
  v.Section("run", c.run, "name, folder and seed");
}

}  // namespace az
