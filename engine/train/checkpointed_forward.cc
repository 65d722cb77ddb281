#include "engine/train/checkpointed_forward.h"

#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <vector>

#include "base/check.h"
#include "engine/net/network.h"

namespace az {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr const char* kSegment = "segment";  // its place in the context

// Stages [first, end), with the stem when first is 0. Reference-counted for the autograd graph,
// which keeps it until its backward.
class Segment final : public torch::CustomClassHolder {
 public:
  Segment(NetworkImpl& network, int first, int end) : network_(network), first_(first), end_(end) {}

  torch::Tensor Run(torch::Tensor x, RunningStatistics statistics) const {
    if (first_ == 0) x = network_.Stem(x, statistics);
    for (int stage = first_; stage < end_; ++stage) x = network_.Stage(stage, x, statistics);
    return x;
  }
  variable_list Parameters() const {
    variable_list all;
    if (first_ == 0) all = network_.StemParameters();
    for (int stage = first_; stage < end_; ++stage) {
      const variable_list more = network_.StageParameters(stage);
      all.insert(all.end(), more.begin(), more.end());
    }
    return all;
  }

 private:
  NetworkImpl& network_;
  const int first_;
  const int end_;
};

// The parameters are inputs as well: so a segment whose x needs no gradient, as the first one's
// planes, still has a backward. There is no autocast state to carry over: bf16 training has bf16
// weights.
class CheckpointedSegment : public torch::autograd::Function<CheckpointedSegment> {
 public:
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& x,
                               at::TensorList /*parameters*/,
                               const c10::intrusive_ptr<Segment>& segment) {
    context->save_for_backward({x});
    context->saved_data[kSegment] = c10::IValue::make_capsule(segment);
    return segment->Run(x, RunningStatistics::kUpdate);  // without gradients: nothing else is kept
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const auto segment =
        c10::static_intrusive_pointer_cast<Segment>(context->saved_data[kSegment].toCapsule());
    const torch::Tensor kept = context->get_saved_variables().front();
    const torch::AutoGradMode with_gradients(true);
    const torch::Tensor x = kept.detach().requires_grad_(kept.requires_grad());
    const torch::Tensor y = segment->Run(x, RunningStatistics::kLeave);
    variable_list inputs = segment->Parameters();
    if (x.requires_grad()) inputs.insert(inputs.begin(), x);
    variable_list result = torch::autograd::grad({y}, inputs, {gradients.front()});
    if (!x.requires_grad()) result.insert(result.begin(), torch::Tensor());
    result.emplace_back();  // of `segment`
    return result;
  }
};

}  // namespace

NetworkOutput CheckpointedForward(NetworkImpl& network, const torch::Tensor& planes, int stages) {
  AZ_CHECK_GE(stages, 1);
  AZ_CHECK(torch::GradMode::is_enabled());
  torch::Tensor x = planes;
  int first = 0;
  for (; first + stages < network.num_stages(); first += stages) {
    const auto segment = c10::make_intrusive<Segment>(network, first, first + stages);
    const variable_list parameters = segment->Parameters();
    x = CheckpointedSegment::apply(x, at::TensorList(parameters), segment);
  }
  const Segment last(network, first, network.num_stages());
  return network.Heads(last.Run(x, RunningStatistics::kUpdate));
}

}  // namespace az
