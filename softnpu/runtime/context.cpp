// SPDX-License-Identifier: Apache-2.0
#include "softnpu/runtime/context.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <vector>

#include "acl/acl_error.h"
#include "softnpu/runtime/runtime.h"
#include "softnpu/runtime/tables.h"

namespace npu::runtime {
namespace {

constexpr int kMaxDevices = 64;  // as SOFTNPU_DEVICES

std::mutex contexts_mutex;  // creating and destroying contexts
std::array<std::atomic<Handle>, kMaxDevices> primary{};
thread_local Handle current = nullptr;

Context& require(Handle handle, const char* what) {
  if (Context* context = contexts().find(handle)) return *context;
  base::fail(ACL_ERROR_RT_CONTEXT_NULL, what,
             handle ? " is not a live context; it was destroyed or is not a context"
                    : " is null; call aclrtSetDevice or aclrtSetCurrentContext first");
}

Context& open_context(Device& device, bool is_primary) {
  Context* context = contexts().acquire();
  if (!context) base::fail(ACL_ERROR_RT_RESOURCE_ALLOC_FAIL, "too many contexts are alive");
  context->device = &device;
  context->primary = is_primary;
  context->references = 0;
  context->streams.clear();
  context->default_stream = &open_stream(device, context, 0, 0);
  contexts().publish(*context);
  return *context;
}

void close_context(Context& context, bool force) {
  std::vector<Handle> streams;
  {
    std::lock_guard lock(context.mutex);
    streams.swap(context.streams);
  }
  for (Handle stream : streams) {
    if (Stream* live = runtime::streams().retire(stream)) close_stream(*live, force);
  }
  contexts().recycle(context);
}

}  // namespace

ContextTable& contexts() {
  static ContextTable& table = *new ContextTable;  // never destroyed: see Note [Exit]
  return table;
}

Context& current_context_object() { return require(current, "the current context"); }

void set_device(int id) {
  require_usable();
  Device& device = device_at(id);
  Context* context = contexts().find(primary[id].load(std::memory_order_acquire));
  if (!context) {
    std::lock_guard lock(contexts_mutex);
    context = contexts().find(primary[id].load());
    if (!context) {
      context = &open_context(device, true);
      primary[id].store(context->handle(), std::memory_order_release);
    }
  }
  context->references.fetch_add(1, std::memory_order_relaxed);
  current = context->handle();
}

void reset_device(int id, bool force) {
  require_usable();
  device_at(id);
  std::lock_guard lock(contexts_mutex);
  Context* context = contexts().find(primary[id].load());
  if (!context) {
    base::fail(ACL_ERROR_RT_CONTEXT_NULL, "device ", id,
               " has no primary context: aclrtSetDevice was not called, or it was reset already");
  }
  if (context->references.fetch_sub(1) > 1 && !force) return;
  primary[id].store(nullptr);
  contexts().retire(context->handle());
  close_context(*context, force);
}

bool primary_context_active(int id) {
  require_usable();
  device_at(id);
  return contexts().find(primary[id].load()) != nullptr;
}

Handle create_context(int device_id) {
  require_usable();
  Device& device = device_at(device_id);
  std::lock_guard lock(contexts_mutex);
  const Handle handle = open_context(device, false).handle();
  current = handle;
  return handle;
}

void destroy_context(Handle handle) {
  require_usable();
  Context& context = require(handle, "the context");
  if (context.primary) {
    base::fail(ACL_ERROR_INVALID_PARAM, "this is the primary context of device ",
               context.device->id(), "; aclrtResetDevice destroys it");
  }
  std::lock_guard lock(contexts_mutex);
  if (!contexts().retire(handle)) require(nullptr, "the context");
  close_context(context, false);
}

void set_current_context(Handle handle) {
  require_usable();
  require(handle, "the context");
  current = handle;
}

Handle current_context() {
  require_usable();
  return current_context_object().handle();
}

Device& current_device() {
  require_usable();
  return *current_context_object().device;
}

Stream& default_stream() {
  Context* context = contexts().find(current);
  if (!context) [[unlikely]] {
    require_usable();
    require(current, "the current context");
  }
  return *context->default_stream;
}

Handle default_stream_handle() { return default_stream().handle(); }

void close_all_contexts() {
  std::lock_guard lock(contexts_mutex);
  for (std::atomic<Handle>& handle : primary) handle.store(nullptr);
  for (Handle handle : contexts().live()) {
    if (Context* context = contexts().retire(handle)) close_context(*context, true);
  }
}

}  // namespace npu::runtime
