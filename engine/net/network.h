#pragma once
// The network in its training form: a post-activation residual network with a policy and a value
// head. The learner trains it; InferenceNet (inference_net.h) is made from its parameters and is
// what plays. docs/learning.md describes the layers. Its parameter names are part of the checkpoint
// format (docs/formats/checkpoint.md).

#include <torch/nn/module.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/normalization.h>
#include <torch/nn/pimpl.h>

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "scheduler/net_shape.h"

namespace az {

struct NetworkOutput {
  torch::Tensor policy_logits;  // [rows, actions], neither masked nor softmaxed
  torch::Tensor value_logits;   // [rows, 3]: win, draw, loss of the side to move
  // Of training-only heads; undefined where the shape has none.
  torch::Tensor opponent_logits;  // [rows, actions]: who moves next, in the view of that side
  torch::Tensor short_term;       // [rows]: value some plies ahead, (-1, 1)
};

// What a forward in training mode does to the running statistics of its batch norms.
enum class RunningStatistics : std::uint8_t {
  kUpdate,
  kLeave,  // the forward is done again, for its activations: the statistics have seen the batch
};

// [rows, 2 channels] of [rows, channels, h, w]: each channel's mean over the board, then its
// maximum.
torch::Tensor PoolBoard(const torch::Tensor& x);

// What `norm` answers to x, of x's type, with its weights rounded to that type first: GPUs have no
// layer norm of two types.
torch::Tensor NormaliseInOneType(const torch::nn::LayerNorm& norm, const torch::Tensor& x);

// conv 3x3 or 1x1 without bias, then batch norm. Thread-compatible, as all modules here.
class ConvNormImpl : public torch::nn::Module {
 public:
  struct Options {
    int in = 0;
    int out = 0;
    int kernel = 3;
  };
  explicit ConvNormImpl(const Options& options);
  torch::Tensor forward(const torch::Tensor& x,
                        RunningStatistics statistics = RunningStatistics::kUpdate);
  void ZeroScale();  // batch-norm scale 0: the layer answers 0 until it has learned something

 private:
  torch::nn::Conv2d conv_{nullptr};
  torch::nn::BatchNorm2d norm_{nullptr};
};
TORCH_MODULE(ConvNorm);

// A block of the trunk: [rows, filters, h, w] in and out.
class TrunkBlock : public torch::nn::Module {
 public:
  virtual torch::Tensor forward(const torch::Tensor& x, RunningStatistics statistics) = 0;
};

// relu(x + conv2(relu(conv1(x)))), each conv followed by batch norm.
class ResidualBlock final : public TrunkBlock {
 public:
  explicit ResidualBlock(int filters);
  torch::Tensor forward(const torch::Tensor& x, RunningStatistics statistics) override;

 private:
  ConvNorm conv1_{nullptr};
  ConvNorm conv2_{nullptr};
};

// A residual block whose middle sees the whole board: the first quarter g of conv1's channels says,
// pooled, what is added to the others k at every cell.
//   relu(x + conv2(relu(norm(k + pool(PoolBoard(relu(pool_norm(g)))))))), conv2 with batch norm
class GlobalPoolBlock final : public TrunkBlock {
 public:
  explicit GlobalPoolBlock(const NetShape& shape);
  torch::Tensor forward(const torch::Tensor& x, RunningStatistics statistics) override;

 private:
  std::int64_t pooled_ = 0;
  std::int64_t kept_ = 0;
  torch::nn::Conv2d conv1_{nullptr};
  torch::nn::BatchNorm2d pool_norm_{nullptr};
  torch::nn::Linear pool_{nullptr};
  torch::nn::BatchNorm2d norm_{nullptr};
  ConvNorm conv2_{nullptr};
};

// x + out(concat over heads of softmax(q k^T / sqrt(filters / heads) + bias) v) of layer_norm(x);
// tokens are the cells, bias is learned, one number per head and pair of cells.
class AttentionBlock final : public TrunkBlock {
 public:
  explicit AttentionBlock(const NetShape& shape);
  torch::Tensor forward(const torch::Tensor& x, RunningStatistics statistics) override;

 private:
  int heads_ = 0;
  torch::nn::LayerNorm norm_{nullptr};
  torch::nn::Linear qkv_{nullptr};
  torch::nn::Linear out_{nullptr};
  torch::Tensor bias_;  // [heads, cells, cells]
};

// Whether this parameter belongs to a head that only training has: those that play do without.
bool IsTrainingOnly(std::string_view parameter);

// A new network answers a near-uniform policy and a value near 0. Initialisation draws from torch's
// default generator: call torch::manual_seed before.
class NetworkImpl : public torch::nn::Module {
 public:
  explicit NetworkImpl(const NetShape& shape);  // REQUIRES: ValidateNetShape (net_spec.h)

  NetworkOutput forward(
      const torch::Tensor& planes);  // float [rows, planes, board rows, board cols]

  // The same in parts (checkpointed_forward.h): forward(x) is
  // Heads(Stage(num_stages() - 1, ... Stage(0, Stem(x)))). Stages are the residual blocks, then the
  // attention blocks.
  torch::Tensor Stem(const torch::Tensor& planes,
                     RunningStatistics statistics = RunningStatistics::kUpdate);
  int num_stages() const { return static_cast<int>(stages_.size()); }
  torch::Tensor Stage(int index, const torch::Tensor& x,
                      RunningStatistics statistics = RunningStatistics::kUpdate);
  NetworkOutput Heads(const torch::Tensor& x);
  std::vector<torch::Tensor> StemParameters() const { return stem_->parameters(); }
  std::vector<torch::Tensor> StageParameters(int index) const;

  const NetShape& shape() const { return shape_; }

 private:
  NetShape shape_;
  ConvNorm stem_{nullptr};
  std::vector<std::shared_ptr<TrunkBlock>> stages_;  // LibTorch's modules are shared
  ConvNorm policy_conv_{nullptr};
  torch::nn::Linear policy_linear_{nullptr};
  ConvNorm value_conv_{nullptr};
  torch::nn::Linear value_linear1_{nullptr};
  torch::nn::Linear value_linear2_{nullptr};
  torch::nn::Linear opponent_linear_{nullptr};    // null without the head
  torch::nn::Linear short_term_linear_{nullptr};  // likewise
};
TORCH_MODULE(Network);

}  // namespace az
