// SPDX-License-Identifier: Apache-2.0
// The producers' side: queues, positions, waiting, errors. executor_loop.cpp is the thread.
#include "softnpu/runtime/executor.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "acl/acl_error.h"
#include "softnpu/base/options.h"
#include "softnpu/runtime/control.h"
#include "softnpu/runtime/thread.h"
#include "softnpu/runtime/window.h"

namespace npu::runtime {
namespace {

constexpr size_t kQueueCap = 16384;  // nodes of a stream; then enqueue waits
constexpr int kWaitSpinMicroseconds = 10;

int pool_size() {
  const int threads = base::options().threads;
  return threads > 0 ? threads : available_cores();
}

}  // namespace

Executor::Executor(Device& device) : device_(device), pool_(pool_size()) {}

Executor::~Executor() { shutdown(); }

void Executor::add(Stream& stream) {
  Lock lock(mutex_);
  stream.alive_ = true;
  stream.born_ = stream.enqueued_;
  streams_.push_back(&stream);
}

void Executor::remove(Stream& stream) {
  std::vector<NodePtr> dropped;
  Lock lock(mutex_);
  drop_locked(stream, dropped);
  clear_error(stream);
  stream.alive_ = false;
  stream.stop_on_failure_ = false;
  std::erase(streams_, &stream);
  resume_watchers(lock);
  lock.unlock();  // nodes are destroyed without it
}

uint64_t Executor::enqueue(Stream& stream, NodePtr node) {
  const bool alone = node->role() == Role::kBarrier || node->role() == Role::kControl;
  Lock lock(mutex_);
  if (stream.queue_.size() >= kQueueCap) [[unlikely]] {
    const uint64_t room = stream.enqueued_ - kQueueCap / 2;
    lock.unlock();
    wait(stream, room);
    lock.lock();
  }
  if (!stream.alive_) {
    base::fail(ACL_ERROR_RT_STREAM_CONTEXT, "the stream was destroyed while work was enqueued");
  }
  if (!thread_running_) [[unlikely]] {
    stopping_ = false;
    thread_ = start_thread(base::message("npu", device_.id(), "-executor"), [this] { loop(); });
    thread_running_ = true;
  }
  stream.queue_.push(std::move(node));
  ++stream.enqueued_;
  ++enqueued_;
  ++recording_;
  if (alone || !windows_enabled() || stream.enqueued_ - stream.started_ >= kWindowCap) {
    start_locked(stream, stream.enqueued_);
  } else if (sleep_ == Sleep::kIdle) {
    wake();  // so that it starts the window when nothing more comes
  }
  const uint64_t position = stream.enqueued_;
  release(lock);
  return position;
}

uint64_t Executor::position(Stream& stream) {
  Lock lock(mutex_);
  return stream.enqueued_;
}

void Executor::start(Stream& stream, uint64_t position) {
  Lock lock(mutex_);
  start_locked(stream, position);
  release(lock);
}

void Executor::start_locked(Stream& stream, uint64_t position) {
  position = std::min(position, stream.enqueued_);
  if (position <= stream.started_) return;
  recording_ -= position - stream.started_;
  stream.started_ = position;
  link(stream);
}

// Puts the stream into the ready list if its front may be looked at.
void Executor::link(Stream& stream) {
  if (stream.ready_ || stream.in_flight_ || stream.stalled_ || stream.claimed_ >= stream.started_) {
    return;
  }
  stream.ready_ = true;
  ready_[stream.priority_].push(&stream);
  ready_mask_ |= 1u << stream.priority_;
  signals_.fetch_add(1, std::memory_order_release);
  wake();
}

void Executor::wake() {
  if (sleep_ == Sleep::kAwake) return;
  sleep_ = Sleep::kAwake;  // one notification is enough
  notify_ = true;
}

// The executor is notified without the mutex, which it would have to wait for.
void Executor::release(Lock& lock) {
  const bool notify = std::exchange(notify_, false);
  lock.unlock();
  if (notify) work_.notify_one();
}

bool Executor::wait(Stream& stream, uint64_t position, const Deadline& deadline) {
  const auto reached = [&] { return stream.completed() >= position; };
  if (reached()) return true;
  start(stream, position);
  {
    const Runnable waiting;
    if (spin_until(kWaitSpinMicroseconds, reached)) return true;
  }
  Lock lock(mutex_);
  while (!reached()) {
    stream.awaited_ = std::min(stream.awaited_, position);
    if (!done_.wait(lock, deadline)) return reached();
  }
  return true;
}

void Executor::complete(std::span<const Region> touched) {
  const auto conflicts = [&](std::span<const Region> regions) {
    for (const Region& a : regions) {
      for (const Region& b : touched) {
        if (overlap(a, b) && (a.write || b.write)) return true;
      }
    }
    return false;
  };
  struct Target {
    Stream* stream;
    uint64_t position;
  };
  std::vector<Target> targets;
  {
    Lock lock(mutex_);
    for (Stream* stream : streams_) {
      uint64_t last = 0;
      if (stream == running_ && conflicts(in_flight_)) last = stream->claimed_;
      for (size_t i = stream->queue_.size(); i > 0; --i) {
        if (conflicts(stream->queue_[i - 1]->regions())) {
          last = stream->claimed_ + i;
          break;
        }
      }
      if (last > 0) targets.push_back({stream, last});
    }
  }
  for (const Target& target : targets) wait(*target.stream, target.position);
}

bool Executor::watch(Stream& stream, uint64_t position, Stream& waiting) {
  Lock lock(mutex_);
  if (stream.completed_.load(std::memory_order_relaxed) >= position) return false;
  stream.watchers_.push_back({position, &waiting});
  start_locked(stream, position);
  release(lock);
  return true;
}

void Executor::resume(Stream& stream) {
  Lock lock(mutex_);
  stream.stalled_ = false;
  link(stream);
  release(lock);
}

void Executor::drop(Stream& stream) {
  std::vector<NodePtr> dropped;
  Lock lock(mutex_);
  drop_locked(stream, dropped);
  resume_watchers(lock);
  lock.unlock();
}

void Executor::drop_locked(Stream& stream, std::vector<NodePtr>& dropped) {
  dropped.reserve(stream.queue_.size());
  while (!stream.queue_.empty()) dropped.push_back(stream.queue_.pop());
  recording_ -= stream.enqueued_ - stream.started_;
  stream.started_ = stream.claimed_ = stream.enqueued_;
  stream.stalled_ = false;
  if (!stream.in_flight_) advance(stream);
}

// Publishes that the stream got to claimed_, and tells those who wait for that.
void Executor::advance(Stream& stream) {
  const uint64_t position = stream.claimed_;
  stream.completed_.store(position, std::memory_order_release);
  if (position >= stream.awaited_) {
    stream.awaited_ = std::numeric_limits<uint64_t>::max();
    done_.notify_all();
  }
  if (stream.watchers_.empty()) return;
  std::erase_if(stream.watchers_, [&](const Stream::Watcher& watcher) {
    if (watcher.position > position) return false;
    to_resume_.push_back(watcher.waiting);
    return true;
  });
}

void Executor::throw_error(Stream& stream, uint64_t position) {
  if (errors_.load(std::memory_order_acquire) == 0) return;
  Lock lock(mutex_);
  if (!stream.error_ || stream.error_->position > position) return;
  const base::Error error = std::move(stream.error_->error);
  clear_error(stream);
  throw error;
}

void Executor::throw_any_error() {
  if (errors_.load(std::memory_order_acquire) == 0) return;
  Lock lock(mutex_);
  std::unique_ptr<Stream::StickyError> first;
  int more = -1;
  for (Stream* stream : streams_) {
    if (!stream->error_) continue;
    if (!first) first = std::make_unique<Stream::StickyError>(std::move(*stream->error_));
    clear_error(*stream);
    ++more;
  }
  if (!first) return;
  if (more == 0) throw base::Error(first->error);
  base::fail(first->error.code(), first->error.what(), " (and ", more,
             " more streams of the device failed)");
}

void Executor::clear_error(Stream& stream) {
  if (!stream.error_) return;
  stream.error_.reset();
  errors_.fetch_sub(1, std::memory_order_release);
  std::erase_if(poison_, [&](const Poison& poison) { return poison.owner == &stream; });
}

void Executor::set_stop_on_failure(Stream& stream, bool stop) {
  Lock lock(mutex_);
  stream.stop_on_failure_ = stop;
}

bool Executor::stop_on_failure(Stream& stream) {
  Lock lock(mutex_);
  return stream.stop_on_failure_;
}

int64_t Executor::busy_ns() {
  Lock lock(mutex_);
  return (busy_time_ + (busy_ ? Clock::now() - busy_since_ : Clock::duration::zero())).count();
}

std::vector<Stream*> Executor::streams() {
  Lock lock(mutex_);
  return streams_;
}

}  // namespace npu::runtime
