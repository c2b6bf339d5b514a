// SPDX-License-Identifier: Apache-2.0
// c10's device guard for npu. NPUGuard switches the calling thread's device for a scope;
// NPUStreamGuard also its stream.
#pragma once

#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <c10/core/impl/InlineDeviceGuard.h>
#include <c10/core/impl/InlineStreamGuard.h>

#include "torchtitan_npu/csrc/core/device.h"
#include "torchtitan_npu/csrc/core/stream.h"

namespace torchtitan_npu {

struct NPUGuardImpl final : c10::impl::DeviceGuardImplInterface {
  static constexpr c10::DeviceType static_type = kNpu;

  NPUGuardImpl() = default;
  explicit NPUGuardImpl(c10::DeviceType type) { TORCH_INTERNAL_ASSERT(type == kNpu); }

  c10::DeviceType type() const override { return kNpu; }
  c10::Device exchangeDevice(c10::Device device) const override;
  c10::Device getDevice() const override { return {kNpu, current_device()}; }
  void setDevice(c10::Device device) const override { set_device(device.index()); }
  void uncheckedSetDevice(c10::Device device) const noexcept override;
  c10::DeviceIndex deviceCount() const noexcept override { return device_count(); }
  c10::DeviceCapability getDeviceCapability(c10::Device device) const override;
  void synchronizeDevice(c10::DeviceIndex device) const override { synchronize_device(device); }

  c10::Stream getStream(c10::Device device) const override;
  c10::Stream getDefaultStream(c10::Device device) const override;
  c10::Stream getStreamFromGlobalPool(c10::Device device, bool high_priority) const override;
  c10::Stream getNewStream(c10::Device device, int priority) const override;
  c10::Stream exchangeStream(c10::Stream stream) const override;
  void* getStreamNativeHandle(const c10::Stream stream) const override;
  bool queryStream(const c10::Stream& stream) const override;
  void synchronizeStream(const c10::Stream& stream) const override;
  void recordDataPtrOnStream(const c10::DataPtr& ptr, const c10::Stream& stream) const override;

  void record(void** event, const c10::Stream& stream, const c10::DeviceIndex device,
              const c10::EventFlag flag) const override;
  void block(void* event, const c10::Stream& stream) const override;
  bool queryEvent(void* event) const override;
  void synchronizeEvent(void* event) const override;
  double elapsedTime(void* start, void* end, const c10::DeviceIndex device) const override;
  void destroyEvent(void* event, const c10::DeviceIndex device) const noexcept override;
};

using NPUGuard = c10::impl::InlineDeviceGuard<NPUGuardImpl>;
using OptionalNPUGuard = c10::impl::InlineOptionalDeviceGuard<NPUGuardImpl>;
using NPUStreamGuard = c10::impl::InlineStreamGuard<NPUGuardImpl>;

}  // namespace torchtitan_npu
