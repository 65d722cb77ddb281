#pragma once
// Which files a program's libraries are, as far as the program itself names their folders.

#include <filesystem>
#include <string>

namespace az {

// "libtorch_cpu.so 123 bytes of 456, ...": size and time of each library that the ELF program needs
// and that lies in a folder of its RUNPATH, in the program's order. Empty for what is no 64-bit ELF
// file. Libraries of the system are not among them.
std::string LinkedLibraryStamps(const std::filesystem::path& program);

}  // namespace az
