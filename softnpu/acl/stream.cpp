// SPDX-License-Identifier: Apache-2.0
// Streams: creation, waiting, state and attributes.
#include "softnpu/runtime/stream.h"

#include "acl/acl_rt.h"
#include "softnpu/acl/entry.h"
#include "softnpu/runtime/event.h"

namespace npu::acl {
namespace {

using base::fail;
using base::guard;
using base::require;
using runtime::stream_of;

void set_failure_mode(runtime::Stream& stream, uint64_t mode) {
  require(mode == ACL_CONTINUE_ON_FAILURE || mode == ACL_STOP_ON_FAILURE, ACL_ERROR_INVALID_PARAM,
          "failure mode ", mode, " does not exist; valid ones are 0 (continue) and 1 (stop)");
  stream.set_stop_on_failure(mode == ACL_STOP_ON_FAILURE);
}

void set_overflow_check(uint32_t flag) {
  require(flag == 0, ACL_ERROR_FEATURE_UNSUPPORTED,
          "overflow detection of a stream is unsupported: softnpu computes with inf and nan");
}

void destroy(aclrtStream stream, bool force) {
  // Null is the default stream everywhere else, but nobody can destroy that.
  require_pointer(stream, "stream");
  runtime::destroy_stream(stream, force);
}

}  // namespace
}  // namespace npu::acl

using namespace npu::acl;

aclError aclrtCreateStream(aclrtStream* stream) {
  return guard(
      "aclrtCreateStream",
      [&] {
        require_pointer(stream, "stream");
        *stream = npu::runtime::create_stream();
      },
      stream);
}

aclError aclrtCreateStreamWithConfig(aclrtStream* stream, uint32_t priority, uint32_t flag) {
  return guard(
      "aclrtCreateStreamWithConfig",
      [&] {
        require_pointer(stream, "stream");
        require(priority < npu::runtime::kPriorities, ACL_ERROR_RT_PARAM_INVALID,
                "stream priority ", priority, " is out of range [0, ",
                npu::runtime::kPriorities - 1, "]");
        *stream = npu::runtime::create_stream(static_cast<int>(priority), flag);
      },
      stream, priority, flag);
}

aclError aclrtDestroyStream(aclrtStream stream) {
  return guard("aclrtDestroyStream", [&] { destroy(stream, false); }, stream);
}

aclError aclrtDestroyStreamForce(aclrtStream stream) {
  return guard("aclrtDestroyStreamForce", [&] { destroy(stream, true); }, stream);
}

aclError aclrtSynchronizeStream(aclrtStream stream) {
  return guard("aclrtSynchronizeStream", [&] { stream_of(stream).synchronize(); }, stream);
}

aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout) {
  return guard(
      "aclrtSynchronizeStreamWithTimeout",
      [&] {
        auto& live = stream_of(stream);
        require(live.synchronize(npu::runtime::timeout_of(timeout)),
                ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, "stream ", live.id(), " still has work after ",
                timeout, " ms");
      },
      stream, timeout);
}

aclError aclrtStreamQuery(aclrtStream stream, aclrtStreamStatus* status) {
  return guard(
      "aclrtStreamQuery",
      [&] {
        require_pointer(status, "status");
        *status =
            stream_of(stream).idle() ? ACL_STREAM_STATUS_COMPLETE : ACL_STREAM_STATUS_NOT_READY;
      },
      stream, status);
}

aclError aclrtStreamGetId(aclrtStream stream, int32_t* streamId) {
  return guard(
      "aclrtStreamGetId",
      [&] {
        require_pointer(streamId, "streamId");
        *streamId = stream_of(stream).id();
      },
      stream, streamId);
}

aclError aclrtStreamGetPriority(aclrtStream stream, uint32_t* priority) {
  return guard(
      "aclrtStreamGetPriority",
      [&] {
        require_pointer(priority, "priority");
        *priority = static_cast<uint32_t>(stream_of(stream).priority());
      },
      stream, priority);
}

aclError aclrtStreamGetFlags(aclrtStream stream, uint32_t* flags) {
  return guard(
      "aclrtStreamGetFlags",
      [&] {
        require_pointer(flags, "flags");
        *flags = stream_of(stream).flags();
      },
      stream, flags);
}

aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event) {
  return guard(
      "aclrtStreamWaitEvent", [&] { npu::runtime::wait_event(stream_of(stream), event); }, stream,
      event);
}

aclError aclrtStreamAbort(aclrtStream stream) {
  return guard("aclrtStreamAbort", [&] { stream_of(stream).abort(); }, stream);
}

