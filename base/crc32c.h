#pragma once
// CRC-32C (Castagnoli, polynomial 0x1EDC6F41 reflected), as in iSCSI (RFC 3720) and ext4. Check
// value of "123456789": 0xE3069283.

#include <cstddef>
#include <cstdint>
#include <span>

namespace az {

// Extend(Crc32c(a), b) is the checksum of a followed by b.
std::uint32_t Crc32cExtend(std::uint32_t crc, std::span<const std::byte> bytes);
inline std::uint32_t Crc32c(std::span<const std::byte> bytes) { return Crc32cExtend(0, bytes); }

}  // namespace az
