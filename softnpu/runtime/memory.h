// SPDX-License-Identifier: Apache-2.0
// Device memory. A device address carries a tag bit (kDeviceTag) so that host code which
// dereferences it faults at once; resolve() checks an address against live allocations and strips
// the tag.
#pragma once

#include <cstddef>
#include <cstdint>

namespace npu::runtime {

constexpr uintptr_t kDeviceTag = uintptr_t{1} << 52;

inline bool is_device_address(const void* p) {
  return (reinterpret_cast<uintptr_t>(p) & kDeviceTag) != 0;
}

/// Host pointer for `bytes` bytes at device (or pinned host) address `address`. Throws base::Error
/// that names `what` (e.g. "self") when the range is not inside one live allocation. bytes == 0
/// always succeeds. Thread-safe; does not take a lock that an allocation holds for long.
std::byte* resolve(const void* address, size_t bytes, const char* what);

}  // namespace npu::runtime
