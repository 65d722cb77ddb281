#pragma once
// Layers with packed weights over the oneDNN operators of LibTorch, which have no C++ declarations
// of their own and are reached through the dispatcher. Private to engine/net. Inputs and outputs
// are channels-last (conv) or [rows, features].

#include <ATen/core/Tensor.h>

#include "engine/net/folded_net.h"

namespace az {

// Immutable after construction; Thread-safe. Constructors throw what LibTorch throws.
class OnednnConv {
 public:
  OnednnConv(const FoldedConv& conv, const NetShape& shape, at::ScalarType type);
  at::Tensor Plain(const at::Tensor& x) const;  // conv(x)
  at::Tensor Relu(const at::Tensor& x) const;   // relu(conv(x))
  at::Tensor AddRelu(const at::Tensor& x,
                     at::Tensor residual) const;  // relu(conv(x) + residual), into residual

 private:
  at::Tensor weight_;
  at::Tensor bias_;
  std::int64_t padding_ = 0;
};

class OnednnLinear {
 public:
  OnednnLinear(const FoldedLinear& linear, at::ScalarType type);
  at::Tensor Plain(const at::Tensor& x) const;
  at::Tensor Relu(const at::Tensor& x) const;
  at::Tensor Add(const at::Tensor& x, const at::Tensor& other) const;  // linear(x) + other

 private:
  at::Tensor weight_;
  at::Tensor bias_;
};

}  // namespace az
