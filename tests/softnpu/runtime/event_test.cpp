// SPDX-License-Identifier: Apache-2.0
#include "softnpu/runtime/event.h"

#include <atomic>
#include <thread>

#include "acl/acl_rt.h"
#include "testing_nodes.h"

namespace npu::runtime {
namespace {

using EventTest = RuntimeTest;
constexpr uint32_t kTiming = ACL_EVENT_TIME_LINE;

TEST_F(EventTest, FollowsTheStream) {
  Gate gate;
  const Handle event = create_event(ACL_EVENT_SYNC);
  EXPECT_EQ(query_event(event), EventState::kNotRecorded);
  EXPECT_TRUE(synchronize_event(event));  // nothing to wait for
  default_stream().enqueue(gate.node());
  record_event(event, default_stream());
  EXPECT_EQ(query_event(event), EventState::kPending);
  EXPECT_FALSE(synchronize_event(event, kShort));
  gate.open();
  EXPECT_TRUE(synchronize_event(event, kLong));
  EXPECT_EQ(query_event(event), EventState::kComplete);
  reset_event(event, default_stream());
  EXPECT_EQ(query_event(event), EventState::kNotRecorded);
  destroy_event(event);
}

TEST_F(EventTest, LaterWorkDoesNotDelayIt) {
  Gate gate;
  const Handle event = create_event(0);
  default_stream().enqueue(node([] {}));
  record_event(event, default_stream());
  default_stream().enqueue(gate.node());
  EXPECT_TRUE(synchronize_event(event, kLong));
  gate.open();
}

TEST_F(EventTest, StreamsWaitAcrossStreams) {
  Gate gate;
  std::vector<int> order;
  Stream& other = stream_of(create_stream());
  const Handle event = create_event(0);
  default_stream().enqueue(gate.node());
  default_stream().enqueue(node([&] { order.push_back(1); }));
  record_event(event, default_stream());
  wait_event(other, event);
  other.enqueue(node([&] { order.push_back(2); }));
  EXPECT_FALSE(other.synchronize(kShort));
  gate.open();
  EXPECT_TRUE(other.synchronize(kLong));
  EXPECT_EQ(order, (std::vector<int>{1, 2}));
}

TEST_F(EventTest, WaitingStreamDoesNotHoldOthers) {
  Gate gate;
  Stream& waiting = stream_of(create_stream());
  Stream& free = stream_of(create_stream());
  Stream& held = stream_of(create_stream());
  const Handle event = create_event(0);
  // A cycle-free wait for something not yet there: a stalled stream, then others run.
  set_device(1);
  Stream& far = default_stream();
  far.enqueue(gate.node());
  record_event(event, far);
  wait_event(waiting, event);
  std::atomic<bool> ran{false};
  waiting.enqueue(node([] {}));
  free.enqueue(node([&] { ran = true; }));
  EXPECT_TRUE(free.synchronize(kLong));
  EXPECT_TRUE(ran);
  EXPECT_TRUE(held.idle());
  EXPECT_FALSE(waiting.synchronize(kShort));
  gate.open();
  EXPECT_TRUE(waiting.synchronize(kLong));
}

TEST_F(EventTest, AWaitKeepsThePositionOfItsTime) {
  Gate gate;
  Stream& other = stream_of(create_stream());
  const Handle event = create_event(0);
  default_stream().enqueue(node([] {}));
  record_event(event, default_stream());
  wait_event(other, event);
  default_stream().enqueue(gate.node());
  record_event(event, default_stream());  // later: other does not wait for this
  destroy_event(event);
  EXPECT_TRUE(other.synchronize(kLong));
  gate.open();
}

TEST_F(EventTest, ElapsedTimeIsMeasuredWhereTheExecutorIs) {
  const Handle start = create_event(kTiming), end = create_event(kTiming);
  record_event(start, default_stream());
  default_stream().enqueue(
      node([] { std::this_thread::sleep_for(std::chrono::milliseconds(20)); }));
  record_event(end, default_stream());
  synchronize_event(end);
  const float ms = elapsed_ms(start, end);
  EXPECT_GE(ms, 20.0f);
  EXPECT_LT(ms, 2000.0f);
  EXPECT_LE(elapsed_ms(end, start), -20.0f);
  EXPECT_GT(event_timestamp_ns(end), event_timestamp_ns(start));
}

TEST_F(EventTest, ElapsedTimeSaysWhatIsMissing) {
  Gate gate;
  const Handle plain = create_event(0), fresh = create_event(kTiming), late = create_event(kTiming);
  record_event(plain, default_stream());
  default_stream().enqueue(gate.node());
  record_event(late, default_stream());
  expect_error(ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID, "ACL_EVENT_TIME_LINE",
               [&] { elapsed_ms(plain, late); });
  expect_error(ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID, "never recorded",
               [&] { elapsed_ms(fresh, late); });
  expect_error(ACL_ERROR_RT_EVENT_NOT_COMPLETE, "has not completed",
               [&] { elapsed_ms(late, late); });
  gate.open();
}

TEST_F(EventTest, StaleHandlesAreFound) {
  const Handle event = create_event(0);
  destroy_event(event);
  expect_error(ACL_ERROR_RT_PARAM_INVALID, "not a live event", [&] { query_event(event); });
  expect_error(ACL_ERROR_RT_PARAM_INVALID, "not a live event", [&] { destroy_event(event); });
  expect_error(ACL_ERROR_RT_PARAM_INVALID, "null", [] { query_event(nullptr); });
  expect_error(ACL_ERROR_RT_PARAM_INVALID, "not a live event",
               [] { record_event(default_stream_handle(), default_stream()); });
  expect_error(ACL_ERROR_RT_PARAM_INVALID, "flags", [] { create_event(0x80000000u); });
}

TEST_F(EventTest, DestroyingATimingEventInFlightIsHarmless) {
  for (int i = 0; i < 200; ++i) {
    const Handle event = create_event(kTiming);
    default_stream().enqueue(node([] {}));
    record_event(event, default_stream());
    destroy_event(event);
  }
  EXPECT_TRUE(default_stream().synchronize(kLong));
}

TEST_F(EventTest, EventsOfDestroyedStreamsAreComplete) {
  const Handle stream = create_stream(), event = create_event(0);
  stream_of(stream).enqueue(node([] {}));
  record_event(event, stream_of(stream));
  destroy_stream(stream);
  EXPECT_EQ(query_event(event), EventState::kComplete);
}

TEST_F(EventTest, PingPongBetweenDevices) {
  Stream& here = default_stream();
  set_device(1);
  Stream& there = default_stream();
  int value = 0;  // handed from one executor to the other by events alone
  for (int i = 0; i < 300; ++i) {
    Stream& from = i % 2 ? there : here;
    Stream& to = i % 2 ? here : there;
    from.enqueue(node([&value, i] {
      EXPECT_EQ(value, i);
      ++value;
    }));
    const Handle event = create_event(0);
    record_event(event, from);
    wait_event(to, event);
    destroy_event(event);
  }
  EXPECT_TRUE(here.synchronize(kLong));
  EXPECT_TRUE(there.synchronize(kLong));
  EXPECT_EQ(value, 300);
}

}  // namespace
}  // namespace npu::runtime
