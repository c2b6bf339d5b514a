// SPDX-License-Identifier: Apache-2.0
// The executor's thread: picks a stream, runs its next node or window, sleeps when there is none.
#include <algorithm>
#include <bit>

#include "acl/acl_error.h"
#include "softnpu/runtime/control.h"
#include "softnpu/runtime/device.h"
#include "softnpu/runtime/executor.h"
#include "softnpu/runtime/window.h"

namespace npu::runtime {
namespace {

constexpr int kIdleSpinMicroseconds = 20;
constexpr auto kRecordingPatience = std::chrono::microseconds(300);

bool joins_window(const Node& node) {
  return node.role() == Role::kOperator || node.role() == Role::kRelease;
}

}  // namespace

void Executor::loop() {
  Lock lock(mutex_);
  awake_.emplace();
  set_busy(true);
  while (!stopping_) {
    if (Stream* stream = next_ready()) {
      step(*stream, lock);
    } else {
      idle(lock);
    }
  }
  set_busy(false);
  awake_.reset();
}

void Executor::set_busy(bool busy) {
  const auto now = Clock::now();
  if (busy_) busy_time_ += now - busy_since_;
  busy_ = busy;
  busy_since_ = now;
}

Stream* Executor::next_ready() {
  while (ready_mask_ != 0) {
    const int priority = std::countr_zero(ready_mask_);
    Stream* stream = ready_[priority].pop();
    if (ready_[priority].empty()) ready_mask_ &= ~(1u << priority);
    stream->ready_ = false;
    // It may have been dropped since it was linked.
    if (!stream->in_flight_ && !stream->stalled_ && stream->claimed_ < stream->started_) {
      return stream;
    }
  }
  return nullptr;
}

void Executor::step(Stream& stream, Lock& lock) {
  Node& front = *stream.queue_.front();
  if (front.role() != Role::kControl) {
    run_window(stream, lock);
    return;
  }
  if (!static_cast<ControlNode&>(front).poll(stream)) {
    stream.stalled_ = true;
    return;
  }
  NodePtr passed = stream.queue_.pop();
  ++stream.claimed_;
  advance(stream);
  link(stream);
  resume_watchers(lock);
  lock.unlock();
  passed.reset();
  lock.lock();
}

void Executor::run_window(Stream& stream, Lock& lock) {
  const bool gather = windows_enabled() && joins_window(*stream.queue_.front());
  const uint64_t first = stream.claimed_ + 1;
  do {
    window_.push_back(stream.queue_.pop());
    ++stream.claimed_;
    const auto regions = window_.back()->regions();
    in_flight_.insert(in_flight_.end(), regions.begin(), regions.end());
  } while (gather && stream.claimed_ < stream.started_ && window_.size() < kWindowCap &&
           joins_window(*stream.queue_.front()));
  stream.in_flight_ = true;
  running_ = &stream;
  lock.unlock();

  if (gather) {
    try {
      rewrite(window_);
      device_.counters().windows_rewritten.fetch_add(1, std::memory_order_relaxed);
    } catch (const std::exception& e) {  // a bug there; the nodes are still what they were
      Lock guard(mutex_);
      fail(stream, *window_.front(), first, ACL_ERROR_RT_INTERNAL_ERROR, e.what());
    }
  }
  uint64_t position = first;
  for (const NodePtr& node : window_) run_node(stream, *node, position++);
  window_.clear();  // destroys the nodes before anybody learns that they ran

  lock.lock();
  in_flight_.clear();
  running_ = nullptr;
  stream.in_flight_ = false;
  advance(stream);
  link(stream);
  resume_watchers(lock);
}

void Executor::run_node(Stream& stream, Node& node, uint64_t position) {
  if (errors_.load(std::memory_order_relaxed) > 0 && skip(stream, node, position)) return;
  Counters& counters = device_.counters();
  try {
    node.run(pool_);
    counters.nodes_run.fetch_add(1, std::memory_order_relaxed);
    return;
  } catch (const base::Error& e) {
    Lock lock(mutex_);
    fail(stream, node, position, e.code(), e.what());
  } catch (const std::bad_alloc&) {
    Lock lock(mutex_);
    fail(stream, node, position, ACL_ERROR_RT_MEMORY_ALLOCATION, "the host is out of memory");
  } catch (const std::exception& e) {
    Lock lock(mutex_);
    fail(stream, node, position, ACL_ERROR_RT_INTERNAL_ERROR, e.what());
  }
  counters.nodes_failed.fetch_add(1, std::memory_order_relaxed);
}

// A node that reads what a failed one should have written does not run, and is an error of its own
// stream: its result is missing as well.
bool Executor::skip(Stream& stream, const Node& node, uint64_t position) {
  Lock lock(mutex_);
  const Poison* found = nullptr;
  for (const Region& region : node.regions()) {
    if (region.write) continue;
    for (const Poison& poison : poison_) {
      if (overlap(region, poison.region)) found = &poison;
    }
  }
  if (found) {
    const Poison cause = *found;  // fail() grows the list
    fail(stream, node, position, cause.code,
         base::message("it did not run because it needs the result of ", cause.name,
                       ", which is missing"));
  } else if (stream.stop_on_failure_ && stream.error_) {
    fail(stream, node, position, stream.error_->error.code(), "the stream stopped at an error");
  } else {
    return false;
  }
  device_.counters().nodes_skipped.fetch_add(1, std::memory_order_relaxed);
  return true;
}

void Executor::fail(Stream& stream, const Node& node, uint64_t position, int code,
                    std::string_view why) {
  for (const Region& region : node.regions()) {
    if (region.write) poison_.push_back({region, &stream, node.name(), code});
  }
  if (stream.error_) return;  // the first one says why
  std::string text =
      base::message(node.name(), " failed on device ", device_.id(), ", stream ", stream.id(),
                    " (operation ", position - stream.born_, "): ", why);
  if (const std::string shapes = node.describe(); !shapes.empty()) {
    text += base::message("; operands: ", shapes);
  }
  stream.error_ = std::make_unique<Stream::StickyError>(
      Stream::StickyError{position, base::Error(code, std::move(text))});
  errors_.fetch_add(1, std::memory_order_release);
}

void Executor::resume_watchers(Lock& lock) {
  if (to_resume_.empty()) return;
  std::vector<Stream*> streams;
  streams.swap(to_resume_);
  lock.unlock();
  for (Stream* stream : streams) npu::runtime::resume(*stream);
  lock.lock();
}

void Executor::idle(Lock& lock) {
  set_busy(false);
  const uint32_t seen = signals_.load(std::memory_order_relaxed);
  lock.unlock();
  spin_until(kIdleSpinMicroseconds,
             [&] { return signals_.load(std::memory_order_acquire) != seen; });
  lock.lock();
  if (ready_mask_ == 0 && !stopping_) {
    awake_.reset();
    if (recording_ == 0) {
      sleep_ = Sleep::kIdle;
      work_.wait(lock);
    } else {
      // Something is being recorded: if nothing more comes for a while, it runs as far as it is.
      sleep_ = Sleep::kTimed;
      const uint64_t before = enqueued_;
      const bool woken = work_.wait(lock, Clock::now() + kRecordingPatience);
      if (!woken && enqueued_ == before) start_all();
    }
    sleep_ = Sleep::kAwake;
    awake_.emplace();
  }
  set_busy(true);
}

void Executor::start_all() {
  for (Stream* stream : streams_) start_locked(*stream, stream->enqueued_);
}

bool Executor::quiesce() {
  Lock lock(mutex_);
  start_all();
  release(lock);
  lock.lock();
  bool waited = false;
  while (ready_mask_ != 0 || running_ != nullptr) {
    waited = true;
    done_.wait(lock, Clock::now() + kRecordingPatience);  // rare: only finalize comes here
  }
  return waited;
}

void Executor::shutdown() {
  {
    Lock lock(mutex_);
    if (!thread_running_) return;
    stopping_ = true;
    signals_.fetch_add(1, std::memory_order_release);
    wake();
    release(lock);
  }
  thread_.join();
  pool_.join();
  Lock lock(mutex_);
  thread_running_ = false;
}

}  // namespace npu::runtime
