#include "engine/config/cards.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/strings.h"

namespace az {
namespace {

constexpr std::array<KnownCard, 19> kCards = {{{"gtx1650-4GB", MiB(4096), 6, false},
                                               {"rtx3050-4GB", MiB(4096), 36, true},
                                               {"rtx2060-6GB", MiB(6144), 52, false},
                                               {"rtx3070-8GB", MiB(8192), 81, true},
                                               {"rtx4060-8GB", MiB(8188), 60, true},
                                               {"rtx3060-12GB", MiB(12288), 51, true},
                                               {"rtx4070-12GB", MiB(12282), 117, true},
                                               {"t4-16GB", MiB(15360), 65, false},
                                               {"rtx4080-16GB", MiB(16376), 195, true},
                                               {"l4-24GB", MiB(23034), 121, true},
                                               {"a10g-24GB", MiB(23028), 70, true},
                                               {"rtx3090-24GB", MiB(24576), 142, true},
                                               {"rtx4090-24GB", MiB(24564), 330, true},
                                               {"rtx5090-32GB", MiB(32607), 419, true},
                                               {"a100-40GB", MiB(40960), 312, true},
                                               {"l40s-48GB", MiB(46068), 362, true},
                                               {"a100-80GB", MiB(81920), 312, true},
                                               {"h100-80GB", MiB(81559), 989, true},
                                               {"h200-141GB", MiB(143771), 989, true}}};

std::string_view ModelOf(const KnownCard& card) { return card.name.substr(0, card.name.find('-')); }

}  // namespace

const KnownCard* FindCard(std::string_view name) {
  for (const KnownCard& card : kCards) {
    if (name == card.name || name == ModelOf(card)) return &card;
  }
  return nullptr;
}

const KnownCard* CardOfDriverName(std::string_view name) {
  std::string squeezed;  // "nvidiageforcertx4070"
  for (const char c : name) {
    if (c == ' ' || c == '-') continue;
    squeezed.push_back(c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c);
  }
  const KnownCard* best = nullptr;
  for (const KnownCard& card : kCards) {
    const bool longer = best == nullptr || ModelOf(card).size() > ModelOf(*best).size();
    if (longer && squeezed.find(ModelOf(card)) != std::string::npos) best = &card;
  }
  return best;
}

std::string KnownCardNames() {
  std::vector<std::string> names;
  for (const KnownCard& card : kCards) names.emplace_back(card.name);
  return Join(names, ", ");
}

}  // namespace az
