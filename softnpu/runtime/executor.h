// SPDX-License-Identifier: Apache-2.0
// Executor: runs the streams of one device on one thread with its own worker pool: each stream in
// order, urgent streams first, equals in turn. One mutex guards the queues of all its streams; it
// is never held while a node runs. The thread starts with the first node.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <thread>
#include <vector>

#include "softnpu/runtime/node.h"
#include "softnpu/runtime/ring.h"
#include "softnpu/runtime/stream.h"
#include "softnpu/runtime/sync.h"
#include "softnpu/runtime/worker_pool.h"

namespace npu::runtime {

class Executor {
 public:
  explicit Executor(Device& device);
  ~Executor();

  void add(Stream& stream);
  /// The stream takes no more work; what it still holds is dropped. Its last node has completed.
  void remove(Stream& stream);

  /// Returns the position of the node.
  uint64_t enqueue(Stream& stream, NodePtr node);
  /// Number of nodes ever enqueued: the position that "everything so far" ends at.
  uint64_t position(Stream& stream);
  /// Lets recording nodes up to `position` run.
  void start(Stream& stream, uint64_t position);
  /// Starts up to `position` and waits for it. False when the deadline passed.
  bool wait(Stream& stream, uint64_t position, const Deadline& deadline = {});
  /// Throws and clears the stream's sticky error if it happened at or before `position`.
  void throw_error(Stream& stream, uint64_t position);
  /// Throws the first sticky error of the device and clears all.
  void throw_any_error();
  /// Waits for every pending node that conflicts with `touched`.
  void complete(std::span<const Region> touched);
  /// Calls resume(waiting) once `stream` got to `position`; false if it is there already.
  bool watch(Stream& stream, uint64_t position, Stream& waiting);
  void resume(Stream& stream);
  /// Drops what is queued and not running.
  void drop(Stream& stream);
  void set_stop_on_failure(Stream& stream, bool stop);
  bool stop_on_failure(Stream& stream);
  std::vector<Stream*> streams();

  /// Runs everything that can run; true if it had to wait for something.
  bool quiesce();
  /// Ends the thread and the workers. What has not run is dropped. May start again later.
  void shutdown();
  /// Time during which there was something to run.
  int64_t busy_ns();

 private:
  // A node failed, or did not run because an earlier one had: nobody may read what it should have
  // written until the error was reported.
  struct Poison {
    Region region;
    Stream* owner;  // of the error that says so
    const char* name;
    int code;
  };

  void loop();
  Stream* next_ready();
  void step(Stream& stream, Lock& lock);
  void run_window(Stream& stream, Lock& lock);
  void run_node(Stream& stream, Node& node, uint64_t position);
  bool skip(Stream& stream, const Node& node, uint64_t position);
  void fail(Stream& stream, const Node& node, uint64_t position, int code, std::string_view why);
  void advance(Stream& stream);
  void resume_watchers(Lock& lock);
  void link(Stream& stream);
  void start_locked(Stream& stream, uint64_t position);
  void start_all();
  void idle(Lock& lock);
  void set_busy(bool busy);
  void wake();
  void release(Lock& lock);
  void drop_locked(Stream& stream, std::vector<NodePtr>& dropped);
  void clear_error(Stream& stream);

  Device& device_;
  WorkerPool pool_;
  std::thread thread_;

  Mutex mutex_;
  Condition work_;  // for the executor's thread
  Condition done_;  // for threads that wait for positions
  std::vector<Stream*> streams_;
  Ring<Stream*> ready_[kPriorities];
  uint32_t ready_mask_ = 0;  // priorities whose ring is not empty
  bool thread_running_ = false;
  bool stopping_ = false;
  enum class Sleep : uint8_t { kAwake, kIdle, kTimed } sleep_ = Sleep::kAwake;
  bool notify_ = false;  // work_, once the mutex is free
  bool busy_ = false;
  Clock::time_point busy_since_;
  std::chrono::nanoseconds busy_time_{0};  // before busy_since_
  uint64_t enqueued_ = 0;                  // over all streams: tells whether anything came
  uint64_t recording_ = 0;                 // nodes that wait for their window to start
  Stream* running_ = nullptr;              // whose nodes are in flight
  std::vector<Region> in_flight_;
  std::vector<Poison> poison_;
  std::vector<Stream*> to_resume_;    // once the mutex is free: they may be another device's
  std::atomic<int> errors_{0};        // streams with a sticky error
  std::atomic<uint32_t> signals_{0};  // counts reasons to look again, for the spinning executor

  // The executor's thread only.
  std::vector<NodePtr> window_;
  std::optional<Runnable> awake_;
};

}  // namespace npu::runtime
