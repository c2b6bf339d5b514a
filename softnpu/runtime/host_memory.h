// SPDX-License-Identifier: Apache-2.0
// HostMemory: which host ranges are pinned, i.e. may be read in stream order without a snapshot.
// Ours are allocated here; the client's are registered. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <shared_mutex>

namespace npu::runtime {

struct HostRange {
  uintptr_t begin = 0;
  size_t bytes = 0;  // 0 = none
};

class HostMemory {
 public:
  void* allocate(size_t bytes);
  void release(void* address);
  void add(void* address, size_t bytes);
  void remove(void* address);
  /// Frees ours, forgets the client's.
  void reset();

  HostRange find(uintptr_t address) const;
  /// The block that starts at `address`; throws unless allocate() made it.
  HostRange require_owned(const void* address) const;
  /// The same for add().
  HostRange require_registered(const void* address) const;

 private:
  struct Block {
    size_t bytes;
    bool owned;
  };
  HostRange require(const void* address, bool owned) const;

  mutable std::shared_mutex mutex_;
  std::map<uintptr_t, Block> blocks_;
};

HostMemory& host_memory();

}  // namespace npu::runtime
