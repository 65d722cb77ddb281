#pragma once
// GPUs that az_plan can plan for without having one. All figures are assumed: they come from data
// sheets and from what drivers report; we have measured none of them.

#include <string>
#include <string_view>

#include "base/bytes.h"

namespace az {

struct KnownCard {
  std::string_view name;  // "rtx4070-12GB": model, then the memory it is sold with
  Bytes total;            // as its driver reports it
  double tflops;          // dense bf16 matrix rate (fp16 where it has no bf16); ranks plans only
  bool fast_bf16;         // Ampere and newer
};

// The card of this name, or null. A model alone ("rtx4070") stands for the first card of that
// model.
const KnownCard* FindCard(std::string_view name);

// The card that a driver's name ("NVIDIA GeForce RTX 4070") means, by the longest match, or null.
const KnownCard* CardOfDriverName(std::string_view name);

// All names, for messages: "gtx1650-4GB, rtx2060-6GB, …".
std::string KnownCardNames();

}  // namespace az
