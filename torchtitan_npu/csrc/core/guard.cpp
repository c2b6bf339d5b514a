// SPDX-License-Identifier: Apache-2.0
#include "torchtitan_npu/csrc/core/guard.h"

#include <c10/core/DeviceCapability.h>

#include "torchtitan_npu/csrc/core/allocator.h"
#include "torchtitan_npu/csrc/core/check.h"
#include "torchtitan_npu/csrc/core/event.h"

namespace torchtitan_npu {

C10_REGISTER_GUARD_IMPL(PrivateUse1, NPUGuardImpl)

c10::Device NPUGuardImpl::exchangeDevice(c10::Device device) const {
  TORCH_INTERNAL_ASSERT(device.type() == kNpu);
  return {kNpu, maybe_exchange_device(device.index())};
}

void NPUGuardImpl::uncheckedSetDevice(c10::Device device) const noexcept {
  if (device.index() >= 0) detail::thread_state().chosen = device.index();
}

c10::DeviceCapability NPUGuardImpl::getDeviceCapability(c10::Device) const {
  return c10::DeviceCapability();
}

c10::Stream NPUGuardImpl::getStream(c10::Device device) const {
  return current_stream(device.index());
}
c10::Stream NPUGuardImpl::getDefaultStream(c10::Device device) const {
  return default_stream(device.index());
}
c10::Stream NPUGuardImpl::getStreamFromGlobalPool(c10::Device device, bool high_priority) const {
  return stream_from_pool(high_priority ? -1 : 0, device.index());
}
c10::Stream NPUGuardImpl::getNewStream(c10::Device device, int priority) const {
  return stream_from_pool(priority, device.index());
}
c10::Stream NPUGuardImpl::exchangeStream(c10::Stream stream) const {
  const c10::Stream previous = current_stream(stream.device_index());
  set_current_stream(NPUStream(stream));
  return previous;
}
void* NPUGuardImpl::getStreamNativeHandle(const c10::Stream stream) const {
  return NPUStream(stream).handle();
}
bool NPUGuardImpl::queryStream(const c10::Stream& stream) const {
  return NPUStream(stream).query();
}
void NPUGuardImpl::synchronizeStream(const c10::Stream& stream) const {
  NPUStream(stream).synchronize();
}
void NPUGuardImpl::recordDataPtrOnStream(const c10::DataPtr& ptr, const c10::Stream& stream) const {
  record_stream(ptr, NPUStream(stream));
}

void NPUGuardImpl::record(void** event, const c10::Stream& stream, const c10::DeviceIndex device,
                          const c10::EventFlag flag) const {
  TORCH_CHECK(device == -1 || device == stream.device_index(),
              "an event of npu:", static_cast<int>(device),
              " cannot be recorded on a stream of npu:", static_cast<int>(stream.device_index()),
              ". Use an event of the stream's device.", error_suffix(ErrorCode::kParameter));
  DeviceScope scope(stream.device_index());
  if (*event == nullptr) *event = create_event(flag == c10::EventFlag::BACKEND_DEFAULT);
  record_event(*event, NPUStream(stream));
}
void NPUGuardImpl::block(void* event, const c10::Stream& stream) const {
  if (event != nullptr) wait_event(event, NPUStream(stream));
}
bool NPUGuardImpl::queryEvent(void* event) const { return event == nullptr || query_event(event); }
void NPUGuardImpl::synchronizeEvent(void* event) const {
  if (event != nullptr) synchronize_event(event);
}
double NPUGuardImpl::elapsedTime(void* start, void* end, const c10::DeviceIndex device) const {
  TORCH_CHECK(start != nullptr && end != nullptr,
              "Both events must be recorded before calculating elapsed time.",
              error_suffix(ErrorCode::kParameter));
  DeviceScope scope(device < 0 ? current_device() : device);
  return elapsed_milliseconds(start, end);
}
void NPUGuardImpl::destroyEvent(void* event, const c10::DeviceIndex) const noexcept {
  if (event != nullptr) destroy_event(event);
}

}  // namespace torchtitan_npu
