// SPDX-License-Identifier: Apache-2.0
// Context: a device with a default stream and the streams created in it. Each thread has a current
// one; set_device makes the device's primary context, shared by the process, current.
#pragma once

#include <cstdint>

namespace npu::runtime {

class Device;
class Stream;

/// Handles are opaque numbers that a table resolves: null and stale ones are found, never followed.
using Handle = void*;

/// aclrtSetDevice: makes the primary context of device `id` current, creating it if needed.
void set_device(int id);
/// aclrtResetDevice: completes and destroys the primary context when every set_device has been
/// matched by a reset; `force` destroys it at once.
void reset_device(int id, bool force);
/// True while the primary context of device `id` exists.
bool primary_context_active(int id);

Handle create_context(int device_id);
/// Completes its streams and destroys them; the primary context is refused.
void destroy_context(Handle context);
void set_current_context(Handle context);
/// Handle of this thread's context. Throws ACL_ERROR_RT_CONTEXT_NULL when there is none.
Handle current_context();
/// Device of this thread's context. Throws ACL_ERROR_RT_CONTEXT_NULL when there is none.
Device& current_device();
/// Default stream of this thread's context. Throws ACL_ERROR_RT_CONTEXT_NULL when there is none.
Stream& default_stream();
Handle default_stream_handle();

}  // namespace npu::runtime
