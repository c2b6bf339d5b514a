// SPDX-License-Identifier: Apache-2.0
#include "softnpu/runtime/arena.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <vector>

#include "acl/acl_error.h"
#include "softnpu/base/error.h"
#include "softnpu/runtime/host_budget.h"
#include "softnpu/runtime/memory.h"

namespace npu::runtime {
namespace {

constexpr size_t kHugePage = size_t{2} << 20;
constexpr size_t kWritableStep = size_t{256} << 20;
constexpr size_t kRetain = size_t{1} << 30;  // backed free bytes kept; beyond, pages go back

constexpr size_t round_up(size_t bytes, size_t step) { return (bytes + step - 1) / step * step; }

}  // namespace

Arena::Arena(int device, int physical, size_t total, Counters& counters)
    : device_(device),
      total_(total),
      counters_(counters),
      taken_("device" + std::to_string(physical)) {}

Arena::~Arena() {
  if (base_ != 0) munmap(reinterpret_cast<void*>(base_.load()), reserved_);
}

// Twice the device's memory, so that holes between allocations cost addresses, not capacity.
void Arena::reserve() {
  const size_t bytes = round_up(2 * total_, kHugePage);
  void* range = mmap(nullptr, bytes + kHugePage, PROT_NONE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (range == MAP_FAILED) {
    base::fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "cannot reserve ", bytes,
               " bytes of addresses for device ", device_, ": ", std::strerror(errno),
               "; a smaller SOFTNPU_HBM or a higher address space limit (ulimit -v) helps");
  }
  const auto begin = reinterpret_cast<uintptr_t>(range);
  const uintptr_t aligned = round_up(begin, kHugePage);
  madvise(range, bytes + kHugePage, MADV_DONTFORK);
  madvise(range, bytes + kHugePage, MADV_HUGEPAGE);  // a wish; absent is fine
  if (aligned > begin) munmap(range, aligned - begin);
  if (const size_t rest = begin + kHugePage - aligned; rest > 0) {
    munmap(reinterpret_cast<void*>(aligned + bytes), rest);
  }
  reserved_ = bytes;
  base_.store(aligned, std::memory_order_release);
}

std::byte* Arena::allocate(size_t bytes) {
  if (bytes > total_) out_of_memory(bytes, "more than the device has");
  const size_t rounded = round_up(bytes, kDeviceAlignment);
  std::unique_lock lock(mutex_);
  if (base_ == 0) reserve();
  // Announced before it is checked: of two processes that want the last bytes, at most one gets
  // them.
  set_allocated(allocated_ + rounded);
  const bool room = fits();
  const uintptr_t begin = room ? take(rounded) : 0;
  if (begin == 0) {
    set_allocated(allocated_ - rounded);
    if (!room) out_of_memory(bytes, "the device is full");
    out_of_memory(bytes, "the host cannot back it (its free memory, or its cgroup's limit)");
  }
  live_.emplace(begin, rounded);
  counters_.allocations.fetch_add(1, std::memory_order_relaxed);
  return reinterpret_cast<std::byte*>(begin);
}

uintptr_t Arena::take(size_t bytes) {
  if (const uintptr_t begin = take_free(bytes, true)) return begin;  // warm pages first
  if (!host_budget().promise(bytes)) {
    // Free ranges hold pages that nobody uses: return those to the host and ask again.
    if (!trim_all() || !host_budget().promise(bytes)) return 0;
  }
  if (const uintptr_t begin = take_free(bytes, false)) return begin;
  if (const uintptr_t begin = take_fresh(bytes)) return begin;
  // Out of addresses: join the holes, warm and cold, and look once more.
  if (trim_all()) {
    if (const uintptr_t begin = take_free(bytes, false)) return begin;
  }
  host_budget().give_back(bytes);
  return 0;
}

uintptr_t Arena::take_free(size_t bytes, bool backed) {
  const auto fit = by_size_[backed].lower_bound({bytes, 0});
  if (fit == by_size_[backed].end()) return 0;
  const uintptr_t begin = fit->second;
  const size_t rest = fit->first - bytes;
  erase_free(free_.find(begin));
  if (rest > 0) insert_free(begin + bytes, {rest, backed});
  return begin;
}

uintptr_t Arena::take_fresh(size_t bytes) {
  if (bytes > reserved_ - fresh_) return 0;
  if (fresh_ + bytes > writable_) {
    const size_t end = std::min(round_up(fresh_ + bytes, kWritableStep), reserved_);
    if (mprotect(reinterpret_cast<void*>(base_ + writable_), end - writable_,
                 PROT_READ | PROT_WRITE) != 0) {
      return 0;  // strict overcommit: the kernel refuses to promise it
    }
    writable_ = end;
  }
  const uintptr_t begin = base_ + fresh_;
  fresh_ += bytes;
  return begin;
}

void Arena::release(std::byte* address) {
  const auto begin = reinterpret_cast<uintptr_t>(address);
  std::unique_lock lock(mutex_);
  const auto it = live_.find(begin);
  if (it == live_.end()) {
    base::fail(ACL_ERROR_RT_PARAM_INVALID, "the address is not the start of a live allocation");
  }
  const size_t bytes = it->second;
  live_.erase(it);
  set_allocated(allocated_ - bytes);
  give(begin, {bytes, true});
}

// Back among the free ranges, joined with neighbours of its kind.
void Arena::give(uintptr_t begin, FreeRange range) {
  if (range.backed && retained_ + range.bytes > kRetain) {
    trim(begin, range.bytes);
    range.backed = false;
  }
  auto next = free_.lower_bound(begin);
  if (next != free_.end() && next->first == begin + range.bytes &&
      next->second.backed == range.backed) {
    range.bytes += next->second.bytes;
    next = erase_free(next);
  }
  if (next != free_.begin()) {
    const auto previous = std::prev(next);
    if (previous->first + previous->second.bytes == begin &&
        previous->second.backed == range.backed) {
      begin = previous->first;
      range.bytes += previous->second.bytes;
      erase_free(previous);
    }
  }
  insert_free(begin, range);
}

void Arena::insert_free(uintptr_t begin, FreeRange range) {
  free_.emplace(begin, range);
  by_size_[range.backed].emplace(range.bytes, begin);
  if (range.backed) retained_ += range.bytes;
}

Arena::FreeMap::iterator Arena::erase_free(FreeMap::iterator it) {
  by_size_[it->second.backed].erase({it->second.bytes, it->first});
  if (it->second.backed) retained_ -= it->second.bytes;
  return free_.erase(it);
}

// Whole pages go back to the host; the budget forgets all of the range, edges included.
void Arena::trim(uintptr_t begin, size_t bytes) {
  static const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const uintptr_t first = round_up(begin, page);
  const uintptr_t last = (begin + bytes) / page * page;
  if (last > first) madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
  host_budget().give_back(bytes);
}

bool Arena::trim_all() {
  if (retained_ == 0) return false;
  std::vector<std::pair<uintptr_t, size_t>> backed;
  for (const auto& [begin, range] : free_) {
    if (range.backed) backed.emplace_back(begin, range.bytes);
  }
  for (const auto& [begin, bytes] : backed) {
    erase_free(free_.find(begin));
    give(begin, {bytes, false});
    trim(begin, bytes);
  }
  return true;
}

void Arena::reset() {
  std::unique_lock lock(mutex_);
  if (base_ == 0) return;
  madvise(reinterpret_cast<void*>(base_.load()), fresh_, MADV_DONTNEED);
  host_budget().give_back(allocated_ + retained_);
  live_.clear();
  free_.clear();
  for (auto& sizes : by_size_) sizes.clear();
  retained_ = fresh_ = 0;
  set_allocated(0);
}

Arena::Range Arena::find(uintptr_t address) const {
  std::shared_lock lock(mutex_);
  auto it = live_.upper_bound(address);
  if (it == live_.begin()) return {};
  --it;
  if (address - it->first >= it->second) return {};
  return {it->first, it->second};
}

bool Arena::owns(uintptr_t address) const {
  const uintptr_t base = base_.load(std::memory_order_acquire);
  return base != 0 && address - base < reserved_;
}

void Arena::set_allocated(size_t bytes) {
  allocated_ = bytes;
  counters_.allocated_bytes.store(static_cast<int64_t>(bytes), std::memory_order_relaxed);
  taken_.mine().store(static_cast<int64_t>(bytes));
}

// Whether all processes' allocations fit; those of processes that were killed are let go of.
bool Arena::fits() const {
  if (static_cast<size_t>(taken_.sum()) <= total_) return true;
  taken_.repair();
  return static_cast<size_t>(taken_.sum()) <= total_;
}

size_t Arena::available() const {
  taken_.repair();
  return total_ - std::min(total_, static_cast<size_t>(taken_.sum()));
}

void Arena::out_of_memory(size_t bytes, const char* why) const {
  base::fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "device ", device_, " cannot allocate ", bytes,
             " bytes: ", why, "; of its ", total_, " bytes, this process uses ", allocated_,
             " and other processes ", static_cast<size_t>(taken_.sum()) - allocated_);
}

}  // namespace npu::runtime
