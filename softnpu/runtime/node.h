// SPDX-License-Identifier: Apache-2.0
// Node: one unit of work in a stream's queue. Made by acl (copies, callbacks) and ge (operators),
// owned by the stream once enqueued, destroyed by the executor after it ran. run() is called at
// most once.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "softnpu/base/workers.h"

namespace npu::runtime {

/// Host bytes [begin, end) that a node reads or writes; how views, overlaps and updates order
/// themselves. Bytes that are read and written need two regions.
struct Region {
  uintptr_t begin = 0;
  uintptr_t end = 0;
  bool write = false;
};

inline bool overlap(const Region& a, const Region& b) { return a.begin < b.end && b.begin < a.end; }

/// How the executor treats a node.
enum class Role : uint8_t {
  kBarrier,   // runs alone and ends the window before it (copies, fills)
  kOperator,  // may join a window
  kRelease,   // its written regions are dead from here on; joins a window, run() does nothing
  kControl,   // the runtime's own (waits, callbacks, time stamps)
};

class Node {
 public:
  Node() = default;
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;
  virtual ~Node() = default;

  /// Operator or call name for errors and traces, e.g. "aclnnAdd"; static storage.
  virtual const char* name() const = 0;
  /// "float32[2, 3], float32[3] -> float32[2, 3]": shapes and dtypes for an error; may be empty.
  virtual std::string describe() const { return {}; }
  virtual Role role() const { return Role::kBarrier; }
  /// Memory that run() touches. Must stay valid while the node lives.
  virtual std::span<const Region> regions() const { return {}; }
  /// Does the work on the executor. Throws base::Error when a run-time check fails (index out of
  /// range, AI CPU exception): the error sticks to the stream and names this node.
  virtual void run(base::Workers& workers) = 0;
};

using NodePtr = std::unique_ptr<Node>;

}  // namespace npu::runtime
