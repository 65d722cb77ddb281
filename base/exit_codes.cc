#include "base/exit_codes.h"

#include <cstdio>

#include "base/strings.h"

namespace az {

ExitCode ExitCodeFor(Errc code) {
  switch (code) {
    case Errc::kInvalid:
    case Errc::kNotFound:
      return ExitCode::kUsage;
    case Errc::kBusy:
    case Errc::kNoSpace:
    case Errc::kNoMemory:
    case Errc::kUnavailable:
      return ExitCode::kEnvironment;
    case Errc::kCorrupt:
    case Errc::kIncompatible:
      return ExitCode::kIncompatible;
    case Errc::kIo:
    case Errc::kTimeout:
    case Errc::kPeerGone:
    case Errc::kNoModel:
    case Errc::kNotFinite:
    case Errc::kStopped:
      return ExitCode::kFailed;
  }
  return ExitCode::kFailed;
}

int Complain(std::string_view name, const Error& error) {
  std::fputs(StrCat(name, ": ", error.message, "\n").c_str(), stderr);
  return static_cast<int>(ExitCodeFor(error.code));
}

}  // namespace az
