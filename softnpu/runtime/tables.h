// SPDX-License-Identifier: Apache-2.0
// What the runtime's files share about contexts, streams and events; not for other rooms.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

#include "softnpu/runtime/context.h"
#include "softnpu/runtime/device.h"
#include "softnpu/runtime/handle.h"
#include "softnpu/runtime/stream.h"

namespace npu::runtime {

// Note [Exit]
// Tables, devices and executors are made at first use and never destroyed: a process may exit
// without aclFinalize while executors run and other libraries' destructors still call in.
// finalize() empties them instead.

class Context {
 public:
  Handle handle() const { return handle_; }

  Device* device = nullptr;
  bool primary = false;
  std::atomic<int> references{0};  // set_device calls not yet matched by reset_device
  Stream* default_stream = nullptr;
  std::mutex mutex;
  std::vector<Handle> streams;  // guarded by mutex; the default stream is the first

 private:
  template <class T, int kKind, uint32_t kCapacity>
  friend class HandleTable;
  Handle handle_ = nullptr;
};

using ContextTable = HandleTable<Context, 1, 4096>;
using StreamTable = HandleTable<Stream, 2, 65536>;

ContextTable& contexts();
StreamTable& streams();

/// The thread's context, or ACL_ERROR_RT_CONTEXT_NULL.
Context& current_context_object();
/// A new stream of `context` (nullptr: of none), with a live handle.
Stream& open_stream(Device& device, Context* context, int priority, uint32_t flags);
/// Completes (or with `force` drops) the work of a retired stream and recycles it.
void close_stream(Stream& stream, bool force);
/// The stream's callbacks have no subscriber any more.
void forget_subscription(Handle stream);

/// For finalize().
void close_all_contexts();
void close_all_events();
void close_all_subscriptions();

}  // namespace npu::runtime
