// SPDX-License-Identifier: Apache-2.0
#include "softnpu/runtime/memory.h"

#include <cstring>
#include <map>
#include <random>
#include <set>
#include <thread>

#include "softnpu/base/soc.h"
#include "softnpu/runtime/copy.h"
#include "softnpu/runtime/host_budget.h"
#include "testing_nodes.h"

namespace npu::runtime {
namespace {

using MemoryTest = RuntimeTest;

TEST_F(MemoryTest, AddressesAreTaggedAndResolve) {
  auto* address = static_cast<std::byte*>(allocate(current_device(), 1000));
  EXPECT_TRUE(is_device_address(address));
  EXPECT_EQ(reinterpret_cast<uintptr_t>(address) % kDeviceAlignment, 0u);
  std::byte* host = resolve(address + 10, 990, "self");
  std::memset(host, 7, 990);
  EXPECT_EQ(*resolve(address + 999, 1, "self"), std::byte{7});
  release(address);
}

TEST_F(MemoryTest, HostCodeFaultsOnADeviceAddress) {
  void* address = allocate(current_device(), 64);
  EXPECT_DEATH(*static_cast<volatile int*>(address) = 1, "");
  release(address);
}

TEST_F(MemoryTest, RangesOutsideAnAllocationAreRefusedByName) {
  auto* address = static_cast<std::byte*>(allocate(current_device(), 1024));
  expect_error(ACL_ERROR_RT_PARAM_INVALID, "weight uses 1025 bytes",
               [&] { resolve(address, 1025, "weight"); });
  expect_error(ACL_ERROR_RT_PARAM_INVALID, "from byte 1000 of an allocation of 1024",
               [&] { resolve(address + 1000, 25, "weight"); });
  expect_error(ACL_ERROR_RT_PARAM_INVALID, "bias is a null address",
               [&] { resolve(nullptr, 4, "bias"); });
  int local = 0;
  expect_error(ACL_ERROR_RT_PARAM_INVALID, "neither device memory nor pinned",
               [&] { resolve(&local, 4, "out"); });
  EXPECT_NO_THROW(resolve(nullptr, 0, "empty"));
  release(address);
  expect_error(ACL_ERROR_RT_PARAM_INVALID, "freed", [&] { resolve(address, 4, "self"); });
}

TEST_F(MemoryTest, AFreeIsSeenByEveryThread) {
  void* address = allocate(current_device(), 4096);
  resolve(address, 4, "self");
  std::thread([&] {
    resolve(address, 4, "self");  // this thread remembers the allocation
    std::thread([&] { release(address); }).join();
    expect_error(ACL_ERROR_RT_PARAM_INVALID, "freed", [&] { resolve(address, 4, "self"); });
  }).join();
  expect_error(ACL_ERROR_RT_PARAM_INVALID, "freed", [&] { resolve(address, 4, "self"); });
}

TEST_F(MemoryTest, WrongFreesAreErrors) {
  auto* address = static_cast<std::byte*>(allocate(current_device(), 4096));
  expect_error(ACL_ERROR_RT_PARAM_INVALID, "not the start", [&] { release(address + 512); });
  release(address);
  expect_error(ACL_ERROR_RT_PARAM_INVALID, "was it freed", [&] { release(address); });
  expect_error(ACL_ERROR_RT_PARAM_INVALID, "null", [&] { release(nullptr); });
  int local = 0;
  expect_error(ACL_ERROR_RT_PARAM_INVALID, "not a device address", [&] { release(&local); });
  expect_error(ACL_ERROR_RT_PARAM_INVALID, "0 bytes", [&] { allocate(current_device(), 0); });
}

TEST_F(MemoryTest, FreedRangesAreReusedAndJoined) {
  Device& device = current_device();
  void* first = allocate(device, 1 << 20);
  void* second = allocate(device, 1 << 20);
  void* guard = allocate(device, 512);
  release(first);
  release(second);
  void* both = allocate(device, 2 << 20);
  EXPECT_EQ(both, first);
  release(both);
  void* small = allocate(device, 512);
  void* fits = allocate(device, (2 << 20) - 512);
  EXPECT_EQ(small, first);
  EXPECT_EQ(static_cast<std::byte*>(fits), static_cast<std::byte*>(first) + 512);
  release(small);
  release(fits);
  release(guard);
}

TEST_F(MemoryTest, AllocationsNeverOverlap) {
  Device& device = current_device();
  std::mt19937 random(3);
  std::map<uintptr_t, size_t> live;
  for (int i = 0; i < 3000; ++i) {
    if (live.size() > 100 || (!live.empty() && random() % 3 == 0)) {
      auto it = std::next(live.begin(), static_cast<long>(random() % live.size()));
      release(reinterpret_cast<void*>(it->first));
      live.erase(it);
      continue;
    }
    const size_t bytes = 1 + random() % (random() % 5 == 0 ? 3000000 : 5000);
    const auto begin = reinterpret_cast<uintptr_t>(allocate(device, bytes));
    const auto [it, fresh] = live.emplace(begin, bytes);
    ASSERT_TRUE(fresh);
    const auto next = std::next(it);
    const bool before_next = next == live.end() || begin + bytes <= next->first;
    const bool after_previous =
        it == live.begin() || std::prev(it)->first + std::prev(it)->second <= begin;
    ASSERT_TRUE(before_next && after_previous);
  }
  for (const auto& [begin, bytes] : live) release(reinterpret_cast<void*>(begin));
  EXPECT_EQ(device.counters().allocated_bytes, 0);
}

TEST_F(MemoryTest, MemoryInfoFollowsAllocations) {
  Device& device = current_device();
  EXPECT_EQ(device.memory().total, static_cast<size_t>(base::soc().hbm_bytes));
  void* address = allocate(device, 1 << 20);
  EXPECT_EQ(device.counters().allocated_bytes, 1 << 20);
  EXPECT_LE(device.memory().free, device.memory().total - (1 << 20));
  release(address);
  EXPECT_EQ(device.counters().allocated_bytes, 0);
}

TEST_F(MemoryTest, OneTerabyteIsOutOfMemoryAndTheDeviceGoesOn) {
  Device& device = current_device();
  expect_error(ACL_ERROR_RT_MEMORY_ALLOCATION, "more than the device has",
               [&] { allocate(device, size_t{1} << 40); });
  expect_error(ACL_ERROR_RT_MEMORY_ALLOCATION, "more than the device has",
               [&] { allocate(device, ~size_t{0}); });
  expect_error(ACL_ERROR_RT_MEMORY_ALLOCATION, "cannot back",
               [] { allocate_host(size_t{1} << 44); });
  void* address = allocate(device, 4096);
  std::memset(resolve(address, 4096, "self"), 1, 4096);
  release(address);
}

TEST_F(MemoryTest, WhatTheHostCannotBackIsRefusedNotKilled) {
  Device& device = current_device();
  const size_t host = host_available_bytes();
  if (host >= device.memory().total) GTEST_SKIP() << "this host has more memory than the chip";
  expect_error(ACL_ERROR_RT_MEMORY_ALLOCATION, "host cannot back",
               [&] { allocate(device, host + (size_t{1} << 30)); });
  // Promises add up before a byte of them is touched.
  std::vector<void*> blocks;
  bool refused = false;
  for (size_t promised = 0; promised <= host + (size_t{2} << 30) && !refused;
       promised += size_t{1} << 30) {
    try {
      blocks.push_back(allocate(device, size_t{1} << 30));
    } catch (const base::Error& e) {
      EXPECT_EQ(e.code(), ACL_ERROR_RT_MEMORY_ALLOCATION);
      refused = true;
    }
  }
  EXPECT_TRUE(refused);
  for (void* block : blocks) release(block);
  void* again = allocate(device, size_t{1} << 30);
  release(again);
}

TEST_F(MemoryTest, FreeCompletesPendingNodesThatTouchIt) {
  Gate gate;
  auto* mine = static_cast<std::byte*>(allocate(current_device(), 4096));
  void* other = allocate(current_device(), 4096);
  bool ran = false;
  std::byte* host = resolve(mine, 4096, "mine");
  default_stream().enqueue(node(
      [&ran, host] {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
        host[0] = std::byte{1};
        ran = true;
      },
      {writes(mine, 1)}));
  default_stream().enqueue(gate.node());
  release(other);  // not touched: does not wait for the gate
  release(mine);   // waits for the first node, not for the gate
  EXPECT_TRUE(ran);
  gate.open();
}

TEST_F(MemoryTest, PinnedMemoryIsKnown) {
  auto* pinned = static_cast<std::byte*>(allocate_host(10000));
  std::memset(pinned, 1, 10000);
  EXPECT_EQ(resolve(pinned + 100, 9900, "self"), pinned + 100);
  const MemoryInfo info = memory_at(pinned + 5);
  EXPECT_EQ(info.kind, MemoryKind::kHost);
  EXPECT_EQ(info.base, reinterpret_cast<uintptr_t>(pinned));
  EXPECT_EQ(info.bytes, 10000u);
  release_host(pinned);
  expect_error(ACL_ERROR_RT_PARAM_INVALID, "was it freed", [&] { release_host(pinned); });
  EXPECT_EQ(memory_at(pinned).kind, MemoryKind::kUnregistered);
}

TEST_F(MemoryTest, ClientsMemoryCanBePinned) {
  std::vector<char> mine(8192);
  register_host(mine.data(), mine.size());
  EXPECT_EQ(memory_at(mine.data() + 8191).kind, MemoryKind::kHost);
  EXPECT_EQ(memory_at(mine.data() + 8192).kind, MemoryKind::kUnregistered);
  expect_error(ACL_ERROR_RT_PARAM_INVALID, "overlaps",
               [&] { register_host(mine.data() + 100, 10); });
  expect_error(ACL_ERROR_RT_PARAM_INVALID, "aclrtMallocHost", [&] { release_host(mine.data()); });
  unregister_host(mine.data());
  expect_error(ACL_ERROR_RT_PARAM_INVALID, "registered", [&] { unregister_host(mine.data()); });
}

TEST_F(MemoryTest, PointerAttributesNameTheDevice) {
  void* here = allocate(current_device(), 512);
  void* there = allocate(device_at(3), 512);
  EXPECT_EQ(memory_at(here).device, 0);
  EXPECT_EQ(memory_at(there).device, 3);
  EXPECT_EQ(memory_at(there).kind, MemoryKind::kDevice);
  int local = 0;
  EXPECT_EQ(memory_at(&local).kind, MemoryKind::kUnregistered);
  EXPECT_EQ(memory_at(nullptr).kind, MemoryKind::kUnregistered);
  release(here);
  release(there);
}

}  // namespace
}  // namespace npu::runtime