aclError aclrtCtxGetCurrentDefaultStream(aclrtStream* stream) {
  return guard(
      "aclrtCtxGetCurrentDefaultStream",
      [&] {
        require_pointer(stream, "stream");
        *stream = npu::runtime::default_stream_handle();
      },
      stream);
}

aclError aclrtDeviceGetStreamPriorityRange(int32_t* leastPriority, int32_t* greatestPriority) {
  return guard(
      "aclrtDeviceGetStreamPriorityRange",
      [&] {
        require_pointer(leastPriority, "leastPriority");
        require_pointer(greatestPriority, "greatestPriority");
        *leastPriority = npu::runtime::kPriorities - 1;
        *greatestPriority = 0;
      },
      leastPriority, greatestPriority);
}

aclError aclrtSetStreamFailureMode(aclrtStream stream, uint64_t mode) {
  return guard(
      "aclrtSetStreamFailureMode", [&] { set_failure_mode(stream_of(stream), mode); }, stream,
      mode);
}

aclError aclrtSetStreamOverflowSwitch(aclrtStream stream, uint32_t flag) {
  return guard(
      "aclrtSetStreamOverflowSwitch",
      [&] {
        stream_of(stream);
        set_overflow_check(flag);
      },
      stream, flag);
}

aclError aclrtGetStreamOverflowSwitch(aclrtStream stream, uint32_t* flag) {
  return guard(
      "aclrtGetStreamOverflowSwitch",
      [&] {
        require_pointer(flag, "flag");
        stream_of(stream);
        *flag = 0;
      },
      stream, flag);
}

aclError aclrtSetStreamAttribute(aclrtStream stream, aclrtStreamAttr stmAttrType,
                                 aclrtStreamAttrValue* value) {
  return guard(
      "aclrtSetStreamAttribute",
      [&] {
        require_pointer(value, "value");
        auto& live = stream_of(stream);
        switch (stmAttrType) {
          case ACL_STREAM_ATTR_FAILURE_MODE:
            return set_failure_mode(live, value->failureMode);
          case ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK:
            return set_overflow_check(value->overflowSwitch);
          default:
            fail(ACL_ERROR_FEATURE_UNSUPPORTED, "stream attribute ", static_cast<int>(stmAttrType),
                 " cannot be set; softnpu knows 1 (failure mode) and 2 (overflow check)");
        }
      },
      stream, stmAttrType, value);
}

aclError aclrtGetStreamAttribute(aclrtStream stream, aclrtStreamAttr stmAttrType,
                                 aclrtStreamAttrValue* value) {
  return guard(
      "aclrtGetStreamAttribute",
      [&] {
        require_pointer(value, "value");
        auto& live = stream_of(stream);
        switch (stmAttrType) {
          case ACL_STREAM_ATTR_FAILURE_MODE:
            value->failureMode = live.stop_on_failure();
            return;
          case ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK:
            value->overflowSwitch = 0;
            return;
          case ACL_STREAM_ATTR_PRIORITY:
            value->streamPriority = static_cast<uint32_t>(live.priority());
            return;
          default:
            fail(ACL_ERROR_FEATURE_UNSUPPORTED, "stream attribute ", static_cast<int>(stmAttrType),
                 " is unknown to softnpu; it knows 1 (failure mode), 2 (overflow check) and 5 "
                 "(priority)");
        }
      },
      stream, stmAttrType, value);
}

aclError aclrtGetStreamResLimit(aclrtStream stream, aclrtDevResLimitType type, uint32_t* value) {
  return guard(
      "aclrtGetStreamResLimit",
      [&] {
        require_pointer(value, "value");
        auto& device = stream_of(stream).device();
        const int code = aclrtGetDeviceResLimit(device.id(), type, value);
        require(code == ACL_SUCCESS, code, "core type ", static_cast<int>(type),
                " does not exist; valid ones are 0 (cube) and 1 (vector)");
      },
      stream, type, value);
}

aclError aclrtSetStreamResLimit(aclrtStream stream, aclrtDevResLimitType type, uint32_t value) {
  return unsupported("aclrtSetStreamResLimit", "core limits", stream, type, value);
}

// Without limits there is nothing to reset or to take over.
aclError aclrtResetStreamResLimit(aclrtStream stream) {
  return guard("aclrtResetStreamResLimit", [&] { stream_of(stream); }, stream);
}

aclError aclrtUseStreamResInCurrentThread(aclrtStream stream) {
  return guard("aclrtUseStreamResInCurrentThread", [&] { stream_of(stream); }, stream);
}

aclError aclrtUnuseStreamResInCurrentThread(aclrtStream stream) {
  return guard("aclrtUnuseStreamResInCurrentThread", [&] { stream_of(stream); }, stream);
}
