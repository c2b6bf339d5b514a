// SPDX-License-Identifier: Apache-2.0
// What a device did, counted where it happens. Read by softnpuGetCounter and npu-smi.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

namespace npu::runtime {

class Device;

struct Counters {
  std::atomic<int64_t> nodes_run{0};
  std::atomic<int64_t> nodes_failed{0};
  std::atomic<int64_t> nodes_skipped{0};  // because a result that they need failed
  std::atomic<int64_t> windows_rewritten{0};
  std::atomic<int64_t> bytes_copied{0};
  std::atomic<int64_t> allocations{0};      // device memory, ever
  std::atomic<int64_t> allocated_bytes{0};  // device memory, now
};

/// Sum over the devices that this process used of the counter with that name: a member above, or
/// "busy_ns", the time during which executors had something to run. Throws ACL_ERROR_INVALID_PARAM
/// listing the names for any other.
int64_t counter(std::string_view name);
/// The same for one device that was used.
int64_t counter(std::string_view name, Device& device);

}  // namespace npu::runtime
