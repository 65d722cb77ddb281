#pragma once
// GPUs that az_plan can plan for without having one. Everything here is assumed: taken from data
// sheets and from what drivers report, measured on none of them by us.

#include <span>
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

std::span<const KnownCard> KnownCards();

// The card of this name, or null. "rtx4070" also stands for the first card of that model.
const KnownCard* FindCard(std::string_view name);

// The card that a driver's name ("NVIDIA GeForce RTX 4070") speaks of, or null. The longest match.
const KnownCard* CardOfDriverName(std::string_view name);

// "gtx1650-4GB, rtx2060-6GB, …", for messages.
std::string KnownCardNames();

}  // namespace az
