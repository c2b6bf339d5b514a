// SPDX-License-Identifier: Apache-2.0
#include "softnpu/runtime/callback.h"

#include <atomic>
#include <thread>

#include "testing_nodes.h"

namespace npu::runtime {
namespace {

using CallbackTest = RuntimeTest;

uint64_t self() { return static_cast<uint64_t>(pthread_self()); }

void record_thread(void* out) { *static_cast<std::thread::id*>(out) = std::this_thread::get_id(); }
void count_up(void* counter) { static_cast<std::atomic<int>*>(counter)->fetch_add(1); }

TEST_F(CallbackTest, RunsOnTheSubscribersThreadInStreamOrder) {
  Stream& stream = default_stream();
  subscribe(self(), stream);
  std::thread::id thread;
  std::atomic<int> before{0};
  int seen = -1;
  stream.enqueue(node([&] { ++before; }));
  struct Data {
    std::atomic<int>* before;
    int* seen;
  } data{&before, &seen};
  launch_callback(
      [](void* d) { *static_cast<Data*>(d)->seen = static_cast<Data*>(d)->before->load(); }, &data,
      true, stream);
  launch_callback(record_thread, &thread, true, stream);
  while (thread == std::thread::id()) process_report(kLong);
  EXPECT_EQ(thread, std::this_thread::get_id());
  EXPECT_EQ(seen, 1);
  EXPECT_TRUE(stream.synchronize(kLong));
  unsubscribe(self(), stream);
}

TEST_F(CallbackTest, ABlockingCallbackStallsItsStreamAlone) {
  Stream& stream = default_stream();
  Stream& other = stream_of(create_stream());
  subscribe(self(), stream);
  std::atomic<int> called{0}, after{0}, elsewhere{0};
  launch_callback(count_up, &called, true, stream);
  stream.enqueue(node([&] { ++after; }));
  other.enqueue(node([&] { ++elsewhere; }));
  EXPECT_TRUE(other.synchronize(kLong));
  EXPECT_EQ(elsewhere, 1);
  EXPECT_FALSE(stream.synchronize(kShort));
  EXPECT_EQ(after, 0);
  process_report(kLong);
  EXPECT_TRUE(stream.synchronize(kLong));
  EXPECT_EQ(called, 1);
  EXPECT_EQ(after, 1);
}

TEST_F(CallbackTest, ANonBlockingOneDoesNot) {
  Stream& stream = default_stream();
  subscribe(self(), stream);
  std::atomic<int> called{0}, after{0};
  launch_callback(count_up, &called, false, stream);
  stream.enqueue(node([&] { ++after; }));
  EXPECT_TRUE(stream.synchronize(kLong));
  EXPECT_EQ(after, 1);
  EXPECT_EQ(called, 0);
  process_report(kLong);
  EXPECT_EQ(called, 1);
}

TEST_F(CallbackTest, MistakesAreNamed) {
  Stream& stream = default_stream();
  std::atomic<int> called{0};
  expect_error(ACL_ERROR_RT_STREAM_NO_CB_REG, "aclrtSubscribeReport",
               [&] { launch_callback(count_up, &called, true, stream); });
  expect_error(ACL_ERROR_RT_THREAD_SUBSCRIBE, "subscribed no stream",
               [] { process_report(kShort); });
  subscribe(self(), stream);
  expect_error(ACL_ERROR_RT_STREAM_SUBSCRIBE, "already", [&] { subscribe(self(), stream); });
  expect_error(ACL_ERROR_RT_REPORT_TIMEOUT, "no callback", [] { process_report(kShort); });
  expect_error(ACL_ERROR_RT_STREAM_NO_CB_REG, "not subscribed",
               [&] { unsubscribe(self() + 1, stream); });
  expect_error(ACL_ERROR_RT_PARAM_INVALID, "null",
               [&] { launch_callback(nullptr, nullptr, true, stream); });
}

TEST_F(CallbackTest, HostFunctionsRunOffTheExecutorInOrder) {
  Stream& stream = default_stream();
  std::thread::id thread, worker;
  std::atomic<int> calls{0};
  int seen = 0;
  launch_host_function(record_thread, &thread, stream);
  launch_host_function(count_up, &calls, stream);
  stream.enqueue(node([&] {
    worker = std::this_thread::get_id();
    seen = calls;
  }));
  EXPECT_TRUE(stream.synchronize(kLong));
  EXPECT_EQ(seen, 1);
  EXPECT_NE(thread, worker);
  EXPECT_NE(thread, std::this_thread::get_id());
}

TEST_F(CallbackTest, StreamsWithUnprocessedCallbacksCanBeForcedAway) {
  const Handle handle = create_stream();
  std::atomic<int> called{0};
  subscribe(self(), stream_of(handle));
  launch_callback(count_up, &called, true, stream_of(handle));
  destroy_stream(handle, true);
  EXPECT_TRUE(current_device().synchronize(kLong));
}

TEST_F(CallbackTest, FinalizeDoesNotHangOnAnUnprocessedCallback) {
  std::atomic<int> called{0};
  subscribe(self(), default_stream());
  launch_callback(count_up, &called, true, default_stream());
  // TearDown finalizes.
}

}  // namespace
}  // namespace npu::runtime
