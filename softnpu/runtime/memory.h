// SPDX-License-Identifier: Apache-2.0
// Device and pinned host memory. A device address carries a tag bit (kDeviceTag) so that host code
// which dereferences it faults at once; resolve() checks an address against live allocations and
// strips the tag. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>

namespace npu::runtime {

class Device;

constexpr uintptr_t kDeviceTag = uintptr_t{1} << 52;
constexpr size_t kDeviceAlignment = 512;  // of every allocation

inline bool is_device_address(const void* p) {
  return (reinterpret_cast<uintptr_t>(p) & kDeviceTag) != 0;
}

/// Host pointer for `bytes` bytes at device (or pinned host) address `address`. Throws base::Error
/// that names `what` (e.g. "self") when the range is not inside one live allocation. bytes == 0
/// always succeeds. Thread-safe; does not take a lock that an allocation holds for long.
std::byte* resolve(const void* address, size_t bytes, const char* what);

/// Device memory of `device`, aligned to kDeviceAlignment. Throws ACL_ERROR_RT_PARAM_INVALID for 0
/// bytes, ACL_ERROR_RT_MEMORY_ALLOCATION when the HBM or the host behind it cannot hold it.
void* allocate(Device& device, size_t bytes);
/// Completes every pending node that touches the memory, then frees it. Throws for an address that
/// is not the start of a live allocation.
void release(void* address);

/// Pinned host memory: page-aligned, read by asynchronous copies in stream order.
void* allocate_host(size_t bytes);
void release_host(void* address);
/// Makes memory of the client's pinned (and back). The range must not overlap a registered one.
void register_host(void* address, size_t bytes);
void unregister_host(void* address);

enum class MemoryKind : uint8_t { kUnregistered, kHost, kDevice };
/// What an address points into; `base` as the allocation was handed out, tag included.
struct MemoryInfo {
  MemoryKind kind = MemoryKind::kUnregistered;
  int device = -1;
  uintptr_t base = 0;
  size_t bytes = 0;
};
MemoryInfo memory_at(const void* address);

}  // namespace npu::runtime
