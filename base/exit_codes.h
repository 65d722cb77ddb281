#pragma once
// Exit codes of every program. 128 + n: ended by signal n.

#include <string_view>

#include "base/result.h"

namespace az {

enum class ExitCode : int {
  kOk = 0,
  kFailed = 1,         // the run failed
  kUsage = 2,          // command line or config
  kEnvironment = 3,    // device, memory, disk, limits
  kIncompatible = 4,   // files of another version, network or game
  kForfeits = 5,       // az_arena: done, but a player crashed, hung or refused a command
  kTryAgain = 75,      // worth a restart (sysexits' EX_TEMPFAIL); internal processes only
  kWrongSegment = 77,  // shared segment of another layout; internal processes only
};

// What a program's main returns for an error that reached it.
ExitCode ExitCodeFor(Errc code);

// Prints "<name>: <message>" to standard error and returns the exit code of that error.
int Complain(std::string_view name, const Error& error);

}  // namespace az
