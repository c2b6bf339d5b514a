// SPDX-License-Identifier: Apache-2.0
// WorkerPool: the fixed threads of one executor. parallel_for is called by the executor's thread
// only, which works as worker 0; tiles never call it. Helpers start at the first parallel job, spin
// briefly for the next one, then sleep.
#pragma once

#include <sched.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

#include "softnpu/base/workers.h"

namespace npu::runtime {

/// Cores that this process may run on.
int available_cores();
/// Counts the calling thread as runnable while it lives; spinning is polite only while runnable
/// threads of the user's processes do not exceed the cores of this one.
class Runnable {
 public:
  Runnable();
  ~Runnable();
  static bool may_spin();
};
/// Polls `done` for some microseconds; false if it did not come true or spinning would be impolite.
template <class Done>
bool spin_until(int microseconds, Done&& done);

class WorkerPool final : public base::Workers {
 public:
  explicit WorkerPool(int size) : size_(size) {}
  ~WorkerPool() override { join(); }
  int size() const override { return size_; }
  void parallel_for(int64_t count, int64_t grain, base::TileFunction f) override;
  /// Ends the helpers; the next parallel job starts them again.
  void join();

 private:
  // gate_: bit 0 = a job is open, bits 1..15 = helpers inside, bits 16..31 = job number.
  static constexpr uint32_t kOpen = 1, kInside = 2, kInsideMask = 0xfffe, kJob = 0x10000;

  void start();
  void helper(int worker, uint32_t seen);
  bool enter(uint32_t& seen);
  void run_tiles(int worker);

  const int size_;
  std::vector<std::thread> helpers_;
  std::atomic<bool> stopping_{false};
  std::atomic<uint32_t> gate_{0};
  // The open job: written while the gate is closed and nobody is inside.
  const base::TileFunction* tile_ = nullptr;
  int64_t count_ = 0;
  int64_t grain_ = 1;
  alignas(64) std::atomic<int64_t> next_{0};
};

inline void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

template <class Done>
bool spin_until(int microseconds, Done&& done) {
  // A pause takes 10 to 150 cycles; the clock is read now and then to bound the whole.
  const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(microseconds);
  do {
    for (int i = 0; i < 16; ++i) {
      if (done()) return true;
      relax();
    }
    if (!Runnable::may_spin()) return done();
    sched_yield();  // whom we wait for may be queued behind us on this core
  } while (std::chrono::steady_clock::now() < end);
  return done();
}

}  // namespace npu::runtime
