// SPDX-License-Identifier: Apache-2.0
// Devices as this process sees them. Choosing a device only writes a thread_local; CANN is started
// and the thread is bound to the device when something on it is first used, so that a guard which
// passes over a device costs nothing and creates nothing. Thread-safe.
#pragma once

#include <c10/core/Device.h>
#include <c10/core/Stream.h>
#include <c10/macros/Export.h>
#include <c10/macros/Macros.h>

#include <atomic>
#include <cstdint>
#include <string>

#include "acl/acl.h"

namespace torchtitan_npu {

constexpr c10::DeviceType kNpu = c10::DeviceType::PrivateUse1;
constexpr int kMaxDevices = 64;

namespace detail {
// What this thread chose and what CANN was last told; one struct, so that a launch reads one
// thread_local. stream_handles caches the current streams' handles, null until first used.
struct ThreadState {
  c10::DeviceIndex chosen = 0;
  c10::DeviceIndex bound = -1;
  c10::StreamId stream_ids[kMaxDevices] = {};
  aclrtStream stream_handles[kMaxDevices] = {};
};
C10_EXPORT ThreadState& thread_state() noexcept __attribute__((const));
C10_EXPORT void bind_device_slow(c10::DeviceIndex device);
C10_EXPORT extern std::atomic<bool> ready;
C10_EXPORT void initialize_slow();
}  // namespace detail

/// Starts CANN once per process (aclInit). Throws the reason when it cannot, or in a forked child.
inline void ensure_initialized() {
  if (C10_UNLIKELY(!detail::ready.load(std::memory_order_acquire))) detail::initialize_slow();
}
inline bool is_initialized() noexcept { return detail::ready.load(std::memory_order_acquire); }
/// True in a child forked after ensure_initialized(): nothing on the device may be used there.
C10_EXPORT bool in_bad_fork() noexcept;

/// Number of devices, 0 on any trouble (see why_unavailable). Starts nothing.
C10_EXPORT c10::DeviceIndex device_count() noexcept;
/// Why there is no device, in a sentence, or "".
C10_EXPORT std::string why_unavailable() noexcept;
/// Throws "no NPU …" with the reason when there is none; "invalid device index" with the range.
C10_EXPORT void check_device_index(c10::DeviceIndex device);

C10_EXPORT c10::DeviceIndex current_device() noexcept;
C10_EXPORT void set_device(c10::DeviceIndex device);
C10_EXPORT c10::DeviceIndex exchange_device(c10::DeviceIndex device);
/// Like exchange_device, but ignores an index below 0.
C10_EXPORT c10::DeviceIndex maybe_exchange_device(c10::DeviceIndex device);
/// Whether anything on the device was used in this process.
C10_EXPORT bool has_primary_context(c10::DeviceIndex device) noexcept;
/// Waits for all streams of the device; see wait.h for the interpreter lock and Ctrl-C.
C10_EXPORT void synchronize_device(c10::DeviceIndex device);

/// Makes the chosen device this thread's CANN device. Call it before a CANN call that depends on
/// the current context; the steady state is one comparison.
inline void bind_device() {
  detail::ThreadState& thread = detail::thread_state();
  if (C10_UNLIKELY(thread.bound != thread.chosen)) detail::bind_device_slow(thread.chosen);
}

/// The calling thread works on `device` for a scope, and CANN knows it.
class DeviceScope {
 public:
  explicit DeviceScope(c10::DeviceIndex device) : previous_(exchange_device(device)) {
    try {
      bind_device();
    } catch (...) {
      detail::thread_state().chosen = previous_;
      throw;
    }
  }
  ~DeviceScope() { detail::thread_state().chosen = previous_; }
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;

 private:
  c10::DeviceIndex previous_;
};

struct DeviceProperties {
  std::string name;  // the SoC, such as Ascend910B1
  int64_t total_memory = 0;
  int64_t l2_cache_size = 0;
  int cube_core_num = 0;
  int vector_core_num = 0;
  int aicpu_core_num = 0;
};
C10_EXPORT DeviceProperties device_properties(c10::DeviceIndex device);
/// Whether the chip computes in bfloat16.
C10_EXPORT bool supports_bfloat16();
C10_EXPORT bool can_access_peer(c10::DeviceIndex device, c10::DeviceIndex peer);

}  // namespace torchtitan_npu
