// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <mutex>
#include <thread>

#include "acl/acl_rt.h"
#include "softnpu/runtime/copy.h"
#include "softnpu/runtime/event.h"
#include "testing_nodes.h"

namespace npu::runtime {
namespace {

std::mutex seen_mutex;
std::vector<size_t> seen;  // sizes of the windows that were rewritten

void observe(std::vector<NodePtr>& window, int level) {
  std::lock_guard lock(seen_mutex);
  EXPECT_GE(level, 1);
  seen.push_back(window.size());
}
std::vector<size_t> windows() {
  std::lock_guard lock(seen_mutex);
  return seen;
}

class WindowTest : public RuntimeTest {
 protected:
  void SetUp() override {
    RuntimeTest::SetUp();
    seen.clear();
    set_rewriter(observe);
    set_graph_level(1);
  }
  void enqueue(int n, Stream& stream = default_stream()) {
    for (int i = 0; i < n; ++i) stream.enqueue(node([this] { ++ran; }));
  }
  std::atomic<int> ran{0};
};

TEST_F(WindowTest, OperatorsGatherUntilSomethingNeedsThem) {
  enqueue(10);
  default_stream().synchronize();
  EXPECT_EQ(windows(), (std::vector<size_t>{10}));
  EXPECT_EQ(ran, 10);
}

TEST_F(WindowTest, LevelZeroRunsEachNodeAlone) {
  set_graph_level(0);
  enqueue(10);
  default_stream().synchronize();
  EXPECT_TRUE(windows().empty());
  EXPECT_EQ(ran, 10);
}

TEST_F(WindowTest, BarriersEndTheWindowBeforeThem) {
  enqueue(4);
  default_stream().enqueue(node([] {}, {}, Role::kBarrier));
  enqueue(3);
  default_stream().synchronize();
  EXPECT_EQ(windows(), (std::vector<size_t>{4, 3}));
}

TEST_F(WindowTest, PlainEventsDoNotCutTimingEventsDo) {
  const Handle plain = create_event(0), timing = create_event(ACL_EVENT_TIME_LINE);
  enqueue(2);
  record_event(plain, default_stream());
  enqueue(2);
  default_stream().synchronize();
  EXPECT_EQ(windows(), (std::vector<size_t>{4}));
  enqueue(2);
  record_event(timing, default_stream());
  enqueue(2);
  default_stream().synchronize();
  EXPECT_EQ(windows(), (std::vector<size_t>{4, 2, 2}));
}

TEST_F(WindowTest, PollingAnEventStartsTheWorkBeforeIt) {
  const Handle event = create_event(0);
  enqueue(5);
  record_event(event, default_stream());
  while (query_event(event) != EventState::kComplete) std::this_thread::yield();
  EXPECT_EQ(ran, 5);
}

TEST_F(WindowTest, PollingTheStreamEnds) {
  enqueue(5);
  while (!default_stream().idle()) std::this_thread::yield();
  EXPECT_EQ(ran, 5);
}

TEST_F(WindowTest, AWaitFromAnotherStreamStartsIt) {
  Stream& other = stream_of(create_stream());
  const Handle event = create_event(0);
  enqueue(5);
  record_event(event, default_stream());
  wait_event(other, event);
  int before = -1;
  other.enqueue(node([&] { before = ran; }));
  EXPECT_TRUE(other.synchronize(kLong));
  EXPECT_EQ(before, 5);
}

TEST_F(WindowTest, NobodyAskingItRunsAnyway) {
  enqueue(5);
  for (int i = 0; i < 20000 && ran < 5; ++i) {
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  EXPECT_EQ(ran, 5);
}

TEST_F(WindowTest, ALongRecordingStartsAtTheCap) {
  enqueue(10000);
  default_stream().synchronize();
  EXPECT_EQ(ran, 10000);
  for (size_t size : windows()) EXPECT_LE(size, 4096u);
}

TEST_F(WindowTest, ReleaseNoticesTravelInTheWindow) {
  void* memory = allocate(current_device(), 512);
  enqueue(1);
  memory_released(memory, 512, default_stream());
  enqueue(1);
  default_stream().synchronize();
  EXPECT_EQ(windows(), (std::vector<size_t>{3}));
  EXPECT_EQ(ran, 2);
  set_graph_level(0);
  memory_released(memory, 512, default_stream());  // nobody makes use of it: costs nothing
  EXPECT_TRUE(default_stream().idle());
  release(memory);
}

TEST_F(WindowTest, RewrittenNodesRunInsteadOfTheOriginals) {
  static std::atomic<int> fused{0};
  fused = 0;
  set_rewriter([](std::vector<NodePtr>& window, int) {
    window.clear();
    window.push_back(node([] { ++fused; }));
  });
  enqueue(7);
  default_stream().synchronize();
  EXPECT_EQ(ran, 0);
  EXPECT_EQ(fused, 1);
  EXPECT_TRUE(default_stream().idle());
}

TEST_F(WindowTest, AnErrorInsideNamesItsNodeAndOthersRun) {
  enqueue(3);
  default_stream().enqueue(node([]() -> void { base::fail(507018, "bad index"); }));
  enqueue(3);
  expect_error(507018, "operation 4", [] { default_stream().synchronize(); });
  EXPECT_EQ(ran, 6);
}

TEST_F(WindowTest, SynchronousCopyStartsWhatItNeeds) {
  void* memory = allocate(current_device(), 8);
  char host[8] = {};
  std::byte* p = resolve(memory, 8, "memory");
  default_stream().enqueue(node([p] { p[0] = std::byte{42}; }, {writes(memory, 8)}));
  copy({.dst = host, .src = memory, .bytes = 8});
  EXPECT_EQ(host[0], 42);
  release(memory);
}

TEST_F(WindowTest, LevelsOutOfRangeAreRefused) {
  expect_error(ACL_ERROR_INVALID_PARAM, "graph level 3", [] { set_graph_level(3); });
  EXPECT_EQ(graph_level(), 1);
}

TEST_F(WindowTest, LevelsAboveZeroNeedARewriter) {
  set_rewriter(nullptr);
  expect_error(ACL_ERROR_FEATURE_UNSUPPORTED, "graph level 1", [] { set_graph_level(1); });
  EXPECT_NO_THROW(set_graph_level(0));
}

}  // namespace
}  // namespace npu::runtime
