// SPDX-License-Identifier: Apache-2.0
// Stream: an in-order queue of nodes on one device; not a thread: the device's executor runs it.
// Owned by its context. All members may be called from any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "softnpu/base/error.h"
#include "softnpu/runtime/context.h"
#include "softnpu/runtime/device.h"
#include "softnpu/runtime/node.h"
#include "softnpu/runtime/ring.h"

namespace npu::runtime {

class Context;
class Executor;

constexpr int kPriorities = 8;  // 0 is the most urgent, as CANN's

class Stream {
 public:
  /// Appends a node; returns at once (waits only when the queue is at its cap). An earlier node's
  /// failure does not refuse it: if it reads what that node should have written, it will not run.
  void enqueue(NodePtr node);
  /// Waits until everything enqueued before ran. Returns false on time-out. Throws the stream's
  /// sticky error once, after which the stream is usable again.
  bool synchronize(Timeout timeout = {});
  /// True when nothing is queued or in flight. Starts pending work.
  bool idle();
  /// Starts pending work up to here, without waiting (a window may be recording).
  void start();
  /// Drops what is queued; what runs completes. False on time-out.
  bool abort(Timeout timeout = {});
  /// With `stop`, nothing runs after a failed node until the error was thrown.
  void set_stop_on_failure(bool stop);
  bool stop_on_failure();

  Device& device() { return *device_; }
  int id() const { return id_; }
  int priority() const { return priority_; }
  uint32_t flags() const { return flags_; }
  Handle handle() const { return handle_; }
  /// Position that the stream got to: nodes that ran or were dropped.
  uint64_t completed() const { return completed_.load(std::memory_order_acquire); }

 private:
  friend class Executor;
  friend Stream& open_stream(Device& device, Context* context, int priority, uint32_t flags);
  friend void destroy_stream(Handle stream, bool force);
  template <class T, int kKind, uint32_t kCapacity>
  friend class HandleTable;

  Handle handle_ = nullptr;
  Context* context_ = nullptr;
  Device* device_ = nullptr;
  int id_ = 0;
  int priority_ = 0;
  uint32_t flags_ = 0;
  std::atomic<uint64_t> completed_{0};  // nodes that ran or were dropped, over all lives
  uint64_t born_ = 0;                   // that count when this life began

  // The rest belongs to the executor and is guarded by its mutex.
  struct Watcher {
    uint64_t position;
    Stream* waiting;  // resumed when this stream gets to `position`
  };
  struct StickyError {
    uint64_t position;
    base::Error error;
  };
  Ring<NodePtr> queue_;
  uint64_t enqueued_ = 0;  // nodes ever enqueued
  uint64_t claimed_ = 0;   // nodes taken off the queue
  uint64_t started_ = 0;   // nodes up to here may run; the others are recording
  uint64_t awaited_ = std::numeric_limits<uint64_t>::max();  // nearest position a thread waits for
  bool alive_ = false;
  bool in_flight_ = false;  // a node or window of it runs
  bool ready_ = false;      // in the executor's ready list
  bool stalled_ = false;    // its front is a control node that said "not yet"
  bool stop_on_failure_ = false;
  std::vector<Watcher> watchers_;
  std::unique_ptr<StickyError> error_;
};

/// A stream in the current context. Throws for a priority outside [0, kPriorities).
Handle create_stream(int priority = 0, uint32_t flags = 0);
/// Completes the stream's work and destroys it; `force` drops what is queued instead. The default
/// stream is refused.
void destroy_stream(Handle stream, bool force = false);

/// The live stream behind a handle: nullptr means the current context's default stream. Throws
/// ACL_ERROR_RT_STREAM_CONTEXT for a stale or foreign handle, ACL_ERROR_RT_CONTEXT_NULL without a
/// context.
Stream& stream_of(Handle handle);

}  // namespace npu::runtime
