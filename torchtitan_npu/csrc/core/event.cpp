// SPDX-License-Identifier: Apache-2.0
#include "torchtitan_npu/csrc/core/event.h"

#include "torchtitan_npu/csrc/core/check.h"
#include "torchtitan_npu/csrc/core/device.h"
#include "torchtitan_npu/csrc/core/library.h"
#include "torchtitan_npu/csrc/core/wait.h"

namespace torchtitan_npu {

aclrtEvent create_event(bool timing) {
  bind_device();
  aclrtEvent event = nullptr;
  const uint32_t flag = timing ? ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE : ACL_EVENT_SYNC;
  NPU_CHECK(FN(aclrtCreateEventExWithFlag)(&event, flag));
  return event;
}

void destroy_event(aclrtEvent event) noexcept {
  if (in_bad_fork()) return;  // the parent owns it
  NPU_WARN(FN(aclrtDestroyEvent)(event));
}

void record_event(aclrtEvent event, const NPUStream& stream) {
  const aclrtStream handle = stream.handle();
  DeviceScope scope(stream.device_index());
  NPU_CHECK(FN(aclrtRecordEvent)(event, handle));
}

void wait_event(aclrtEvent event, const NPUStream& stream) {
  const aclrtStream handle = stream.handle();
  DeviceScope scope(stream.device_index());
  NPU_CHECK(FN(aclrtStreamWaitEvent)(handle, event));
}

bool query_event(aclrtEvent event) {
  bind_device();
  aclrtEventRecordedStatus status = ACL_EVENT_RECORDED_STATUS_NOT_READY;
  NPU_CHECK(FN(aclrtQueryEventStatus)(event, &status));
  return status == ACL_EVENT_RECORDED_STATUS_COMPLETE;
}

void synchronize_event(aclrtEvent event) {
  bind_device();
  // Not every CANN waits for an event with a time limit; those that do not cannot be interrupted.
  const auto bounded = FN_OPTIONAL(aclrtSynchronizeEventWithTimeout);
  wait_in_slices([&](int32_t milliseconds) {
    const int status =
        bounded != nullptr ? bounded(event, milliseconds) : FN(aclrtSynchronizeEvent)(event);
    if (is_timeout(status)) return false;
    if (status != ACL_SUCCESS) throw_acl_error(status, "FN(aclrtSynchronizeEvent)", NPU_HERE);
    return true;
  });
}

double elapsed_milliseconds(aclrtEvent start, aclrtEvent end) {
  bind_device();
  float milliseconds = 0;
  NPU_CHECK(FN(aclrtEventElapsedTime)(&milliseconds, start, end));
  return milliseconds;
}

}  // namespace torchtitan_npu
