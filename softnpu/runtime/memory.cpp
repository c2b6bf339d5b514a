// SPDX-License-Identifier: Apache-2.0
#include "softnpu/runtime/memory.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <map>
#include <mutex>
#include <shared_mutex>

#include "acl/acl_error.h"
#include "softnpu/base/error.h"
#include "softnpu/runtime/arena.h"
#include "softnpu/runtime/device.h"
#include "softnpu/runtime/executor.h"
#include "softnpu/runtime/host_budget.h"
#include "softnpu/runtime/host_memory.h"
#include "softnpu/runtime/pending.h"
#include "softnpu/runtime/runtime.h"

namespace npu::runtime {
namespace {

// Grows whenever an allocation ends; what threads remember about addresses is void then.
std::atomic<uint64_t> epoch{1};

// A live allocation, as addresses are handed out (device ones with their tag).
struct Known {
  uintptr_t begin;
  size_t bytes;
  uint64_t epoch;  // 0 = empty
};
constexpr size_t kKnown = 64;
thread_local std::array<Known, kKnown> known{};  // by 2 MiB granule: allocators cut such blocks

Arena* arena_of(uintptr_t host_address) {
  for (Device* device : devices_in_use()) {
    if (device->arena().owns(host_address)) return &device->arena();
  }
  return nullptr;
}

// The live allocation around an address; `bytes` is 0 if there is none.
Known look_up(uintptr_t address) {
  const uint64_t now = epoch.load(std::memory_order_acquire);
  if ((address & kDeviceTag) != 0) {
    const Arena* arena = arena_of(address & ~kDeviceTag);
    const Arena::Range range = arena ? arena->find(address & ~kDeviceTag) : Arena::Range{};
    return {range.begin | kDeviceTag, range.bytes, now};
  }
  const HostRange range = host_memory().find(address);
  return {range.begin, range.bytes, now};
}

[[noreturn]] void refuse(uintptr_t address, size_t bytes, const char* what, const Known& around) {
  constexpr int kCode = ACL_ERROR_RT_PARAM_INVALID;
  if (address == 0) base::fail(kCode, what, " is a null address, but ", bytes, " bytes are used");
  if (around.bytes > 0) {
    base::fail(kCode, what, " uses ", bytes, " bytes from byte ", address - around.begin,
               " of an allocation of ", around.bytes, " bytes");
  }
  if ((address & kDeviceTag) != 0) {
    base::fail(kCode, what, " is a device address, but not in a live allocation (was it freed?)");
  }
  base::fail(kCode, what, " is neither device memory nor pinned host memory");
}

}  // namespace

std::byte* resolve(const void* pointer, size_t bytes, const char* what) {
  const auto address = reinterpret_cast<uintptr_t>(pointer);
  auto* const host = reinterpret_cast<std::byte*>(address & ~kDeviceTag);
  if (bytes == 0) return host;
  Known& entry = known[(address >> 21) % kKnown];
  if (entry.epoch != epoch.load(std::memory_order_acquire) || address < entry.begin ||
      address - entry.begin >= entry.bytes) [[unlikely]] {
    entry = look_up(address);
  }
  if (entry.bytes == 0 || bytes > entry.bytes - (address - entry.begin)) [[unlikely]] {
    refuse(address, bytes, what, entry);
  }
  return host;
}

void* allocate(Device& device, size_t bytes) {
  require_usable();
  if (bytes == 0) base::fail(ACL_ERROR_RT_PARAM_INVALID, "cannot allocate 0 bytes");
  const auto host = reinterpret_cast<uintptr_t>(device.arena().allocate(bytes));
  return reinterpret_cast<void*>(host | kDeviceTag);
}

void release(void* pointer) {
  require_usable();
  const auto address = reinterpret_cast<uintptr_t>(pointer);
  const Known block = look_up(address);
  if (!is_device_address(pointer) || block.bytes == 0 || block.begin != address) {
    base::fail(ACL_ERROR_RT_PARAM_INVALID, address == 0 ? "the address is null"
                                           : is_device_address(pointer)
                                               ? "not the start of a live allocation; was it freed?"
                                               : "not a device address");
  }
  const uintptr_t host = address & ~kDeviceTag;
  complete_pending({{host, host + block.bytes, true}});
  epoch.fetch_add(1, std::memory_order_acq_rel);
  arena_of(host)->release(reinterpret_cast<std::byte*>(host));
}

MemoryInfo memory_at(const void* pointer) {
  const auto address = reinterpret_cast<uintptr_t>(pointer);
  const Known block = look_up(address);
  if (block.bytes == 0) return {};
  if (!is_device_address(pointer)) return {MemoryKind::kHost, -1, block.begin, block.bytes};
  for (Device* device : devices_in_use()) {
    if (device->arena().owns(address & ~kDeviceTag)) {
      return {MemoryKind::kDevice, device->id(), block.begin, block.bytes};
    }
  }
  return {};
}

void* allocate_host(size_t bytes) {
  require_usable();
  if (bytes == 0) base::fail(ACL_ERROR_RT_PARAM_INVALID, "cannot allocate 0 bytes");
  return host_memory().allocate(bytes);
}

void release_host(void* address) {
  require_usable();
  const HostRange range = host_memory().require_owned(address);
  complete_pending({{range.begin, range.begin + range.bytes, true}});
  epoch.fetch_add(1, std::memory_order_acq_rel);
  host_memory().release(address);
}

void register_host(void* address, size_t bytes) {
  require_usable();
  host_memory().add(address, bytes);
}

void unregister_host(void* address) {
  require_usable();
  const HostRange range = host_memory().require_registered(address);
  complete_pending({{range.begin, range.begin + range.bytes, true}});
  epoch.fetch_add(1, std::memory_order_acq_rel);
  host_memory().remove(address);
}

void forget_addresses() { epoch.fetch_add(1, std::memory_order_acq_rel); }

void complete_pending(std::initializer_list<Region> touched) {
  for (Device* device : devices_in_use()) {
    device->executor().complete({touched.begin(), touched.size()});
  }
}

}  // namespace npu::runtime
