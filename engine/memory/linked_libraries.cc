#include "engine/memory/linked_libraries.h"

#include <elf.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/strings.h"

namespace az {
namespace {

namespace fs = std::filesystem;

// `count` values at `offset`; none when the file ends before.
template <class T>
std::vector<T> ReadAt(std::ifstream& file, std::uint64_t offset, std::uint64_t count) {
  constexpr std::uint64_t kMost = std::uint64_t{64} << 20;  // a damaged header asks for anything
  if (count > kMost / sizeof(T)) return {};
  std::vector<T> values(count);
  file.clear();
  file.seekg(static_cast<std::streamoff>(offset));
  file.read(reinterpret_cast<char*>(values.data()),
            static_cast<std::streamsize>(count * sizeof(T)));
  if (!file) values.clear();
  return values;
}

struct Dynamic {
  std::vector<std::string> needed;
  std::vector<std::string> folders;
};

Dynamic ReadDynamic(const fs::path& program) {
  std::ifstream file(program, std::ios::binary);
  const std::vector<Elf64_Ehdr> header = ReadAt<Elf64_Ehdr>(file, 0, 1);
  if (header.empty() || std::memcmp(header[0].e_ident, ELFMAG, SELFMAG) != 0) return {};
  if (header[0].e_ident[EI_CLASS] != ELFCLASS64) return {};
  const auto sections = ReadAt<Elf64_Shdr>(file, header[0].e_shoff, header[0].e_shnum);
  Dynamic found;
  for (const Elf64_Shdr& section : sections) {
    if (section.sh_type != SHT_DYNAMIC || section.sh_link >= sections.size()) continue;
    const Elf64_Shdr& strings = sections[section.sh_link];
    std::vector<char> text = ReadAt<char>(file, strings.sh_offset, strings.sh_size);
    text.push_back('\0');
    const auto entries =
        ReadAt<Elf64_Dyn>(file, section.sh_offset, section.sh_size / sizeof(Elf64_Dyn));
    for (const Elf64_Dyn& entry : entries) {
      if (entry.d_un.d_val >= text.size()) continue;
      const std::string value = text.data() + entry.d_un.d_val;
      if (entry.d_tag == DT_NEEDED) found.needed.push_back(value);
      if (entry.d_tag != DT_RUNPATH && entry.d_tag != DT_RPATH) continue;
      for (std::size_t at = 0; at <= value.size();) {
        const std::size_t end = std::min(value.find(':', at), value.size());
        found.folders.push_back(value.substr(at, end - at));
        at = end + 1;
      }
    }
  }
  return found;
}

}  // namespace

std::string LinkedLibraryStamps(const fs::path& program) {
  constexpr std::string_view kOrigin = "$ORIGIN";
  const Dynamic dynamic = ReadDynamic(program);
  std::string stamps;
  for (const std::string& name : dynamic.needed) {
    for (const std::string& folder : dynamic.folders) {
      fs::path path = folder;
      if (folder.starts_with(kOrigin)) {
        path = program.parent_path().string() + folder.substr(kOrigin.size());
      }
      std::error_code no_size;
      std::error_code no_time;
      const auto size = fs::file_size(path / name, no_size);
      const auto time = fs::last_write_time(path / name, no_time);
      if (no_size || no_time) continue;
      stamps += StrCat(stamps.empty() ? "" : ", ", name, " ", size, " bytes of ",
                       time.time_since_epoch().count());
      break;
    }
  }
  return stamps;
}

}  // namespace az
