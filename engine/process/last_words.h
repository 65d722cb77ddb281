#pragma once
// What a child wrote to the run's log before it died without an ErrorMessage: the dynamic linker's
// complaint, an abort's, a library's. Spares the person a look into the log.

#include <cstdint>
#include <string>
#include <string_view>

namespace az {

// 0 when `fd` is no file.
std::int64_t FileSize(int fd);

// The newest line, of those that the log got after byte `from`, that is an error of `who` or was
// written past our Log (by a library, the linker); at most 300 bytes of it. Empty when there is
// none, or `log_fd` cannot be read. Other processes write there too: it is a hint for a person.
std::string LastWords(int log_fd, std::int64_t from, std::string_view who);

}  // namespace az
