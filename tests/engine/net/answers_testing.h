#pragma once
// Answers of a network to bit planes, by the training form and by an inference form, and how far
// they are apart.

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "engine/net/inference_net.h"
#include "engine/net/network.h"

namespace az::testing {

struct Answers {
  std::vector<float> logits;  // [rows][actions]
  std::vector<float> values;  // [rows]
};

// [rows][words] random planes; not positions of any game.
std::vector<std::uint64_t> RandomBits(const NetShape& shape, int rows, std::uint64_t seed);

// [rows][words] of positions of random games, every position of each game.
std::vector<std::uint64_t> GamePositions(std::string_view game, int rows, std::uint64_t seed);

// What the training form in eval mode answers.
Answers Reference(Network& network, const std::vector<std::uint64_t>& bits);

struct BatchSizes {
  int rows = 0;
  int bucket = 0;
};
Answers Answer(const InferenceNet& net, std::vector<std::uint64_t> bits, BatchSizes sizes);

std::unique_ptr<const InferenceNet> MustCreate(Network& network, InferenceOptions options);

float Distance(const std::vector<float>& a, const std::vector<float>& b);  // the largest

// How far answers in low precision are from those in high precision.
struct Deviation {
  double mean_kl = 0;  // nats, high precision against low
  // Share of rows whose best action by low is within 3 % of the top chance by high: an untrained
  // network has near ties, whose order means nothing.
  double same_best = 0;
  double mean_value = 0;
  double worst_value = 0;
};
Deviation Compare(const Answers& high, const Answers& low);

}  // namespace az::testing
