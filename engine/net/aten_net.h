#pragma once
// AtenNet: a folded network in LibTorch's own operators, on any device. What a GPU runs; on a CPU
// the tests compare it with the other forms. Private to engine/net.

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <optional>
#include <vector>

#include "engine/net/folded_net.h"

namespace az {

// Thread-compatible; on a GPU what it enqueues goes to the current stream. Throws what LibTorch
// throws.
class AtenNet {
 public:
  AtenNet(const FoldedNet& net, at::ScalarType type, c10::Device device);

  // Overwrites the weights in place: addresses stay, so captured graphs do. REQUIRES: same shape.
  void Assign(const AtenNet& other);

  struct Output {
    at::Tensor logits;  // float32 [rows, actions]
    at::Tensor values;  // float32 [rows]
  };
  // bits: int64 [rows, words] on the device, layout of games/game.h.
  Output Forward(const at::Tensor& bits) const;
  const NetShape& shape() const { return shape_; }

 private:
  struct Layer {
    at::Tensor weight;
    at::Tensor bias;
  };
  struct Block {
    Layer conv1;
    std::optional<Layer> pool;
    Layer conv2;
  };
  struct Attention {
    Layer norm;
    Layer qkv;
    Layer out;
    at::Tensor bias;  // [1, heads, cells, cells]
  };
  at::Tensor Keep(const at::Tensor& tensor, at::ScalarType type);
  Layer KeepConv(const FoldedConv& conv);
  Layer KeepLinear(const FoldedLinear& linear, at::ScalarType type);
  at::Tensor PooledMiddle(const Block& block, const at::Tensor& x) const;
  at::Tensor Attend(const Attention& layer, const at::Tensor& x) const;

  NetShape shape_;
  at::ScalarType type_;
  c10::Device device_;
  std::vector<at::Tensor> kept_;  // every weight, in order of construction, for Assign
  at::Tensor shifts_;             // BitShifts
  Layer stem_;
  std::vector<Block> blocks_;
  std::vector<Attention> attention_;
  Layer policy_conv_;
  Layer value_conv_;
  Layer policy_linear_;  // float32, as are the value's linears: the last steps keep all digits
  Layer value_linear1_;
  Layer value_linear2_;
};

}  // namespace az
