#pragma once
// What the tests of this folder share: small networks whose batch norms have seen something, and
// temporary folders.

#include <ATen/core/grad_mode.h>
#include <ATen/ops/rand_like.h>
#include <ATen/ops/randn_like.h>
#include <stdlib.h>
#include <torch/utils.h>

#include <filesystem>
#include <string>
#include <system_error>

#include "base/check.h"
#include "engine/net/network.h"
#include "scheduler/net_shape.h"

namespace az::testing {

// A folder that is removed with everything in it.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "az_net_XXXXXX").string();
    AZ_CHECK(mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::filesystem::path operator/(const char* name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

inline NetShape SmallShape() {
  return NetShape{.planes = 3,
                  .rows = 4,
                  .cols = 5,
                  .actions = 21,
                  .filters = 16,
                  .res_blocks = 2,
                  .heads = 4,
                  .attention_blocks = 1,
                  .policy_filters = 8,
                  .value_filters = 8,
                  .value_hidden = 32};
}

// The same with blocks that pool: the second of three.
inline NetShape PoolingShape() {
  NetShape shape = SmallShape();
  shape.res_blocks = 3;
  shape.global_pool_every = 2;
  return shape;
}

// A network as training leaves it: no scale is 0 or 1, no statistic is 0 or 1, heads with opinions;
// activations stay of order one, as batch norm keeps them.
inline Network TrainedLikeNetwork(const NetShape& shape, unsigned seed) {
  torch::manual_seed(seed);
  Network network(shape);
  const at::NoGradGuard no_grad;
  for (const auto& item : network->named_parameters()) {
    at::Tensor p = item.value();
    const std::string& name = item.key();
    const bool head = name.starts_with("policy_linear") || name.starts_with("value_linear2");
    if (name.ends_with("norm.weight")) {
      p.copy_(0.5 + 0.5 * at::rand_like(p));
    } else if (name.ends_with("bias")) {
      p.copy_(0.2 * at::randn_like(p));
    } else if (head) {
      p.mul_(10.0);
    } else if (name.ends_with("out.weight")) {
      p.copy_(0.1 * at::randn_like(p));
    }
  }
  for (const auto& item : network->named_buffers()) {
    at::Tensor b = item.value();
    if (item.key().ends_with("running_mean")) b.copy_(0.3 * at::randn_like(b));
    if (item.key().ends_with("running_var")) b.copy_(0.5 + at::rand_like(b));
  }
  network->eval();
  return network;
}

}  // namespace az::testing
