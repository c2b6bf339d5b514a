// SPDX-License-Identifier: Apache-2.0
// Stream: an in-order queue of nodes on one device; not a thread. Owned by its Context through the
// handle table. All members may be called from any thread.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>

#include "softnpu/runtime/node.h"

namespace npu::runtime {

class Device;

class Stream {
 public:
  virtual ~Stream() = default;
  /// Appends a node; returns at once (waits only when the queue is at its cap). Throws the stream's
  /// sticky error if it has one.
  virtual void enqueue(NodePtr node) = 0;
  /// Waits until everything enqueued before ran. `timeout` empty = for ever. Returns false on
  /// time-out; throws the sticky error once (and then clears it, so the stream is usable again).
  virtual bool synchronize(std::optional<std::chrono::milliseconds> timeout = {}) = 0;
  /// True when nothing is queued or in flight. Starts pending work.
  virtual bool idle() = 0;
  virtual Device& device() = 0;
  virtual int id() const = 0;
  virtual int priority() const = 0;
};

/// The live stream behind a handle: nullptr means the current context's default stream. Throws
/// ACL_ERROR_RT_STREAM_CONTEXT / invalid-handle errors for stale handles, 107002 without a context.
Stream& stream_of(void* handle);

}  // namespace npu::runtime
