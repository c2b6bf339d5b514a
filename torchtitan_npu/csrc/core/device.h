// SPDX-License-Identifier: Apache-2.0
// Devices as this process sees them. Choosing a device only writes a thread_local; CANN is started
// and the thread is bound to the device when something on it is first used, so that a guard which
// passes over a device costs nothing and creates nothing. Thread-safe.
#pragma once

#include <c10/core/Device.h>
#include <c10/macros/Export.h>
#include <c10/macros/Macros.h>

#include <cstdint>
#include <string>

namespace torchtitan_npu {

constexpr c10::DeviceType kNpu = c10::DeviceType::PrivateUse1;
constexpr int kMaxDevices = 64;

namespace detail {
// The device that this thread chose, and the one that aclrtSetDevice last bound it to.
struct ThreadDevice {
  c10::DeviceIndex chosen = 0;
  c10::DeviceIndex bound = -1;
};
C10_EXPORT ThreadDevice& thread_device() noexcept;
C10_EXPORT void bind_device_slow(c10::DeviceIndex device);
}  // namespace detail

/// Starts CANN once per process (aclInit). Throws the reason when it cannot, or in a forked child.
C10_EXPORT void ensure_initialized();
C10_EXPORT bool is_initialized() noexcept;
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
  detail::ThreadDevice& device = detail::thread_device();
  if (C10_UNLIKELY(device.bound != device.chosen)) detail::bind_device_slow(device.chosen);
}

struct DeviceProperties {
  std::string name;  // the SoC, such as Ascend910B1
  int64_t total_memory = 0;
  int64_t l2_cache_size = 0;
  int cube_core_num = 0;
  int vector_core_num = 0;
  int aicpu_core_num = 0;
};
C10_EXPORT DeviceProperties device_properties(c10::DeviceIndex device);
C10_EXPORT bool can_access_peer(c10::DeviceIndex device, c10::DeviceIndex peer);

}  // namespace torchtitan_npu
