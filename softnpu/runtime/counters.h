// SPDX-License-Identifier: Apache-2.0
// What a device did, counted where it happens. Read by softnpuGetCounter and npu-smi.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

namespace npu::runtime {

struct Counters {
  std::atomic<int64_t> nodes_run{0};
  std::atomic<int64_t> nodes_failed{0};
  std::atomic<int64_t> nodes_skipped{0};  // because a result that they need failed
  std::atomic<int64_t> windows_rewritten{0};
  std::atomic<int64_t> bytes_copied{0};
  std::atomic<int64_t> allocations{0};      // device memory, ever
  std::atomic<int64_t> allocated_bytes{0};  // device memory, now
  std::atomic<int64_t> busy_ns{0};          // the executor had something to run
};

/// Sum over this process' devices of the counter with that name (a member above); throws
/// ACL_ERROR_INVALID_PARAM listing the names for any other.
int64_t counter(std::string_view name);
/// The same for one device id.
int64_t counter(std::string_view name, int device);

}  // namespace npu::runtime
