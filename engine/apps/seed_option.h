#pragma once
// The option --seed, which all programs read alike.

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

#include "base/readable.h"
#include "base/strings.h"

namespace az {

// The parser alone would take a number that is too large as 2^64 - 1, and -1 as well.
inline void AddSeedOption(CLI::App& app, std::uint64_t& seed, const std::string& help) {
  app.add_option("--seed", seed, help)->check([](const std::string& text) {
    std::uint64_t number = 0;
    if (ParseUint(text, number)) return std::string();
    return StrCat(Shown(text), " is not an integer from 0 to ", ~std::uint64_t{0});
  });
}

}  // namespace az
