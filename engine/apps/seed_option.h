#pragma once
// The option --seed, which all programs read in the same way.

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

#include "base/readable.h"
#include "base/strings.h"

namespace az {

// Adds the option with a check, as the parser alone would read -1 and numbers that are too large as
// 2^64 - 1.
inline void AddSeedOption(CLI::App& app, std::uint64_t& seed, const std::string& help) {
  app.add_option("--seed", seed, help)->check([](const std::string& text) {
    std::uint64_t number = 0;
    if (ParseUint(text, number)) return std::string();
    return StrCat(Shown(text), " is not an integer from 0 to ", ~std::uint64_t{0});
  });
}

}  // namespace az
