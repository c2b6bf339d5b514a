// SPDX-License-Identifier: Apache-2.0
#include "softnpu/runtime/host_memory.h"

#include <cstdlib>
#include <mutex>

#include "acl/acl_error.h"
#include "softnpu/base/error.h"
#include "softnpu/runtime/host_budget.h"

namespace npu::runtime {
namespace {

constexpr size_t kPage = 4096;
constexpr size_t kLargest = size_t{1} << 46;

constexpr size_t whole_pages(size_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

}  // namespace

HostMemory& host_memory() {
  static HostMemory& memory = *new HostMemory;  // never destroyed: see Note [Exit]
  return memory;
}

void* HostMemory::allocate(size_t bytes) {
  const size_t rounded = bytes < kLargest ? whole_pages(bytes) : 0;
  if (rounded == 0 || !host_budget().promise(rounded)) {
    base::fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "the host cannot back ", bytes,
               " bytes of pinned memory (its free memory, or its cgroup's limit)");
  }
  void* address = std::aligned_alloc(kPage, rounded);
  if (!address) {
    host_budget().give_back(rounded);
    base::fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "the host refused ", bytes,
               " bytes of pinned memory");
  }
  std::unique_lock lock(mutex_);
  blocks_.emplace(reinterpret_cast<uintptr_t>(address), Block{bytes, true});
  return address;
}

void HostMemory::release(void* address) {
  std::unique_lock lock(mutex_);
  const auto it = blocks_.find(reinterpret_cast<uintptr_t>(address));
  if (it == blocks_.end() || !it->second.owned) return;  // another thread was first
  host_budget().give_back(whole_pages(it->second.bytes));
  blocks_.erase(it);
  lock.unlock();
  std::free(address);
}

void HostMemory::add(void* address, size_t bytes) {
  const auto begin = reinterpret_cast<uintptr_t>(address);
  if (begin == 0 || bytes == 0 || begin + bytes < begin) {
    base::fail(ACL_ERROR_RT_PARAM_INVALID, "a host range to register must not be null or empty");
  }
  std::unique_lock lock(mutex_);
  const auto next = blocks_.lower_bound(begin);
  const bool meets_next = next != blocks_.end() && next->first < begin + bytes;
  const bool meets_previous =
      next != blocks_.begin() && std::prev(next)->first + std::prev(next)->second.bytes > begin;
  if (meets_next || meets_previous) {
    base::fail(ACL_ERROR_RT_PARAM_INVALID,
               "the host range overlaps pinned memory; unregister or free that first");
  }
  blocks_.emplace(begin, Block{bytes, false});
}

void HostMemory::remove(void* address) {
  std::unique_lock lock(mutex_);
  const auto it = blocks_.find(reinterpret_cast<uintptr_t>(address));
  if (it != blocks_.end() && !it->second.owned) blocks_.erase(it);
}

void HostMemory::reset() {
  std::unique_lock lock(mutex_);
  for (const auto& [begin, block] : blocks_) {
    if (!block.owned) continue;
    host_budget().give_back(whole_pages(block.bytes));
    std::free(reinterpret_cast<void*>(begin));
  }
  blocks_.clear();
}

HostRange HostMemory::find(uintptr_t address) const {
  std::shared_lock lock(mutex_);
  auto it = blocks_.upper_bound(address);
  if (it == blocks_.begin()) return {};
  --it;
  if (address - it->first >= it->second.bytes) return {};
  return {it->first, it->second.bytes};
}

HostRange HostMemory::require(const void* address, bool owned) const {
  std::shared_lock lock(mutex_);
  const auto it = blocks_.find(reinterpret_cast<uintptr_t>(address));
  if (address == nullptr || it == blocks_.end() || it->second.owned != owned) {
    base::fail(ACL_ERROR_RT_PARAM_INVALID,
               owned ? "not the start of live memory from aclrtMallocHost; was it freed?"
                     : "not the start of a registered host range");
  }
  return {it->first, it->second.bytes};
}

HostRange HostMemory::require_owned(const void* address) const { return require(address, true); }

HostRange HostMemory::require_registered(const void* address) const {
  return require(address, false);
}

}  // namespace npu::runtime
