// SPDX-License-Identifier: Apache-2.0
// Mutex and Condition for short critical sections: the mutex spins briefly before it sleeps, the
// condition waits on the monotonic clock. Used with std::unique_lock.
#pragma once

#include <pthread.h>
#include <time.h>

#include <chrono>
#include <mutex>
#include <optional>

namespace npu::runtime {

using Clock = std::chrono::steady_clock;
/// Empty = never.
using Deadline = std::optional<Clock::time_point>;

class Mutex {
 public:
  Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;
  void lock() { pthread_mutex_lock(&mutex_); }
  void unlock() { pthread_mutex_unlock(&mutex_); }
  pthread_mutex_t* native() { return &mutex_; }

 private:
#ifdef PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP
  pthread_mutex_t mutex_ = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;
#else
  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
#endif
};
using Lock = std::unique_lock<Mutex>;

class Condition {
 public:
  Condition() {
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&condition_, &attributes);
    pthread_condattr_destroy(&attributes);
  }
  ~Condition() { pthread_cond_destroy(&condition_); }
  Condition(const Condition&) = delete;
  Condition& operator=(const Condition&) = delete;

  void notify_one() { pthread_cond_signal(&condition_); }
  void notify_all() { pthread_cond_broadcast(&condition_); }
  /// False when the deadline has passed. May wake early.
  bool wait(Lock& lock, const Deadline& deadline = {}) {
    if (!deadline) {
      pthread_cond_wait(&condition_, lock.mutex()->native());
      return true;
    }
    const auto ns =
        std::chrono::duration_cast<std::chrono::nanoseconds>(deadline->time_since_epoch()).count();
    const timespec until{static_cast<time_t>(ns / 1'000'000'000),
                         static_cast<long>(ns % 1'000'000'000)};
    return pthread_cond_timedwait(&condition_, lock.mutex()->native(), &until) == 0;
  }

 private:
  pthread_cond_t condition_;
};

}  // namespace npu::runtime
