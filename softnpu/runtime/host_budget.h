// SPDX-License-Identifier: Apache-2.0
// HostBudget: whether the machine can back what the runtime hands out. Memory is promised before it
// is touched; a promise that MemAvailable or the cgroup's limit cannot keep is refused, so that a
// program sees "out of memory" instead of being killed. Any thread.
#pragma once

#include <cstddef>
#include <mutex>

namespace npu::runtime {

/// Bytes that this process could still get: the smaller of the machine's and its cgroups'.
size_t host_available_bytes();

class HostBudget {
 public:
  /// Takes `bytes` more out of the budget; false if the host cannot back them.
  bool promise(size_t bytes);
  /// Gives them back: unmapped, or returned to the kernel.
  void give_back(size_t bytes);

 private:
  std::mutex mutex_;
  size_t promised_ = 0;   // by all arenas and pinned blocks, touched or not
  size_t baseline_ = 0;   // resident bytes before the first of them
  size_t allowance_ = 0;  // checked already: small requests do not read /proc each time
};

HostBudget& host_budget();

}  // namespace npu::runtime
