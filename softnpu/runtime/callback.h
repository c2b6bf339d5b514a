// SPDX-License-Identifier: Apache-2.0
// Host callbacks in stream order. They run on the thread that subscribed the stream when it calls
// process_report, or, for launch_host_function, on one helper thread of the process; never on a
// worker. A blocking one stalls its stream and no other. Any thread.
#pragma once

#include <cstdint>

#include "softnpu/runtime/device.h"

namespace npu::runtime {

class Stream;

using HostFunction = void (*)(void*);

/// `thread` is the subscriber's pthread_self() as a number. One subscriber a stream.
void subscribe(uint64_t thread, Stream& stream);
void unsubscribe(uint64_t thread, Stream& stream);
/// Enqueues `function(argument)` for the stream's subscriber; `block` stalls the stream until it
/// returned. Throws ACL_ERROR_RT_STREAM_NO_CB_REG without one.
void launch_callback(HostFunction function, void* argument, bool block, Stream& stream);
/// Runs this thread's callbacks; waits for the first one at most `timeout`. Throws
/// ACL_ERROR_RT_REPORT_TIMEOUT when none came, ACL_ERROR_RT_THREAD_SUBSCRIBE when this thread
/// subscribed no stream.
void process_report(Timeout timeout);

/// Enqueues `function(argument)` for the process' helper thread and stalls the stream until it
/// returned.
void launch_host_function(HostFunction function, void* argument, Stream& stream);

}  // namespace npu::runtime
