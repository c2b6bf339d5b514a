// SPDX-License-Identifier: Apache-2.0
#include "torchtitan_npu/csrc/core/device.h"

#include <pthread.h>

#include <algorithm>
#include <mutex>

#include "torchtitan_npu/csrc/core/check.h"
#include "torchtitan_npu/csrc/core/library.h"
#include "torchtitan_npu/csrc/core/options.h"
#include "torchtitan_npu/csrc/core/wait.h"

namespace torchtitan_npu {
namespace detail {

constinit std::atomic<bool> ready{false};

ThreadState& thread_state() noexcept {
  static constinit thread_local ThreadState state;
  return state;
}

}  // namespace detail

namespace {

constinit std::mutex initialize_mutex;
constinit std::atomic<bool> forked{false};
constinit std::atomic<uint64_t> used_devices{0};
constinit std::atomic<int> counted_devices{-1};

// Only the forking thread lives on in the child, so its thread_local is the only one to reset.
void after_fork_in_child() {
  if (!detail::ready.load(std::memory_order_relaxed)) return;
  forked.store(true, std::memory_order_relaxed);
  detail::ready.store(false, std::memory_order_release);
  detail::thread_state().bound = -1;
}

int count_devices() {
  uint32_t count = 0;
  NPU_CHECK(FN(aclrtGetDeviceCount)(&count));
  return static_cast<int>(std::min<uint32_t>(count, kMaxDevices));
}

}  // namespace

namespace detail {

void initialize_slow() {
  TORCH_CHECK(!in_bad_fork(),
              "Cannot use NPU in a forked subprocess: it was initialised in the parent before the "
              "fork. To use NPU with multiprocessing, use the 'spawn' start method "
              "(torch.multiprocessing.set_start_method(\"spawn\")).",
              error_suffix(ErrorCode::kNotSupported));
  const std::lock_guard<std::mutex> lock(initialize_mutex);
  if (ready.load(std::memory_order_relaxed)) return;
  const int status = FN(aclInit)(nullptr);
  // Somebody else in the process may use CANN as well.
  if (status != ACL_ERROR_REPEAT_INITIALIZE) NPU_CHECK(status);
  pthread_atfork(nullptr, nullptr, after_fork_in_child);
  ready.store(true, std::memory_order_release);
}

void bind_device_slow(c10::DeviceIndex device) {
  ensure_initialized();
  check_device_index(device);
  NPU_CHECK(FN(aclrtSetDevice)(device));
  thread_state().bound = device;
  used_devices.fetch_or(uint64_t{1} << device, std::memory_order_relaxed);
}

}  // namespace detail

bool in_bad_fork() noexcept { return forked.load(std::memory_order_relaxed); }

c10::DeviceIndex device_count() noexcept {
  int count = counted_devices.load(std::memory_order_relaxed);
  if (count >= 0) return static_cast<c10::DeviceIndex>(count);
  if (!cann_usable()) return 0;
  try {
    count = count_devices();
  } catch (const std::exception&) {
    return 0;  // why_unavailable() asks again and keeps the text
  }
  counted_devices.store(count, std::memory_order_relaxed);
  return static_cast<c10::DeviceIndex>(count);
}

std::string why_unavailable() noexcept {
  if (device_count() > 0) return "";
  std::string why;
  if (!cann_usable(&why)) return why;
  try {
    count_devices();
    return "the CANN in " + cann().library_folder + " finds no device";
  } catch (const c10::Error& error) {
    return error.what_without_backtrace();
  } catch (const std::exception& error) {
    return error.what();
  }
}

void check_device_index(c10::DeviceIndex device) {
  const int count = device_count();
  TORCH_CHECK(count > 0, "No NPU is available: ", why_unavailable(),
              error_suffix(ErrorCode::kUnavailable));
  TORCH_CHECK(device >= 0 && device < count, "Invalid NPU device index ", static_cast<int>(device),
              ": this process sees ", count, " NPU(s), so the index must be in [0, ", count - 1,
              "].", error_suffix(ErrorCode::kParameter));
}

c10::DeviceIndex current_device() noexcept { return detail::thread_state().chosen; }

void set_device(c10::DeviceIndex device) { exchange_device(device); }

c10::DeviceIndex exchange_device(c10::DeviceIndex device) {
  detail::ThreadState& thread = detail::thread_state();
  const c10::DeviceIndex previous = thread.chosen;
  if (C10_LIKELY(previous == device)) return previous;
  check_device_index(device);
  thread.chosen = device;
  return previous;
}

c10::DeviceIndex maybe_exchange_device(c10::DeviceIndex device) {
  return device < 0 ? current_device() : exchange_device(device);
}

bool has_primary_context(c10::DeviceIndex device) noexcept {
  if (device < 0 || device >= kMaxDevices) return false;
  return (used_devices.load(std::memory_order_relaxed) >> device & 1) != 0;
}

void synchronize_device(c10::DeviceIndex device) {
  if (device < 0) device = current_device();
  check_device_index(device);
  DeviceScope scope(device);
  wait_in_slices([](int32_t milliseconds) {
    const int status = FN(aclrtSynchronizeDeviceWithTimeout)(milliseconds);
    if (is_timeout(status)) return false;
    if (status != ACL_SUCCESS) throw_acl_error(status, "FN(aclrtSynchronizeDevice)", NPU_HERE);
    return true;
  });
}

DeviceProperties device_properties(c10::DeviceIndex device) {
  check_device_index(device);
  DeviceScope scope(device);
  const auto attribute = [&](aclrtDevAttr which) -> int64_t {
    int64_t value = 0;
    const auto get = FN_OPTIONAL(aclrtGetDeviceInfo);
    return get != nullptr && get(device, which, &value) == ACL_SUCCESS ? value : 0;
  };
  DeviceProperties properties;
  const char* name = FN(aclrtGetSocName)();
  properties.name = name == nullptr ? "unknown" : name;
  size_t free_memory = 0;
  size_t total_memory = 0;
  NPU_CHECK(FN(aclrtGetMemInfo)(ACL_HBM_MEM, &free_memory, &total_memory));
  properties.total_memory = static_cast<int64_t>(total_memory);
  properties.l2_cache_size = attribute(ACL_DEV_ATTR_L2_CACHE_SIZE);
  properties.cube_core_num = static_cast<int>(attribute(ACL_DEV_ATTR_CUBE_CORE_NUM));
  properties.vector_core_num = static_cast<int>(attribute(ACL_DEV_ATTR_VECTOR_CORE_NUM));
  properties.aicpu_core_num = static_cast<int>(attribute(ACL_DEV_ATTR_AICPU_CORE_NUM));
  return properties;
}

bool supports_bfloat16() {
  bind_device();
  // CANNs that cannot be asked are older than chips without an answer: all of them have it.
  const auto ask = FN_OPTIONAL(aclGetCannAttribute);
  int32_t value = 1;
  return ask == nullptr || ask(ACL_CANN_ATTR_BF16, &value) != ACL_SUCCESS || value != 0;
}

bool can_access_peer(c10::DeviceIndex device, c10::DeviceIndex peer) {
  check_device_index(device);
  check_device_index(peer);
  if (device == peer) return false;
  DeviceScope scope(device);
  int32_t can = 0;
  NPU_CHECK(FN(aclrtDeviceCanAccessPeer)(&can, device, peer));
  return can != 0;
}

}  // namespace torchtitan_npu
