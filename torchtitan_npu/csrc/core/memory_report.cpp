// SPDX-License-Identifier: Apache-2.0
// What the memory pool tells about itself: resets of its statistics and its snapshot.
#include <algorithm>
#include <array>

#include "torchtitan_npu/csrc/core/memory_pool.h"

namespace torchtitan_npu {
namespace {

using c10::CachingAllocator::Stat;
using c10::CachingAllocator::StatArray;
using Stats = MemoryPool::Stats;

constexpr std::array kArrays = {
    &Stats::allocation,      &Stats::segment,
    &Stats::active,          &Stats::inactive_split,
    &Stats::allocated_bytes, &Stats::reserved_bytes,
    &Stats::active_bytes,    &Stats::inactive_split_bytes,
    &Stats::requested_bytes,
};
constexpr std::array kSingles = {&Stats::oversize_allocations, &Stats::oversize_segments};
constexpr std::array kCounters = {&Stats::num_alloc_retries, &Stats::num_ooms,
                                  &Stats::num_sync_all_streams, &Stats::num_device_alloc,
                                  &Stats::num_device_free};

void reset_all(Stats& stats, void (Stat::*reset)()) {
  for (StatArray Stats::* array : kArrays) {
    for (Stat& stat : stats.*array) (stat.*reset)();
  }
  for (Stat Stats::* single : kSingles) (stats.*single.*reset)();
}

}  // namespace

void MemoryPool::reset_accumulated() {
  const std::lock_guard<std::mutex> lock(mutex_);
  reset_all(stats_, &Stat::reset_accumulated);
  for (int64_t Stats::* counter : kCounters) stats_.*counter = 0;
}

void MemoryPool::reset_peak() {
  const std::lock_guard<std::mutex> lock(mutex_);
  reset_all(stats_, &Stat::reset_peak);
}

void MemoryPool::snapshot(std::vector<c10::CachingDeviceAllocator::SegmentInfo>& segments) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const size_t first = segments.size();
  for (const Block* head : segments_) {
    auto& segment = segments.emplace_back();
    segment.device = device_;
    segment.address = reinterpret_cast<size_t>(head->ptr);
    segment.stream = head->stream;
    segment.is_large = !head->pool->small;
    for (const Block* block = head; block != nullptr; block = block->next) {
      auto& info = segment.blocks.emplace_back();
      info.size = block->size;
      info.requested_size = block->requested;
      info.allocated = block->allocated;
      info.active = block->allocated || block->pending_events > 0;
      segment.total_size += info.size;
      segment.requested_size += info.requested_size;
      if (info.allocated) segment.allocated_size += info.size;
      if (info.active) segment.active_size += info.size;
    }
  }
  std::sort(segments.begin() + static_cast<std::ptrdiff_t>(first), segments.end(),
            [](const auto& a, const auto& b) { return a.address < b.address; });
}

}  // namespace torchtitan_npu
