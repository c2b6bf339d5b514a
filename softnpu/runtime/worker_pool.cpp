// SPDX-License-Identifier: Apache-2.0
#include "softnpu/runtime/worker_pool.h"

#include <sched.h>

#include "softnpu/base/error.h"
#include "softnpu/runtime/shared_slots.h"
#include "softnpu/runtime/thread.h"

namespace npu::runtime {
namespace {

constexpr int kHelperSpinMicroseconds = 20;

// Runnable threads of all the user's processes: ranks of one job share the cores.
SharedSlots& runnable() {
  static SharedSlots& slots = *new SharedSlots("runnable");  // never destroyed: see Note [Exit]
  return slots;
}

}  // namespace

int available_cores() {
  static const int cores = [] {
    cpu_set_t set;
    CPU_ZERO(&set);
    const int n = sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 0;
    return n > 0 ? n : 1;
  }();
  return cores;
}

Runnable::Runnable() { runnable().mine().fetch_add(1, std::memory_order_relaxed); }
Runnable::~Runnable() { runnable().mine().fetch_sub(1, std::memory_order_relaxed); }
bool Runnable::may_spin() { return runnable().sum() <= available_cores(); }

void WorkerPool::parallel_for(int64_t count, int64_t grain, base::TileFunction f) {
  if (grain < 1) grain = 1;
  if (count <= grain || size_ == 1) {
    if (count > 0) f(0, count, 0);
    return;
  }
  if (helpers_.empty()) start();
  tile_ = &f;
  count_ = count;
  grain_ = grain;
  next_.store(0, std::memory_order_relaxed);
  gate_.fetch_add(kJob | kOpen, std::memory_order_release);
  gate_.notify_all();
  run_tiles(0);
  // Close the gate, then wait for helpers that are still in a tile.
  uint32_t gate = gate_.fetch_sub(kOpen, std::memory_order_acq_rel) - kOpen;
  if ((gate & kInsideMask) == 0) return;
  const auto empty = [&] {
    gate = gate_.load(std::memory_order_acquire);
    return (gate & kInsideMask) == 0;
  };
  if (spin_until(kHelperSpinMicroseconds, empty)) return;
  while (!empty()) gate_.wait(gate, std::memory_order_acquire);
}

void WorkerPool::run_tiles(int worker) {
  for (;;) {
    const int64_t begin = next_.fetch_add(grain_, std::memory_order_relaxed);
    if (begin >= count_) return;
    const int64_t end = begin + grain_ < count_ ? begin + grain_ : count_;
    (*tile_)(begin, end, worker);
  }
}

// Enters the open job if it is a new one.
bool WorkerPool::enter(uint32_t& seen) {
  uint32_t gate = gate_.load(std::memory_order_acquire);
  while ((gate & kOpen) && gate / kJob != seen) {
    if (gate_.compare_exchange_weak(gate, gate + kInside, std::memory_order_acq_rel,
                                    std::memory_order_acquire)) {
      seen = gate / kJob;
      return true;
    }
  }
  return false;
}

void WorkerPool::helper(int worker, uint32_t seen) {
  while (!stopping_.load(std::memory_order_acquire)) {
    {
      const Runnable awake;
      bool inside = enter(seen);
      do {
        if (inside) {
          run_tiles(worker);
          const uint32_t left = gate_.fetch_sub(kInside, std::memory_order_acq_rel) - kInside;
          if ((left & (kOpen | kInsideMask)) == 0) gate_.notify_all();  // the executor may wait
        }
        inside = spin_until(kHelperSpinMicroseconds, [&] { return enter(seen); });
      } while (inside);
    }
    // Sleep until the gate changes from a state that has nothing for this helper.
    const uint32_t gate = gate_.load(std::memory_order_acquire);
    const bool work = (gate & kOpen) && gate / kJob != seen;
    if (!work && !stopping_.load(std::memory_order_acquire)) {
      gate_.wait(gate, std::memory_order_acquire);
    }
  }
}

void WorkerPool::start() {
  stopping_.store(false);
  const uint32_t seen = gate_.load() / kJob;
  for (int i = 1; i < size_; ++i) {
    helpers_.push_back(
        start_thread(base::message("npu-worker-", i), [this, i, seen] { helper(i, seen); }));
  }
}

void WorkerPool::join() {
  if (helpers_.empty()) return;
  stopping_.store(true);
  gate_.fetch_add(kJob);  // a new, closed job number: wakes every sleeper
  gate_.notify_all();
  for (std::thread& helper : helpers_) helper.join();
  helpers_.clear();
}

}  // namespace npu::runtime
