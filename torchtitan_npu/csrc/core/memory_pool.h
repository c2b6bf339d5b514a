// SPDX-License-Identifier: Apache-2.0
// The memory of one device as the caching allocator sees it: segments bought from CANN, cut into
// blocks, kept after use. Used only by allocator.cpp; every member locks mutex_ itself and never
// waits for the device or touches Python while holding it.
#pragma once

#include <c10/core/CachingDeviceAllocator.h>

#include <array>
#include <deque>
#include <mutex>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "torchtitan_npu/csrc/core/event.h"
#include "torchtitan_npu/csrc/core/stream.h"

namespace torchtitan_npu {

struct Block;
struct BlockKey {
  c10::StreamId stream_id;
  size_t size;
  bool operator==(const BlockKey&) const = default;
};
struct BlockOrder {
  using is_transparent = void;
  bool operator()(const Block* a, const Block* b) const noexcept;
  bool operator()(const Block* a, const BlockKey& b) const noexcept;
};
using BlockSet = std::set<Block*, BlockOrder>;

/// Free blocks of one size class, by (stream, size, address).
struct BlockPool {
  explicit BlockPool(bool is_small) : small(is_small) {}

  bool small;
  BlockSet free_blocks;
  int64_t lookups = 0;  // the clock of garbage collection
};

/// A piece of a segment; its neighbours in the segment are prev and next.
struct Block {
  std::byte* ptr = nullptr;
  size_t size = 0;
  size_t requested = 0;
  aclrtStream stream = nullptr;  // whose order it is reused in
  c10::StreamId stream_id = 0;
  c10::DeviceIndex device = 0;
  bool allocated = false;
  int pending_events = 0;
  int64_t freed_at = 0;  // pool->lookups when it became free
  Block* next_recent = nullptr;
  bool recent = false;  // waits in a RecentBlocks, joined with nothing
  BlockPool* pool = nullptr;
  Block* prev = nullptr;
  Block* next = nullptr;
  std::vector<NPUStream> other_streams;  // record_stream()
  BlockSet::node_type node;  // its entry in free_blocks while in use: no malloc per reuse

  bool is_split() const noexcept { return prev != nullptr || next != nullptr; }
};

/// Blocks freed lately, by exact size and stream. Most requests repeat a size, and such a block
/// needs no search, split or join; the pool empties it before it buys memory.
class RecentBlocks {
 public:
  Block* take(const BlockKey& key);
  /// False when another size holds the place or enough blocks wait already.
  bool put(Block* block);
  /// Some block, or null when empty.
  Block* take_any();

 private:
  static constexpr size_t kPlaces = 256;
  static constexpr int kDepth = 16;
  struct Place {
    BlockKey key{};
    Block* first = nullptr;
    int count = 0;
  };
  Place& place_of(const BlockKey& key);
  Block* pop(Place& place);

  std::array<Place, kPlaces> places_;
  size_t count_ = 0;
};

class MemoryPool {
 public:
  using Stats = c10::CachingDeviceAllocator::DeviceStats;

  explicit MemoryPool(c10::DeviceIndex device);

  /// A cached or newly bought block, or null when the device has no room for a new segment: then
  /// `why` tells. Throws for any other error of CANN.
  enum class NoRoom { kNone, kDevice, kFraction };
  Block* allocate(size_t bytes, const NPUStream& stream, NoRoom* why);
  void free(Block* block);
  void record_stream(Block* block, const NPUStream& stream);

  /// Gives whole free segments back to CANN. Call after the device was synchronised.
  void release_cached();
  /// One more line of defence before out-of-memory: counts it and releases what is cached.
  void release_for_retry();
  void count_out_of_memory();

  void set_limit(size_t bytes);
  size_t limit();
  Stats stats();
  void reset_accumulated();
  void reset_peak();
  void snapshot(std::vector<c10::CachingDeviceAllocator::SegmentInfo>& segments);

 private:
  Block* find_free(BlockPool& pool, size_t size, c10::StreamId stream);
  Block* buy_segment(BlockPool& pool, size_t size, const NPUStream& stream, NoRoom* why);
  Block* take(Block* block, size_t size, size_t requested);
  void add_event(Block* block, const NPUStream& stream);
  void make_inactive(Block* block);
  void put_back(Block* block);
  void join_recent();
  void absorb(Block* block, Block* neighbour);
  void release_segment(Block* block);
  void release_pool(BlockPool& pool);
  void collect_garbage(size_t wanted);
  bool release_oversize(size_t size);
  void process_events();

  std::mutex mutex_;
  c10::DeviceIndex device_;
  BlockPool small_{true};
  BlockPool large_{false};
  RecentBlocks recent_;
  std::unordered_set<Block*> segments_;  // the first block of each
  std::unordered_map<c10::StreamId, std::deque<std::pair<NPUEvent, Block*>>> events_;
  size_t outstanding_events_ = 0;
  std::vector<NPUEvent> spare_events_;
  size_t limit_ = 0;  // bytes this process may reserve, 0 = no limit
  Stats stats_;
};

// Every figure is kept for all memory and for the block's size class.
inline size_t class_of(const BlockPool& pool) {
  using c10::CachingAllocator::StatType;
  return static_cast<size_t>(pool.small ? StatType::SMALL_POOL : StatType::LARGE_POOL);
}
inline void increase(c10::CachingAllocator::StatArray& stat, const BlockPool& pool, size_t amount) {
  stat[0].increase(amount);
  stat[class_of(pool)].increase(amount);
}
inline void decrease(c10::CachingAllocator::StatArray& stat, const BlockPool& pool, size_t amount) {
  stat[0].decrease(amount);
  stat[class_of(pool)].decrease(amount);
}

}  // namespace torchtitan_npu
