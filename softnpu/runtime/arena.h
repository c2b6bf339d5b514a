// SPDX-License-Identifier: Apache-2.0
// Arena: the memory of one device, one reserved address range from which allocations are cut.
// Pages are backed at first touch, stay when their range is freed, and are reused best-fit, since
// fresh pages are slow. Forked children do not get the range. Any thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <shared_mutex>
#include <utility>

#include "softnpu/runtime/counters.h"
#include "softnpu/runtime/shared_slots.h"

namespace npu::runtime {

class Arena {
 public:
  /// Reserves at the first allocation. `physical` names the device among the user's processes,
  /// which share its memory.
  Arena(int device, int physical, size_t total, Counters& counters);
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  /// Host address (without the tag). Throws ACL_ERROR_RT_MEMORY_ALLOCATION.
  std::byte* allocate(size_t bytes);
  /// `address` starts a live allocation.
  void release(std::byte* address);
  /// Frees everything.
  void reset();

  struct Range {
    uintptr_t begin = 0;
    size_t bytes = 0;  // 0 = none
  };
  /// The live allocation around a host address.
  Range find(uintptr_t address) const;
  bool owns(uintptr_t address) const;

  size_t total() const { return total_; }
  size_t available() const;

 private:
  struct FreeRange {
    size_t bytes;
    bool backed;  // its pages may hold host memory that the budget counts
  };
  using FreeMap = std::map<uintptr_t, FreeRange>;
  using SizeKey = std::pair<size_t, uintptr_t>;

  void reserve();
  uintptr_t take(size_t bytes);
  uintptr_t take_free(size_t bytes, bool backed);
  uintptr_t take_fresh(size_t bytes);
  void give(uintptr_t begin, FreeRange range);
  void insert_free(uintptr_t begin, FreeRange range);
  FreeMap::iterator erase_free(FreeMap::iterator it);
  void trim(uintptr_t begin, size_t bytes);
  bool trim_all();
  void set_allocated(size_t bytes);
  bool fits() const;
  [[noreturn]] void out_of_memory(size_t bytes, const char* why) const;

  const int device_;
  const size_t total_;
  Counters& counters_;
  mutable SharedSlots taken_;  // bytes allocated, by process
  mutable std::shared_mutex mutex_;
  std::atomic<uintptr_t> base_{0};
  size_t reserved_ = 0;
  size_t fresh_ = 0;     // offset of what was never handed out
  size_t writable_ = 0;  // offset up to which pages may be touched
  size_t allocated_ = 0;
  size_t retained_ = 0;  // bytes of backed free ranges
  std::map<uintptr_t, size_t> live_;
  FreeMap free_;
  std::set<SizeKey> by_size_[2];  // [backed]
};

}  // namespace npu::runtime
