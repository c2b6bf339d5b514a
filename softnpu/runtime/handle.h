// SPDX-License-Identifier: Apache-2.0
// HandleTable: turns objects into opaque numbers and back, so that null, foreign and stale handles
// are found without following them. Objects are recycled, never freed: a thread that still holds a
// reference to a destroyed one touches valid memory. find() takes no lock.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "softnpu/runtime/context.h"

namespace npu::runtime {

/// T has a member `Handle handle_` and befriends the table. kKind (1..15) tells tables apart.
template <class T, int kKind, uint32_t kCapacity>
class HandleTable {
 public:
  /// The object of a live handle, else nullptr.
  T* find(Handle handle) const noexcept {
    const auto value = reinterpret_cast<uint64_t>(handle);
    const Slot* slot = slot_of(value);
    return slot && slot->live.load(std::memory_order_acquire) == value ? slot->object.get()
                                                                       : nullptr;
  }

  /// A new or recycled object with its next handle; nobody finds it before publish(). nullptr when
  /// the table is full.
  T* acquire() {
    std::lock_guard lock(mutex_);
    uint32_t index = 0;
    if (!free_.empty()) {
      index = free_.back();
      free_.pop_back();
    } else if (size_ < kCapacity) {
      index = size_++;
      if (index % kChunk == 0) chunks_[index / kChunk].store(new Slot[kChunk]);
    } else {
      return nullptr;
    }
    Slot& slot = chunks_[index / kChunk].load()[index % kChunk];
    if (!slot.object) slot.object = std::make_unique<T>();
    slot.generation = (slot.generation + 1) & 0x7fffffff;
    slot.object->handle_ = reinterpret_cast<Handle>(uint64_t{slot.generation} << kGenerationShift |
                                                    uint64_t{index} << kIndexShift | kKind);
    return slot.object.get();
  }
  void publish(T& object) {
    const auto value = reinterpret_cast<uint64_t>(object.handle_);
    slot_of(value)->live.store(value, std::memory_order_release);
  }
  /// Makes the handle stale; nullptr if it was already (of two racing calls, one wins).
  T* retire(Handle handle) noexcept {
    auto value = reinterpret_cast<uint64_t>(handle);
    Slot* slot = slot_of(value);
    if (!slot || value == 0 || !slot->live.compare_exchange_strong(value, 0)) return nullptr;
    return slot->object.get();
  }
  /// Gives a retired (or never published) object back for reuse.
  void recycle(T& object) {
    const auto value = reinterpret_cast<uint64_t>(object.handle_);
    std::lock_guard lock(mutex_);
    free_.push_back(index_of(value));
  }
  /// Handles that are live now.
  std::vector<Handle> live() const {
    std::lock_guard lock(mutex_);
    std::vector<Handle> handles;
    for (uint32_t i = 0; i < size_; ++i) {
      if (const uint64_t value = chunks_[i / kChunk].load()[i % kChunk].live.load()) {
        handles.push_back(reinterpret_cast<Handle>(value));
      }
    }
    return handles;
  }

 private:
  static constexpr int kIndexShift = 4, kGenerationShift = 28;
  static constexpr uint32_t kChunk = 256;
  static_assert(kCapacity % kChunk == 0 && kCapacity <= (1u << 24) && kKind > 0 && kKind < 16);

  struct Slot {
    std::atomic<uint64_t> live{0};  // the handle while it may be used, else 0
    uint32_t generation = 0;
    std::unique_ptr<T> object;
  };

  static uint32_t index_of(uint64_t value) { return (value >> kIndexShift) & 0xffffff; }
  Slot* slot_of(uint64_t value) const noexcept {
    const uint32_t index = index_of(value);
    if ((value & 15) != kKind || index >= kCapacity) return nullptr;
    Slot* chunk = chunks_[index / kChunk].load(std::memory_order_acquire);
    return chunk ? &chunk[index % kChunk] : nullptr;
  }

  mutable std::mutex mutex_;
  std::array<std::atomic<Slot*>, kCapacity / kChunk> chunks_{};
  std::vector<uint32_t> free_;
  uint32_t size_ = 0;
};

}  // namespace npu::runtime
