// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <cstring>

#include "softnpu/runtime/copy.h"
#include "softnpu/runtime/event.h"
#include "testing_nodes.h"

namespace npu::runtime {
namespace {

class ErrorTest : public RuntimeTest {
 protected:
  NodePtr failing(std::vector<Region> regions = {}) {
    return node([]() -> void { base::fail(507018, "index 10 is out of bounds for size 3"); },
                std::move(regions));
  }
};

TEST_F(ErrorTest, SurfacesOnceAtTheNextSynchronizeAndNamesEverything) {
  Stream& stream = stream_of(create_stream());
  stream.enqueue(node([] {}));
  stream.enqueue(failing());
  try {
    stream.synchronize();
    FAIL() << "no error";
  } catch (const base::Error& e) {
    EXPECT_EQ(e.code(), 507018);
    const std::string text = e.what();
    for (const std::string& part :
         {std::string("aclnnTest"), std::string("device 0"),
          "stream " + std::to_string(stream.id()), std::string("operation 2"),
          std::string("index 10 is out of bounds for size 3"),
          std::string("float32[2, 3] -> float32[2, 3]")}) {
      EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
    }
  }
  EXPECT_TRUE(stream.synchronize());  // usable again
  bool ran = false;
  stream.enqueue(node([&] { ran = true; }));
  EXPECT_TRUE(stream.synchronize());
  EXPECT_TRUE(ran);
}

TEST_F(ErrorTest, OtherExceptionsBecomeTheStreamsErrorToo) {
  default_stream().enqueue(node([]() -> void { throw std::runtime_error("odd"); }));
  expect_error(ACL_ERROR_RT_INTERNAL_ERROR, "odd", [] { default_stream().synchronize(); });
  default_stream().enqueue(node([]() -> void { throw std::bad_alloc(); }));
  expect_error(ACL_ERROR_RT_MEMORY_ALLOCATION, "out of memory",
               [] { default_stream().synchronize(); });
}

TEST_F(ErrorTest, BelongsToItsStream) {
  Stream& good = stream_of(create_stream());
  Stream& bad = stream_of(create_stream());
  bad.enqueue(failing());
  good.enqueue(node([] {}));
  EXPECT_TRUE(good.synchronize());
  expect_error(507018, "index 10", [&] { bad.synchronize(); });
}

TEST_F(ErrorTest, SurfacesAtDeviceSynchronize) {
  Stream& first = stream_of(create_stream());
  Stream& second = stream_of(create_stream());
  first.enqueue(failing());
  second.enqueue(failing());
  expect_error(507018, "1 more stream", [] { current_device().synchronize(); });
  EXPECT_TRUE(current_device().synchronize());
  EXPECT_TRUE(first.synchronize());
}

TEST_F(ErrorTest, SurfacesAtSynchronousCopyAndAtEvents) {
  void* memory = allocate(current_device(), 8);
  char host[8];
  default_stream().enqueue(failing({writes(memory, 8)}));
  expect_error(507018, "index 10", [&] { copy({.dst = host, .src = memory, .bytes = 8}); });
  EXPECT_NO_THROW(copy({.dst = host, .src = memory, .bytes = 8}));
  const Handle before = create_event(0), after = create_event(0);
  record_event(before, default_stream());
  default_stream().enqueue(failing());
  record_event(after, default_stream());
  EXPECT_TRUE(synchronize_event(before));
  expect_error(507018, "index 10", [&] { synchronize_event(after); });
  release(memory);
}

TEST_F(ErrorTest, DependentsDoNotRunOthersDo) {
  std::vector<std::byte> memory(400);
  std::byte* p = memory.data();
  std::atomic<int> dependents{0}, others{0};
  Stream& stream = default_stream();
  stream.enqueue(failing({writes(p, 100)}));
  stream.enqueue(node([&] { ++dependents; }, {reads(p + 50, 10), writes(p + 200, 100)}));
  stream.enqueue(node([&] { ++others; }, {reads(p + 100, 100), writes(p + 300, 100)}));
  stream.enqueue(node([&] { ++dependents; }, {reads(p + 250, 1)}));  // of the dependent
  stream.enqueue(node([&] { ++others; }, {writes(p, 100)}));         // needs nothing of it
  const int64_t skipped = counter("nodes_skipped", current_device());
  expect_error(507018, "index 10", [&] { stream.synchronize(); });
  EXPECT_EQ(dependents, 0);
  EXPECT_EQ(others, 2);
  EXPECT_EQ(counter("nodes_skipped", current_device()) - skipped, 2);
  stream.enqueue(node([&] { ++others; }, {reads(p, 400)}));  // the error was reported: all fresh
  EXPECT_TRUE(stream.synchronize());
  EXPECT_EQ(others, 3);
}

TEST_F(ErrorTest, DependentsInOtherStreamsReportTheMissingResult) {
  std::vector<std::byte> memory(100);
  Stream& other = stream_of(create_stream());
  const Handle event = create_event(0);
  bool ran = false;
  default_stream().enqueue(failing({writes(memory.data(), 100)}));
  record_event(event, default_stream());
  wait_event(other, event);
  other.enqueue(node([&] { ran = true; }, {reads(memory.data(), 1)}));
  expect_error(507018, "did not run because it needs the result of aclnnTest",
               [&] { other.synchronize(); });
  EXPECT_FALSE(ran);
  expect_error(507018, "index 10", [] { default_stream().synchronize(); });
}

TEST_F(ErrorTest, StopOnFailureSkipsEverythingUntilReported) {
  Stream& stream = default_stream();
  std::atomic<int> ran{0};
  stream.set_stop_on_failure(true);
  EXPECT_TRUE(stream.stop_on_failure());
  stream.enqueue(failing());
  stream.enqueue(node([&] { ++ran; }));
  expect_error(507018, "index 10", [&] { stream.synchronize(); });
  EXPECT_EQ(ran, 0);
  stream.enqueue(node([&] { ++ran; }));
  EXPECT_TRUE(stream.synchronize());
  EXPECT_EQ(ran, 1);
}

TEST_F(ErrorTest, AStreamWithAnUnreportedErrorCanBeDestroyed) {
  const Handle handle = create_stream();
  stream_of(handle).enqueue(failing());
  destroy_stream(handle);
  EXPECT_TRUE(current_device().synchronize());
}

}  // namespace
}  // namespace npu::runtime
