// SPDX-License-Identifier: Apache-2.0
// Many threads at once; most useful under the thread sanitizer.
#include <atomic>
#include <cstring>
#include <random>
#include <thread>

#include "acl/acl_rt.h"
#include "softnpu/runtime/callback.h"
#include "softnpu/runtime/copy.h"
#include "softnpu/runtime/event.h"
#include "testing_nodes.h"

namespace npu::runtime {
namespace {

template <class Body>
void on_threads(int n, Body body) {
  std::vector<std::thread> threads;
  for (int i = 0; i < n; ++i) threads.emplace_back([&body, i] { body(i); });
  for (std::thread& thread : threads) thread.join();
}

class StressTest : public RuntimeTest {};

TEST_F(StressTest, ManyThreadsOnManyStreams) {
  std::atomic<int> ran{0};
  on_threads(4, [&](int t) {
    set_device(t % 2);
    std::vector<Handle> streams;
    for (int s = 0; s < 4; ++s) streams.push_back(create_stream(s));
    for (int i = 0; i < 500; ++i) {
      stream_of(streams[static_cast<size_t>(i) % 4]).enqueue(node([&] { ++ran; }));
      if (i % 100 == 0) stream_of(streams[0]).synchronize(kLong);
    }
    for (Handle stream : streams) destroy_stream(stream);
  });
  EXPECT_EQ(ran, 2000);
}

TEST_F(StressTest, OneStreamSharedByManyThreads) {
  std::atomic<int> ran{0};
  int unguarded = 0;  // the stream's order is its guard
  on_threads(4, [&](int) {
    set_device(0);
    for (int i = 0; i < 500; ++i) {
      default_stream().enqueue(node([&] {
        ++unguarded;
        ++ran;
      }));
    }
    default_stream().synchronize(kLong);
  });
  EXPECT_EQ(ran, 2000);
  EXPECT_EQ(unguarded, 2000);
}

TEST_F(StressTest, EventsTieStreamsTogether) {
  // A value is handed round streams of two devices; each hop adds one, ordered by events alone.
  std::vector<Stream*> ring;
  for (int i = 0; i < 6; ++i) {
    set_device(i % 2);
    ring.push_back(&stream_of(create_stream(i % kPriorities)));
  }
  int64_t value = 0;
  Handle last = nullptr;
  for (int hop = 0; hop < 600; ++hop) {
    Stream& stream = *ring[static_cast<size_t>(hop) % ring.size()];
    if (last) {
      wait_event(stream, last);
      destroy_event(last);
    }
    stream.enqueue(node([&value, hop] {
      EXPECT_EQ(value, hop);
      ++value;
    }));
    last = create_event(hop % 2 ? ACL_EVENT_TIME_LINE : 0);
    record_event(last, stream);
  }
  EXPECT_TRUE(synchronize_event(last, kLong));
  EXPECT_EQ(value, 600);
}

TEST_F(StressTest, DestroyWhileOthersEnqueue) {
  for (int round = 0; round < 20; ++round) {
    const Handle handle = create_stream();
    std::atomic<bool> stop{false};
    std::thread enqueuer([&] {
      set_device(0);
      while (!stop) {
        try {
          stream_of(handle).enqueue(node([] {}));
        } catch (const base::Error& e) {
          EXPECT_EQ(e.code(), ACL_ERROR_RT_STREAM_CONTEXT);
          return;
        }
      }
    });
    std::this_thread::sleep_for(std::chrono::microseconds(300));
    destroy_stream(handle, round % 2 == 0);
    stop = true;
    enqueuer.join();
  }
}

TEST_F(StressTest, AbortsRaceWithWork) {
  Stream& stream = default_stream();
  std::atomic<bool> stop{false};
  std::thread aborter([&] {
    while (!stop) {
      stream.abort(kLong);
      std::this_thread::yield();
    }
  });
  for (int i = 0; i < 2000; ++i) {
    stream.enqueue(node([] {}));
    const bool done = i % 50 != 0 || stream.synchronize(kLong);
    EXPECT_TRUE(done);
  }
  stop = true;
  aborter.join();
  EXPECT_TRUE(stream.synchronize(kLong));
}

TEST_F(StressTest, ErrorsAndRecoveryOnManyThreads) {
  on_threads(3, [&](int) {
    set_device(0);
    const Handle handle = create_stream();
    Stream& stream = stream_of(handle);
    std::vector<std::byte> memory(64);
    for (int i = 0; i < 100; ++i) {
      stream.enqueue(
          node([]() -> void { base::fail(507018, "bad index"); }, {writes(memory.data(), 64)}));
      stream.enqueue(
          node([] { ADD_FAILURE() << "ran without its input"; }, {reads(memory.data(), 64)}));
      expect_error(507018, "bad index", [&] { stream.synchronize(kLong); });
      int ran = 0;
      stream.enqueue(node([&] { ++ran; }, {reads(memory.data(), 64)}));
      EXPECT_TRUE(stream.synchronize(kLong));
      EXPECT_EQ(ran, 1);
    }
    destroy_stream(handle);
  });
}

TEST_F(StressTest, AllocateCopyAndFreeOnManyThreads) {
  on_threads(4, [&](int t) {
    set_device(t % 2);
    std::mt19937 random(static_cast<unsigned>(t));
    const Handle handle = create_stream();
    for (int i = 0; i < 60; ++i) {
      const size_t bytes = 1 + random() % 100000;
      std::vector<uint8_t> data(bytes, static_cast<uint8_t>(i)), back(bytes);
      void* a = allocate(current_device(), bytes);
      void* b = allocate(current_device(), bytes);
      copy_async({.dst = a, .src = data.data(), .bytes = bytes}, stream_of(handle));
      copy_async({.dst = b, .src = a, .bytes = bytes}, stream_of(handle));
      release(a);  // waits for the copies
      copy({.dst = back.data(), .src = b, .bytes = bytes});
      EXPECT_EQ(back, data);
      release(b);
    }
    destroy_stream(handle);
  });
  EXPECT_EQ(device_at(0).counters().allocated_bytes, 0);
  EXPECT_EQ(device_at(1).counters().allocated_bytes, 0);
}

TEST_F(StressTest, CallbacksBetweenOperators) {
  const Handle handle = create_stream();
  Stream& stream = stream_of(handle);
  std::atomic<bool> ready{false}, stop{false};
  std::thread subscriber([&] {
    subscribe(static_cast<uint64_t>(pthread_self()), stream);
    ready = true;
    while (!stop) {
      try {
        process_report(kShort);
      } catch (const base::Error& e) {
        EXPECT_EQ(e.code(), ACL_ERROR_RT_REPORT_TIMEOUT);
      }
    }
  });
  while (!ready) std::this_thread::yield();
  int value = 0;  // written by callbacks and nodes in turn
  const auto bump = [](void* p) { ++*static_cast<int*>(p); };
  for (int i = 0; i < 300; ++i) {
    launch_callback(bump, &value, true, stream);
    stream.enqueue(node([&] { ++value; }));
    launch_host_function(bump, &value, stream);
  }
  EXPECT_TRUE(stream.synchronize(kLong));
  EXPECT_EQ(value, 900);
  stop = true;
  subscriber.join();
  destroy_stream(handle);
}

TEST_F(StressTest, ParallelNodesOnTwoDevices) {
  std::atomic<int64_t> sum{0};
  for (int d : {0, 1}) {
    set_device(d);
    for (int i = 0; i < 200; ++i) {
      default_stream().enqueue(std::make_unique<TestNode>([&](base::Workers& workers) {
        workers.parallel_for(64, 1, [&](int64_t begin, int64_t end, int) {
          for (int64_t k = begin; k < end; ++k) sum += k;
        });
      }));
    }
  }
  EXPECT_TRUE(device_at(0).synchronize(kLong));
  EXPECT_TRUE(device_at(1).synchronize(kLong));
  EXPECT_EQ(sum, 400 * 2016);
}

TEST_F(StressTest, HandlesComeAndGo) {
  on_threads(4, [&](int) {
    set_device(0);
    for (int i = 0; i < 200; ++i) {
      const Handle event = create_event(i % 2 ? ACL_EVENT_TIME_LINE : 0);
      record_event(event, default_stream());
      query_event(event);
      destroy_event(event);
      const Handle stream = create_stream();
      stream_of(stream).enqueue(node([] {}));
      destroy_stream(stream);
    }
  });
}

TEST_F(StressTest, RandomWindowsGiveTheSameResult) {
  static std::atomic<int> windows{0};
  set_rewriter([](std::vector<NodePtr>&, int) { ++windows; });
  set_graph_level(1);
  std::mt19937 random(11);
  int64_t value = 1, expected = 1;
  const Handle event = create_event(0);
  for (int i = 0; i < 2000; ++i) {
    default_stream().enqueue(node([&value, i] { value = (value * 31 + i) % 1000003; }));
    expected = (expected * 31 + i) % 1000003;
    switch (random() % 40) {
      case 0:
        default_stream().synchronize(kLong);
        break;
      case 1:
        default_stream().idle();
        break;
      case 2:
        record_event(event, default_stream());
        query_event(event);
        break;
      case 3:
        set_graph_level(static_cast<int>(random() % 3));
        break;
      case 4:
        std::this_thread::sleep_for(std::chrono::microseconds(400));
        break;
      default:
        break;
    }
  }
  EXPECT_TRUE(default_stream().synchronize(kLong));
  EXPECT_EQ(value, expected);
  EXPECT_GT(windows, 0);
}

}  // namespace
}  // namespace npu::runtime
