#include "engine/net/onednn_ops.h"

#include <ATen/core/List.h>
#include <ATen/core/dispatch/Dispatcher.h>

#include <optional>
#include <string_view>

namespace az {
namespace {

using Scalars = c10::List<std::optional<at::Scalar>>;
using Text = std::optional<std::string_view>;
using Bias = std::optional<at::Tensor>;

constexpr std::int64_t kPackRows =
    128;  // batch that weight layouts are chosen for; other batches run on them too

template <class Signature>
c10::TypedOperatorHandle<Signature> Find(const char* name, const char* overload) {
  return c10::Dispatcher::singleton().findSchemaOrThrow(name, overload).typed<Signature>();
}

at::Tensor CallConv(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                    std::int64_t padding, std::string_view then) {
  static const auto op =
      Find<at::Tensor(const at::Tensor&, const at::Tensor&, const Bias&, at::IntArrayRef,
                      at::IntArrayRef, at::IntArrayRef, std::int64_t, std::string_view, Scalars,
                      Text)>("mkldnn::_convolution_pointwise", "");
  return op.call(x, weight, bias, {padding, padding}, {1, 1}, {1, 1}, 1, then, Scalars(), Text());
}

at::Tensor& CallConvAdd(at::Tensor& residual, const at::Tensor& x, const at::Tensor& weight,
                        const at::Tensor& bias, std::int64_t padding) {
  static const auto op =
      Find<at::Tensor&(at::Tensor&, const at::Tensor&, const at::Tensor&, const Bias&,
                       at::IntArrayRef, at::IntArrayRef, at::IntArrayRef, std::int64_t,
                       std::string_view, std::optional<at::Scalar>, Text, Scalars, Text)>(
          "mkldnn::_convolution_pointwise_", "binary");
  return op.call(residual, x, weight, bias, {padding, padding}, {1, 1}, {1, 1}, 1, "add",
                 at::Scalar(1.0), Text("relu"), Scalars(), Text());
}

at::Tensor CallLinear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                      std::string_view then) {
  static const auto op =
      Find<at::Tensor(const at::Tensor&, const at::Tensor&, const Bias&, std::string_view, Scalars,
                      Text)>("mkldnn::_linear_pointwise", "");
  return op.call(x, weight, bias, then, Scalars(), Text());
}

}  // namespace

OnednnConv::OnednnConv(const FoldedConv& conv, const NetShape& shape, at::ScalarType type)
    : bias_(conv.bias.to(type)), padding_(conv.weight.size(2) / 2) {
  static const auto pack = Find<at::Tensor(const at::Tensor&, at::IntArrayRef, at::IntArrayRef,
                                           at::IntArrayRef, std::int64_t, at::OptionalIntArrayRef)>(
      "mkldnn::_reorder_convolution_weight", "");
  const std::vector<std::int64_t> input = {kPackRows, conv.weight.size(1), shape.rows, shape.cols};
  weight_ = pack.call(conv.weight.to(type).contiguous(at::MemoryFormat::ChannelsLast),
                      {padding_, padding_}, {1, 1}, {1, 1}, 1, at::IntArrayRef(input));
}

at::Tensor OnednnConv::Plain(const at::Tensor& x) const {
  return CallConv(x, weight_, bias_, padding_, "none");
}

at::Tensor OnednnConv::Relu(const at::Tensor& x) const {
  return CallConv(x, weight_, bias_, padding_, "relu");
}

at::Tensor OnednnConv::AddRelu(const at::Tensor& x, at::Tensor residual) const {
  CallConvAdd(residual, x, weight_, bias_, padding_);
  return residual;
}

OnednnLinear::OnednnLinear(const FoldedLinear& linear, at::ScalarType type)
    : bias_(linear.bias.to(type)) {
  static const auto pack = Find<at::Tensor(const at::Tensor&, std::optional<std::int64_t>)>(
      "mkldnn::_reorder_linear_weight", "");
  weight_ = pack.call(linear.weight.to(type).contiguous(), kPackRows);
}

at::Tensor OnednnLinear::Plain(const at::Tensor& x) const {
  return CallLinear(x, weight_, bias_, "none");
}

at::Tensor OnednnLinear::Relu(const at::Tensor& x) const {
  return CallLinear(x, weight_, bias_, "relu");
}

at::Tensor OnednnLinear::Add(const at::Tensor& x, const at::Tensor& other) const {
  static const auto op =
      Find<at::Tensor(const at::Tensor&, const at::Tensor&, const at::Tensor&, const Bias&,
                      std::string_view)>("mkldnn::_linear_pointwise", "binary");
  return op.call(x, other, weight_, bias_, "add");
}

}  // namespace az
