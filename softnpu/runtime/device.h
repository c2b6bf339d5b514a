// SPDX-License-Identifier: Apache-2.0
// Device: one NPU, made at first use and never destroyed: its memory arena, executor and counters.
// Logical ids count the devices that ASCEND_RT_VISIBLE_DEVICES shows. Any thread.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "softnpu/base/soc.h"
#include "softnpu/runtime/counters.h"

namespace npu::runtime {

class Arena;
class Executor;
class Stream;

/// Empty = for ever.
using Timeout = std::optional<std::chrono::milliseconds>;
/// CANN's time-out arguments: -1 = for ever, else milliseconds; anything below -1 is refused.
Timeout timeout_of(int32_t milliseconds);

struct DeviceMemoryInfo {
  size_t free = 0;   // what other processes' allocations leave, too
  size_t total = 0;  // the chip's HBM or SOFTNPU_HBM
};

class Device {
 public:
  Device(int id, int physical_id);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  int id() const { return id_; }                    // logical, what users pass
  int physical_id() const { return physical_id_; }  // on the machine
  const base::Soc& soc() const { return base::soc(); }

  /// Waits for all streams of the device. False on time-out; throws and clears sticky errors.
  bool synchronize(Timeout timeout = {});
  /// Drops everything that waits in the device's queues; what runs completes. False on time-out.
  bool abort(Timeout timeout = {});
  DeviceMemoryInfo memory() const;
  /// Percent of the time since the previous call during which the executor worked, 0..100.
  int utilization();

  Arena& arena() { return *arena_; }
  Executor& executor() { return *executor_; }
  /// Where synchronous copies run that are worth all workers; of no context.
  Stream& transfer_stream();
  Counters& counters() { return counters_; }

 private:
  const int id_, physical_id_;
  Counters counters_;
  std::unique_ptr<Arena> arena_;
  std::unique_ptr<Executor> executor_;
  std::atomic<Stream*> transfer_stream_{nullptr};
  std::atomic<int64_t> sampled_at_ns_;
  std::atomic<int64_t> sampled_busy_ns_{0};
};

/// Number of visible devices. Does not start anything.
int device_count();
/// The device with a logical id; throws ACL_ERROR_RT_INVALID_DEVICEID naming the valid range.
Device& device_at(int id);
/// Devices that were used so far, for process-wide work.
std::vector<Device*> devices_in_use();

}  // namespace npu::runtime
