#include "engine/net/model_store.h"

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "base/strings.h"
#include "games/game.h"

namespace az {
namespace {

constexpr int kTrialRows = 8;

// Answers on a fixed batch must be numbers, and values in range: the last check before weights may
// play.
Result<void> TryOut(const InferenceNet& net) {
  const NetShape& shape = net.shape();
  const PlaneShape planes{shape.planes, shape.rows, shape.cols};
  std::vector<std::uint64_t> bits(static_cast<std::size_t>(kTrialRows * planes.words()));
  Rng rng(1);
  for (std::size_t i = 0; i < bits.size(); ++i) {
    const int cells_left = planes.cells() - 64 * (static_cast<int>(i) % planes.words_per_plane());
    bits[i] = rng.Next();
    if (cells_left < 64) bits[i] &= (std::uint64_t{1} << cells_left) - 1;
  }
  std::vector<float> logits(static_cast<std::size_t>(kTrialRows * shape.actions));
  std::vector<float> values(kTrialRows);
  InferenceScratch scratch;
  AZ_RETURN_IF_ERROR(
      net.Forward({bits.data(), logits.data(), values.data(), kTrialRows, kTrialRows}, scratch));
  for (const std::vector<float>* numbers : {&logits, &values}) {
    for (const float number : *numbers) {
      if (!std::isfinite(number)) {
        return Error{Errc::kNotFinite, "the weights answer NaN or infinity to a trial batch"};
      }
    }
  }
  return {};
}

Error NoSuchSlot(ModelId slot) {
  return Error{Errc::kInvalid, StrCat("model slot ", slot.value(), " does not exist; there are ",
                                      ModelStore::kSlots)};
}

}  // namespace

Result<void> ModelStore::Load(ModelId slot, const std::filesystem::path& weights_file,
                              WeightsVersion version) {
  AZ_ASSIGN_OR_RETURN(
      const Weights weights,
      LoadWeightsFor(weights_file, options_.shape, options_.game, options_.other_networks));
  const Result<void> published = Publish(slot, weights, version);
  if (!published) return WithContext(StrCat("publish ", weights_file.string()), published.error());
  return {};
}

Result<void> ModelStore::Publish(ModelId slot, const Weights& weights, WeightsVersion version) {
  if (slot.value() >= kSlots) return NoSuchSlot(slot);
  AZ_ASSIGN_OR_RETURN(auto net, InferenceNet::Create(weights, options_.inference));
  AZ_RETURN_IF_ERROR(TryOut(*net));
  std::shared_ptr<const PublishedNet> fresh =
      std::make_shared<PublishedNet>(PublishedNet{std::move(net), version, weights.info.iteration});
  {
    const MutexLock lock(mutex_);
    slots_[slot.value()].swap(fresh);
  }
  return {};  // the old weights are freed here, outside the lock, or by the last runner that uses
              // them
}

void ModelStore::Unload(ModelId slot) {
  if (slot.value() >= kSlots) return;
  std::shared_ptr<const PublishedNet> old;
  const MutexLock lock(mutex_);
  slots_[slot.value()].swap(old);
}

std::shared_ptr<const PublishedNet> ModelStore::Get(ModelId slot) const {
  if (slot.value() >= kSlots) return nullptr;
  const MutexLock lock(mutex_);
  return slots_[slot.value()];
}

}  // namespace az
