#include "engine/fleet/failure_limit.h"

#include "base/strings.h"

namespace az {

Result<void> CheckFailures(std::uint64_t failed, std::uint64_t finished, std::uint64_t bad_rows) {
  if (!TooManyFailedInAll(failed, finished)) return {};
  const std::string what = StrCat(failed, " of ", finished, " games ended without a result");
  if (bad_rows == 0) {
    return Error{Errc::kIo, StrCat(what, ": the server could not answer their positions")};
  }
  return Error{Errc::kNotFinite,
               StrCat(what, ": the network answered ", bad_rows,
                      " positions with numbers that are not finite (a smaller train.lr or "
                      "train.grad_clip, from an earlier checkpoint, may keep it from that)")};
}

}  // namespace az
