// SPDX-License-Identifier: Apache-2.0
#include "softnpu/runtime/device.h"

#include <algorithm>
#include <array>
#include <mutex>

#include "acl/acl_error.h"
#include "softnpu/base/abi.h"
#include "softnpu/base/error.h"
#include "softnpu/base/options.h"
#include "softnpu/runtime/arena.h"
#include "softnpu/runtime/executor.h"
#include "softnpu/runtime/tables.h"

namespace npu::runtime {
namespace {

constexpr int kMaxDevices = 64;  // as SOFTNPU_DEVICES
std::mutex devices_mutex;
std::array<std::atomic<Device*>, kMaxDevices> devices{};  // made at first use, see Note [Exit]

int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now().time_since_epoch())
      .count();
}

size_t hbm_bytes() {
  const int64_t chosen = base::options().hbm_bytes;
  return static_cast<size_t>(chosen > 0 ? chosen : base::soc().hbm_bytes);
}

}  // namespace

Timeout timeout_of(int32_t milliseconds) {
  if (milliseconds < -1) {
    base::fail(ACL_ERROR_RT_PARAM_INVALID, "time-out ", milliseconds,
               " ms: expected -1 (wait for ever) or a number of milliseconds");
  }
  if (milliseconds == -1) return {};
  return std::chrono::milliseconds(milliseconds);
}

Device::Device(int id, int physical_id)
    : id_(id),
      physical_id_(physical_id),
      arena_(std::make_unique<Arena>(id, physical_id, hbm_bytes(), counters_)),
      executor_(std::make_unique<Executor>(*this)),
      sampled_at_ns_(now_ns()) {}

Device::~Device() = default;

bool Device::synchronize(Timeout timeout) {
  const Deadline deadline = timeout ? Deadline(Clock::now() + *timeout) : Deadline();
  for (Stream* stream : executor_->streams()) {
    if (!executor_->wait(*stream, executor_->position(*stream), deadline)) return false;
  }
  executor_->throw_any_error();
  return true;
}

bool Device::abort(Timeout timeout) {
  const Deadline deadline = timeout ? Deadline(Clock::now() + *timeout) : Deadline();
  const std::vector<Stream*> streams = executor_->streams();
  for (Stream* stream : streams) executor_->drop(*stream);
  return std::all_of(streams.begin(), streams.end(), [&](Stream* stream) {
    return executor_->wait(*stream, executor_->position(*stream), deadline);
  });
}

Stream& Device::transfer_stream() {
  if (Stream* stream = transfer_stream_.load(std::memory_order_acquire)) return *stream;
  std::lock_guard lock(devices_mutex);
  if (!transfer_stream_.load()) transfer_stream_.store(&open_stream(*this, nullptr, 0, 0));
  return *transfer_stream_.load();
}

DeviceMemoryInfo Device::memory() const { return {arena_->available(), arena_->total()}; }

int Device::utilization() {
  const int64_t now = now_ns();
  const int64_t busy = executor_->busy_ns();
  const int64_t elapsed = now - sampled_at_ns_.exchange(now);
  const int64_t worked = busy - sampled_busy_ns_.exchange(busy);
  if (elapsed <= 0) return 0;
  return static_cast<int>(std::clamp<int64_t>(100 * worked / elapsed, 0, 100));
}

int device_count() {
  const base::Options& options = base::options();
  if (!options.error.empty()) base::fail(ACL_ERROR_INVALID_PARAM, options.error);
  return static_cast<int>(options.visible.size());
}

Device& device_at(int id) {
  const int count = device_count();
  if (id < 0 || id >= count) {
    if (count == 0) base::fail(ACL_ERROR_RT_NO_DEVICE, "no NPU is visible");
    base::fail(ACL_ERROR_RT_INVALID_DEVICEID, "device ", id, " does not exist; valid ids are 0 to ",
               count - 1);
  }
  if (Device* device = devices[id].load(std::memory_order_acquire)) return *device;
  std::lock_guard lock(devices_mutex);
  Device* device = devices[id].load();
  if (!device) {
    base::mark_fork_unsafe();
    device = new Device(id, base::options().visible[id]);
    devices[id].store(device, std::memory_order_release);
  }
  return *device;
}

std::vector<Device*> devices_in_use() {
  std::vector<Device*> used;
  for (const std::atomic<Device*>& slot : devices) {
    if (Device* device = slot.load(std::memory_order_acquire)) used.push_back(device);
  }
  return used;
}

}  // namespace npu::runtime
