// SPDX-License-Identifier: Apache-2.0
#include "softnpu/runtime/worker_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace npu::runtime {
namespace {

TEST(WorkerPoolTest, EveryIndexRunsOnce) {
  WorkerPool pool(4);
  for (int64_t count : {0, 1, 7, 100, 1001}) {
    for (int64_t grain : {1, 3, 64, 2000}) {
      std::vector<std::atomic<int>> seen(static_cast<size_t>(count));
      pool.parallel_for(count, grain, [&](int64_t begin, int64_t end, int worker) {
        EXPECT_GE(worker, 0);
        EXPECT_LT(worker, pool.size());
        for (int64_t i = begin; i < end; ++i) ++seen[static_cast<size_t>(i)];
      });
      for (const std::atomic<int>& times : seen) EXPECT_EQ(times, 1);
    }
  }
}

TEST(WorkerPoolTest, WorkersDoNotShareAnIndexAtOnce) {
  WorkerPool pool(3);
  std::atomic<int> inside[3] = {};
  for (int round = 0; round < 200; ++round) {
    pool.parallel_for(30, 1, [&](int64_t, int64_t, int worker) {
      EXPECT_EQ(inside[worker].fetch_add(1), 0);
      inside[worker].fetch_sub(1);
    });
  }
}

TEST(WorkerPoolTest, ManyShortJobsInARow) {
  WorkerPool pool(4);
  std::atomic<int64_t> sum{0};
  for (int i = 0; i < 5000; ++i) {
    pool.parallel_for(8, 1, [&](int64_t begin, int64_t, int) { sum += begin; });
    if (i % 500 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));  // helpers sleep
  }
  EXPECT_EQ(sum, 5000 * 28);
}

TEST(WorkerPoolTest, StartsAgainAfterJoin) {
  WorkerPool pool(2);
  for (int i = 0; i < 20; ++i) {
    std::atomic<int> tiles{0};
    pool.parallel_for(10, 1, [&](int64_t, int64_t, int) { ++tiles; });
    EXPECT_EQ(tiles, 10);
    pool.join();
  }
}

TEST(WorkerPoolTest, HelpersSleepWhenThereIsNothingToDo) {
  WorkerPool pool(3);
  pool.parallel_for(100, 1, [](int64_t, int64_t, int) {});
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  timespec before{}, after{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
  const double burnt = static_cast<double>(after.tv_sec - before.tv_sec) +
                       1e-9 * static_cast<double>(after.tv_nsec - before.tv_nsec);
  EXPECT_LT(burnt, 0.05);
}

}  // namespace
}  // namespace npu::runtime
