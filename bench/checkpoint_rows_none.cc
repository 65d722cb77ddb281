#include "base/strings.h"
#include "bench/checkpoint_rows.h"

namespace az {

Result<AnswerRows> LoadCheckpointRows(const std::filesystem::path& file, const GameInfo&) {
  return Error{Errc::kUnavailable,
               StrCat("load ", file.string(), ": this build has no LibTorch (AZ_WITH_TORCH)")};
}

}  // namespace az
