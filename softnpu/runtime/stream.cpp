// SPDX-License-Identifier: Apache-2.0
#include "softnpu/runtime/stream.h"

#include <algorithm>

#include "acl/acl_error.h"
#include "softnpu/base/options.h"
#include "softnpu/runtime/control.h"
#include "softnpu/runtime/executor.h"
#include "softnpu/runtime/runtime.h"
#include "softnpu/runtime/tables.h"

namespace npu::runtime {
namespace {

Deadline deadline_of(const Timeout& timeout) {
  if (!timeout) return {};
  return Clock::now() + *timeout;
}

}  // namespace

StreamTable& streams() {
  static StreamTable& table = *new StreamTable;  // never destroyed: see Note [Exit]
  return table;
}

void resume(Stream& stream) { stream.device().executor().resume(stream); }

void Stream::enqueue(NodePtr node) {
  static const bool blocking = base::options().launch_blocking;
  // Waits and callbacks may need this very thread to go on.
  const bool wait = blocking && node->role() != Role::kControl;
  device_->executor().enqueue(*this, std::move(node));
  if (wait) [[unlikely]] {
    synchronize();
  }
}

bool Stream::synchronize(Timeout timeout) {
  Executor& executor = device_->executor();
  const uint64_t position = executor.position(*this);
  if (!executor.wait(*this, position, deadline_of(timeout))) return false;
  executor.throw_error(*this, position);
  return true;
}

bool Stream::idle() {
  Executor& executor = device_->executor();
  const uint64_t position = executor.position(*this);
  if (completed() >= position) return true;
  executor.start(*this, position);
  return false;
}

void Stream::start() { device_->executor().start(*this, std::numeric_limits<uint64_t>::max()); }

bool Stream::abort(Timeout timeout) {
  Executor& executor = device_->executor();
  executor.drop(*this);
  return executor.wait(*this, executor.position(*this), deadline_of(timeout));
}

void Stream::set_stop_on_failure(bool stop) {
  device_->executor().set_stop_on_failure(*this, stop);
}

bool Stream::stop_on_failure() { return device_->executor().stop_on_failure(*this); }

Stream& open_stream(Device& device, Context* context, int priority, uint32_t flags) {
  static std::atomic<int> next_id{0};
  Stream* stream = streams().acquire();
  if (!stream) base::fail(ACL_ERROR_RT_NO_STREAM_RESOURCE, "too many streams are alive");
  stream->context_ = context;
  stream->device_ = &device;
  stream->id_ = next_id.fetch_add(1, std::memory_order_relaxed);
  stream->priority_ = priority;
  stream->flags_ = flags;
  device.executor().add(*stream);
  if (context) {
    std::lock_guard lock(context->mutex);
    context->streams.push_back(stream->handle());
  }
  streams().publish(*stream);
  return *stream;
}

void close_stream(Stream& stream, bool force) {
  Executor& executor = stream.device().executor();
  if (force) executor.drop(stream);
  executor.wait(stream, executor.position(stream));
  executor.remove(stream);
  forget_subscription(stream.handle());
  streams().recycle(stream);
}

Handle create_stream(int priority, uint32_t flags) {
  require_usable();
  if (priority < 0 || priority >= kPriorities) {
    base::fail(ACL_ERROR_RT_PARAM_INVALID, "stream priority ", priority,
               " is out of range; valid ones are 0 (first) to ", kPriorities - 1);
  }
  Context& context = current_context_object();
  return open_stream(*context.device, &context, priority, flags).handle();
}

void destroy_stream(Handle handle, bool force) {
  require_usable();
  if (!handle) base::fail(ACL_ERROR_RT_PARAM_INVALID, "the stream is null");
  Stream& stream = stream_of(handle);
  Context* context = stream.context_;
  if (!context || context->default_stream == &stream) {
    base::fail(ACL_ERROR_RT_PARAM_INVALID,
               "the default stream lives as long as its context and cannot be destroyed");
  }
  if (!streams().retire(handle)) stream_of(handle);  // another thread was first: throws
  {
    std::lock_guard lock(context->mutex);
    std::erase(context->streams, handle);
  }
  close_stream(stream, force);
}

Stream& stream_of(Handle handle) {
  if (!handle) return default_stream();
  if (Stream* stream = streams().find(handle)) [[likely]] {
    return *stream;
  }
  require_usable();
  base::fail(ACL_ERROR_RT_STREAM_CONTEXT,
             "not a live stream; it was destroyed, or is not a stream of this process");
}

}  // namespace npu::runtime
