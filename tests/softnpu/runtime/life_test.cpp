// SPDX-License-Identifier: Apache-2.0
// Initialise, finalize, contexts, fork, exit: what happens to a process as a whole.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "softnpu/base/abi.h"
#include "softnpu/runtime/copy.h"
#include "softnpu/runtime/event.h"
#include "testing_nodes.h"

namespace npu::runtime {
namespace {

TEST(LifeTest, UseAfterFinalizeIsAClearErrorAndReinitialisingWorks) {
  for (int round = 0; round < 3; ++round) {
    initialize();
    expect_error(ACL_ERROR_REPEAT_INITIALIZE, "initialised already", [] { initialize(); });
    set_device(0);
    const Handle stream = create_stream(), event = create_event(0), context = current_context();
    void* memory = allocate(current_device(), 4096);
    std::atomic<int> ran{0};
    for (int i = 0; i < 100; ++i) stream_of(stream).enqueue(node([&] { ++ran; }));
    finalize();
    EXPECT_EQ(ran, 100);
    constexpr int kCode = ACL_ERROR_UNINITIALIZE;
    expect_error(kCode, "was finalized", [] { set_device(0); });
    expect_error(kCode, "was finalized", [] { create_stream(); });
    expect_error(kCode, "was finalized", [&] { stream_of(stream); });
    expect_error(kCode, "was finalized", [&] { query_event(event); });
    expect_error(kCode, "was finalized", [&] { set_current_context(context); });
    expect_error(kCode, "was finalized", [&] { release(memory); });
    expect_error(kCode, "was finalized", [&] { allocate(device_at(0), 64); });
    expect_error(kCode, "was finalized",
                 [] { copy({.dst = nullptr, .src = nullptr, .bytes = 1}); });
    expect_error(ACL_ERROR_REPEAT_FINALIZE, "not initialised", [] { finalize(); });
  }
}

using ContextTest = RuntimeTest;

TEST_F(ContextTest, EachThreadHasItsOwn) {
  EXPECT_EQ(current_device().id(), 0);
  std::thread([] {
    expect_error(ACL_ERROR_RT_CONTEXT_NULL, "aclrtSetDevice", [] { current_context(); });
    expect_error(ACL_ERROR_RT_CONTEXT_NULL, "aclrtSetDevice", [] { current_device(); });
    expect_error(ACL_ERROR_RT_CONTEXT_NULL, "aclrtSetDevice", [] { stream_of(nullptr); });
    set_device(2);
    EXPECT_EQ(current_device().id(), 2);
  }).join();
  EXPECT_EQ(current_device().id(), 0);
}

TEST_F(ContextTest, ThePrimaryOneIsShared) {
  const Handle mine = current_context();
  std::thread([mine] {
    set_device(0);
    EXPECT_EQ(current_context(), mine);
  }).join();
}

TEST_F(ContextTest, CreatedOnesHaveTheirOwnStreams) {
  const Handle primary = current_context();
  Stream& primary_stream = default_stream();
  const Handle context = create_context(0);
  EXPECT_EQ(current_context(), context);
  EXPECT_NE(&default_stream(), &primary_stream);
  const Handle stream = create_stream();
  std::atomic<int> ran{0};
  stream_of(stream).enqueue(node([&] { ++ran; }));
  destroy_context(context);
  EXPECT_EQ(ran, 1);
  expect_error(ACL_ERROR_RT_STREAM_CONTEXT, "not a live stream", [&] { stream_of(stream); });
  expect_error(ACL_ERROR_RT_CONTEXT_NULL, "destroyed", [] { current_context(); });
  expect_error(ACL_ERROR_RT_CONTEXT_NULL, "destroyed", [&] { destroy_context(context); });
  expect_error(ACL_ERROR_INVALID_PARAM, "primary", [&] { destroy_context(primary); });
  set_current_context(primary);
  EXPECT_EQ(&default_stream(), &primary_stream);
}

TEST_F(ContextTest, ResetMatchesSet) {
  set_device(5);
  set_device(5);
  EXPECT_TRUE(primary_context_active(5));
  reset_device(5, false);
  EXPECT_TRUE(primary_context_active(5));
  reset_device(5, false);
  EXPECT_FALSE(primary_context_active(5));
  expect_error(ACL_ERROR_RT_CONTEXT_NULL, "destroyed", [] { current_device(); });
  expect_error(ACL_ERROR_RT_CONTEXT_NULL, "reset already", [] { reset_device(5, false); });
  set_device(5);
  set_device(5);
  reset_device(5, true);
  EXPECT_FALSE(primary_context_active(5));
}

TEST_F(ContextTest, WrongDevicesSayTheValidRange) {
  for (int id : {-1, 8, 1000}) {
    expect_error(ACL_ERROR_RT_INVALID_DEVICEID, "0 to 7", [id] { set_device(id); });
    expect_error(ACL_ERROR_RT_INVALID_DEVICEID, "0 to 7", [id] { reset_device(id, false); });
    expect_error(ACL_ERROR_RT_INVALID_DEVICEID, "0 to 7", [id] { create_context(id); });
  }
  EXPECT_EQ(current_device().id(), 0);
}

// Each of these needs a process of its own: its options, or its death.
class ProcessDeathTest : public testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(ProcessDeathTest, ExitWithoutFinalizeDoesNotHang) {
  EXPECT_EXIT(
      {
        initialize();
        set_device(0);
        Stream& stream = default_stream();
        for (int i = 0; i < 1000; ++i) {
          stream.enqueue(node([] { std::this_thread::sleep_for(std::chrono::microseconds(100)); }));
        }
        std::exit(3);  // with work in flight
      },
      testing::ExitedWithCode(3), "");
}

TEST_F(ProcessDeathTest, ForkedChildIsRefusedByEveryCallAndExits) {
  EXPECT_EXIT(
      {
        initialize();
        set_device(0);
        default_stream().enqueue(node([] {}));
        void* memory = allocate(current_device(), 4096);
        const pid_t child = fork();
        if (child == 0) {
          const int code =
              base::guard("aclrtSynchronizeDevice", [] { current_device().synchronize(); });
          const bool told =
              std::string(base::recent_error_message()).find("spawn") != std::string::npos;
          std::exit(code != 0 && told ? 4 : 5);  // runs destructors, too
        }
        int status = 0;
        waitpid(child, &status, 0);
        release(memory);
        default_stream().synchronize();  // the parent is as it was
        std::exit(WEXITSTATUS(status));
      },
      testing::ExitedWithCode(4), "");
}

TEST_F(ProcessDeathTest, AForkBeforeFirstUseIsFine) {
  EXPECT_EXIT(
      {
        if (device_count() != 8) std::exit(9);  // asking is not using
        const pid_t child = fork();
        if (child == 0) {
          set_device(0);
          bool ran = false;
          default_stream().enqueue(node([&] { ran = true; }));
          default_stream().synchronize();
          std::exit(ran && !base::in_forked_child() ? 6 : 7);
        }
        int status = 0;
        waitpid(child, &status, 0);
        std::exit(WEXITSTATUS(status));
      },
      testing::ExitedWithCode(6), "");
}

TEST_F(ProcessDeathTest, UnknownChipIsReportedAtFirstUse) {
  if (!testing::internal::InDeathTestChild()) setenv("SOFTNPU_SOC", "nonsense", 1);
  EXPECT_EXIT(
      {
        expect_error(ACL_ERROR_INVALID_PARAM, "Ascend910B1", [] { initialize(); });
        expect_error(ACL_ERROR_INVALID_PARAM, "nonsense", [] { set_device(0); });
        expect_error(ACL_ERROR_INVALID_PARAM, "nonsense", [] { device_count(); });
        std::exit(testing::Test::HasFailure() ? 1 : 0);
      },
      testing::ExitedWithCode(0), "");
  unsetenv("SOFTNPU_SOC");
}

TEST_F(ProcessDeathTest, LaunchBlockingReportsAtTheCall) {
  if (!testing::internal::InDeathTestChild()) setenv("ASCEND_LAUNCH_BLOCKING", "1", 1);
  EXPECT_EXIT(
      {
        initialize();
        set_device(0);
        bool ran = false;
        default_stream().enqueue(node([&] { ran = true; }));
        if (!ran) std::exit(1);
        expect_error(507018, "bad index", [] {
          default_stream().enqueue(node([]() -> void { base::fail(507018, "bad index"); }));
        });
        std::exit(testing::Test::HasFailure() ? 1 : 0);
      },
      testing::ExitedWithCode(0), "");
  unsetenv("ASCEND_LAUNCH_BLOCKING");
}

TEST_F(ProcessDeathTest, ProcessesShareADevicesMemory) {
  if (!testing::internal::InDeathTestChild()) {
    setenv("ASCEND_RT_VISIBLE_DEVICES", "7", 1);
    setenv("SOFTNPU_HBM", "64M", 1);
  }
  EXPECT_EXIT(
      {
        int ready[2];
        if (pipe(ready) != 0) std::exit(1);
        const pid_t other = fork();  // before first use: a process of its own
        initialize();
        set_device(0);
        if (other == 0) {
          allocate(current_device(), 40 << 20);
          [[maybe_unused]] const ssize_t told = write(ready[1], "r", 1);
          for (;;) pause();
        }
        char byte = 0;
        if (read(ready[0], &byte, 1) != 1) std::exit(2);
        Device& device = current_device();
        const bool seen = device.memory().free <= size_t{24} << 20;
        expect_error(ACL_ERROR_RT_MEMORY_ALLOCATION, "other processes 41943040",
                     [&] { allocate(device, 30 << 20); });
        kill(other, SIGKILL);
        waitpid(other, nullptr, 0);
        release(allocate(device, 64 << 20));  // what the killed one had is free again
        std::exit(seen && !testing::Test::HasFailure() ? 0 : 3);
      },
      testing::ExitedWithCode(0), "");
  unsetenv("ASCEND_RT_VISIBLE_DEVICES");
  unsetenv("SOFTNPU_HBM");
}

TEST_F(ProcessDeathTest, VisibleDevicesAndMemorySizeAreHonoured) {
  if (!testing::internal::InDeathTestChild()) {
    setenv("ASCEND_RT_VISIBLE_DEVICES", "5,2", 1);
    setenv("SOFTNPU_HBM", "64M", 1);
  }
  EXPECT_EXIT(
      {
        initialize();
        set_device(1);
        Device& device = current_device();
        if (device_count() != 2 || device.physical_id() != 2) std::exit(1);
        if (device.memory().total != size_t{64} << 20) std::exit(2);
        void* first = allocate(device, 40 << 20);
        expect_error(ACL_ERROR_RT_MEMORY_ALLOCATION, "the device is full",
                     [&] { allocate(device, 40 << 20); });
        release(first);
        release(allocate(device, 64 << 20));
        std::exit(testing::Test::HasFailure() ? 3 : 0);
      },
      testing::ExitedWithCode(0), "");
  unsetenv("ASCEND_RT_VISIBLE_DEVICES");
  unsetenv("SOFTNPU_HBM");
}

}  // namespace
}  // namespace npu::runtime
