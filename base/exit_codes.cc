#include "base/exit_codes.h"

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

}  // namespace az
