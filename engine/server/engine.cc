#include "engine/server/engine.h"

#include <pthread.h>

#include <system_error>
#include <utility>

#include "base/strings.h"

namespace az {

Result<std::thread> StartThread(const std::string& name, std::function<void()> body) {
  try {
    std::thread thread(std::move(body));
    ::pthread_setname_np(thread.native_handle(), name.c_str());
    return thread;
  } catch (const std::system_error& refused) {
    return Error{Errc::kUnavailable, StrCat("start thread ", name, ": ", refused.what(),
                                            " (raise ulimit -u, or lower the number of runners)")};
  }
}

}  // namespace az
