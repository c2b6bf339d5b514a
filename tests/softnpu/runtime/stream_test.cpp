// SPDX-License-Identifier: Apache-2.0
#include "softnpu/runtime/stream.h"

#include <atomic>
#include <thread>

#include "testing_nodes.h"

namespace npu::runtime {
namespace {

using StreamTest = RuntimeTest;

TEST_F(StreamTest, RunsInOrder) {
  Stream& stream = default_stream();
  std::vector<int> order;
  for (int i = 0; i < 1000; ++i) stream.enqueue(node([&order, i] { order.push_back(i); }));
  EXPECT_TRUE(stream.synchronize());
  ASSERT_EQ(order.size(), 1000u);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(order[i], i);
}

TEST_F(StreamTest, EnqueueReturnsBeforeTheNodeRan) {
  Gate gate;
  Stream& stream = default_stream();
  stream.enqueue(gate.node());
  EXPECT_FALSE(stream.idle());
  EXPECT_FALSE(stream.synchronize(kShort));  // time-out
  gate.open();
  EXPECT_TRUE(stream.synchronize(kLong));
  EXPECT_TRUE(stream.idle());
}

TEST_F(StreamTest, IdleCountsTheNodeInFlight) {
  Gate gate;
  std::atomic<bool> running{false};
  Stream& stream = default_stream();
  stream.enqueue(node([&] { running = true; }));
  stream.enqueue(gate.node());
  while (!running) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(5));  // the queue itself is empty now
  EXPECT_FALSE(stream.idle());
  gate.open();
  stream.synchronize();
}

TEST_F(StreamTest, NodesAreDestroyedWhenSynchronizeReturns) {
  auto token = std::make_shared<int>(0);
  default_stream().enqueue(node([token] {}));
  default_stream().synchronize();
  EXPECT_EQ(token.use_count(), 1);
}

TEST_F(StreamTest, UrgentStreamsGoFirstAndEqualsTakeTurns) {
  Gate gate;
  std::vector<char> order;
  default_stream().enqueue(gate.node());
  Stream& low = stream_of(create_stream(7));
  Stream& first = stream_of(create_stream(1));
  Stream& second = stream_of(create_stream(1));
  for (int i = 0; i < 3; ++i) low.enqueue(node([&] { order.push_back('l'); }));
  for (int i = 0; i < 3; ++i) first.enqueue(node([&] { order.push_back('1'); }));
  for (int i = 0; i < 3; ++i) second.enqueue(node([&] { order.push_back('2'); }));
  gate.open();
  low.synchronize();
  EXPECT_EQ(std::string(order.begin(), order.end()), "121212lll");
}

TEST_F(StreamTest, ManyMoreNodesThanTheQueueHolds) {
  std::atomic<int> ran{0};
  for (int i = 0; i < 60000; ++i) default_stream().enqueue(node([&] { ++ran; }));
  default_stream().synchronize();
  EXPECT_EQ(ran, 60000);
}

TEST_F(StreamTest, PrioritiesOutOfRangeAreRefused) {
  expect_error(ACL_ERROR_RT_PARAM_INVALID, "priority 8", [] { create_stream(8); });
  expect_error(ACL_ERROR_RT_PARAM_INVALID, "priority -1", [] { create_stream(-1); });
}

TEST_F(StreamTest, StaleAndForeignHandlesAreFound) {
  const Handle handle = create_stream();
  destroy_stream(handle);
  expect_error(ACL_ERROR_RT_STREAM_CONTEXT, "not a live stream", [&] { stream_of(handle); });
  expect_error(ACL_ERROR_RT_STREAM_CONTEXT, "not a live stream", [&] { destroy_stream(handle); });
  int local = 0;
  expect_error(ACL_ERROR_RT_STREAM_CONTEXT, "not a live stream", [&] { stream_of(&local); });
  expect_error(ACL_ERROR_RT_STREAM_CONTEXT, "not a live stream",
               [] { stream_of(current_context()); });
  const Handle recycled = create_stream();  // the same object under a new handle
  EXPECT_NE(recycled, handle);
  expect_error(ACL_ERROR_RT_STREAM_CONTEXT, "not a live stream", [&] { stream_of(handle); });
}

TEST_F(StreamTest, DefaultStreamCannotBeDestroyed) {
  expect_error(ACL_ERROR_RT_PARAM_INVALID, "default stream",
               [] { destroy_stream(default_stream_handle()); });
  expect_error(ACL_ERROR_RT_PARAM_INVALID, "null", [] { destroy_stream(nullptr); });
}

TEST_F(StreamTest, DestroyCompletesTheWork) {
  std::atomic<int> ran{0};
  const Handle handle = create_stream();
  for (int i = 0; i < 500; ++i) stream_of(handle).enqueue(node([&] { ++ran; }));
  destroy_stream(handle);
  EXPECT_EQ(ran, 500);
}

TEST_F(StreamTest, ForcedDestroyDropsWhatHasNotRun) {
  Gate gate;
  std::atomic<int> ran{0};
  const Handle handle = create_stream();
  stream_of(handle).enqueue(gate.node());
  for (int i = 0; i < 10; ++i) stream_of(handle).enqueue(node([&] { ++ran; }));
  std::thread opener([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    gate.open();
  });
  destroy_stream(handle, true);
  opener.join();
  EXPECT_EQ(ran, 0);
}

TEST_F(StreamTest, AbortDropsAndTheStreamGoesOn) {
  Gate gate;
  std::atomic<int> ran{0};
  Stream& stream = default_stream();
  stream.enqueue(gate.node());
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  for (int i = 0; i < 10; ++i) stream.enqueue(node([&] { ++ran; }));
  EXPECT_FALSE(stream.abort(kShort));  // the gate is in flight
  gate.open();
  EXPECT_TRUE(stream.abort(kLong));
  EXPECT_EQ(ran, 0);
  stream.enqueue(node([&] { ++ran; }));
  stream.synchronize();
  EXPECT_EQ(ran, 1);
}

TEST_F(StreamTest, DeviceSynchronizeWaitsForAllStreams) {
  std::atomic<int> ran{0};
  for (int i = 0; i < 8; ++i) {
    Stream& stream = stream_of(create_stream(i));
    for (int k = 0; k < 100; ++k) stream.enqueue(node([&] { ++ran; }));
  }
  EXPECT_TRUE(current_device().synchronize(kLong));
  EXPECT_EQ(ran, 800);
}

TEST_F(StreamTest, DeviceSynchronizeTimesOut) {
  Gate gate;
  default_stream().enqueue(gate.node());
  EXPECT_FALSE(current_device().synchronize(kShort));
  gate.open();
  EXPECT_TRUE(current_device().synchronize(kLong));
}

TEST_F(StreamTest, UtilizationIsAPercentage) {
  current_device().utilization();
  default_stream().enqueue(
      node([] { std::this_thread::sleep_for(std::chrono::milliseconds(20)); }));
  default_stream().synchronize();
  const int busy = current_device().utilization();
  EXPECT_GT(busy, 50);
  EXPECT_LE(busy, 100);
}

TEST_F(StreamTest, TimeOutArgumentsFollowCann) {
  EXPECT_FALSE(timeout_of(-1).has_value());
  EXPECT_EQ(timeout_of(5)->count(), 5);
  expect_error(ACL_ERROR_RT_PARAM_INVALID, "time-out -2", [] { timeout_of(-2); });
}

}  // namespace
}  // namespace npu::runtime
