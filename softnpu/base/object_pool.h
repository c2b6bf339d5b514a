// SPDX-License-Identifier: Apache-2.0
// ObjectPool: recycled objects of one type. take() and give() touch only the calling thread's list,
// which trades batches with a shared one, so objects may be given back by another thread. Objects
// are constructed once and never destroyed or unmapped: a stale pointer stays readable.
#pragma once

#include <mutex>

namespace npu::base {

template <class T>
class ObjectPool {
 public:
  static T* take() {
    Cache& cache = cache_;
    if (cache.head == nullptr) [[unlikely]] {
      refill(cache);
    }
    Slot* slot = cache.head;
    cache.head = slot->next;
    --cache.count;
    return &slot->object;
  }

  static void give(T* object) noexcept {
    Cache& cache = cache_;
    auto* slot = reinterpret_cast<Slot*>(object);
    slot->next = cache.head;
    cache.head = slot;
    if (++cache.count >= 2 * kBatch) [[unlikely]] {
      spill(cache, kBatch);
    }
  }

 private:
  static constexpr int kBatch = 64;

  struct Slot {
    T object;  // first, so that a pointer to it is a pointer to the slot
    Slot* next = nullptr;
  };
  struct Cache {
    Slot* head = nullptr;
    int count = 0;
    ~Cache() { spill(*this, count); }
  };
  struct Shared {
    std::mutex mutex;
    Slot* head = nullptr;  // guarded by mutex
  };

  static void refill(Cache& cache) {
    {
      std::lock_guard lock(shared_.mutex);
      while (shared_.head != nullptr && cache.count < kBatch) {
        Slot* slot = shared_.head;
        shared_.head = slot->next;
        slot->next = cache.head;
        cache.head = slot;
        ++cache.count;
      }
    }
    if (cache.head != nullptr) return;
    Slot* slab = new Slot[kBatch];  // lives as long as the process
    for (int i = 0; i < kBatch; ++i) {
      slab[i].next = cache.head;
      cache.head = &slab[i];
    }
    cache.count += kBatch;
  }

  static void spill(Cache& cache, int count) noexcept {
    if (count == 0) return;
    Slot* first = cache.head;
    Slot* last = first;
    for (int i = 1; i < count; ++i) last = last->next;
    cache.head = last->next;
    cache.count -= count;
    std::lock_guard lock(shared_.mutex);
    last->next = shared_.head;
    shared_.head = first;
  }

  static inline thread_local Cache cache_;
  static inline constinit Shared shared_;
};

}  // namespace npu::base
