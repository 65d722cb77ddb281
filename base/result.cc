#include "base/result.h"

namespace az {

std::string_view ErrcName(Errc code) {
  switch (code) {
    case Errc::kInvalid:
      return "invalid";
    case Errc::kNotFound:
      return "not_found";
    case Errc::kIo:
      return "io";
    case Errc::kNoSpace:
      return "no_space";
    case Errc::kCorrupt:
      return "corrupt";
    case Errc::kIncompatible:
      return "incompatible";
    case Errc::kTimeout:
      return "timeout";
    case Errc::kPeerGone:
      return "peer_gone";
    case Errc::kNoMemory:
      return "no_memory";
    case Errc::kUnavailable:
      return "unavailable";
    case Errc::kBusy:
      return "busy";
    case Errc::kNoModel:
      return "no_model";
    case Errc::kNotFinite:
      return "not_finite";
    case Errc::kStopped:
      return "stopped";
  }
  return "unknown";
}

Errc ErrcFromName(std::string_view name) {
  for (int code = 0; code <= static_cast<int>(Errc::kStopped); ++code) {
    if (ErrcName(static_cast<Errc>(code)) == name) return static_cast<Errc>(code);
  }
  return Errc::kIo;
}

Error WithContext(std::string_view context, Error error) {
  error.message = std::string(context) + ": " + error.message;
  return error;
}

}  // namespace az
