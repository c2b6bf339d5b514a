// SPDX-License-Identifier: Apache-2.0
// ControlNode: what a stream meets between its operators (waits, callbacks, time stamps,
// collectives). It takes no worker: the executor asks it when it reaches the front, and a stream
// whose front says "not yet" stalls, alone, until somebody resumes it.
#pragma once

#include "softnpu/runtime/node.h"

namespace npu::runtime {

class Stream;

class ControlNode : public Node {
 public:
  Role role() const final { return Role::kControl; }
  void run(base::Workers&) final {}
  /// True = done, the stream goes on. Called under the executor's mutex, perhaps often: must be
  /// short and must not call the runtime.
  virtual bool poll(Stream& stream) = 0;
};

/// Makes the executor ask the front of a stalled stream again. Any thread, no runtime lock held.
void resume(Stream& stream);

}  // namespace npu::runtime
