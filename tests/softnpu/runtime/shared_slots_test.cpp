// SPDX-License-Identifier: Apache-2.0
#include "softnpu/runtime/shared_slots.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

#include "softnpu/base/options.h"

namespace npu::runtime {
namespace {

class SharedSlotsTest : public testing::Test {
 protected:
  void SetUp() override {
    name_ = "test" + std::to_string(getpid());
    path_ = base::options().shm + "/softnpu-" + std::to_string(geteuid()) + "-" + name_;
  }
  void TearDown() override { unlink(path_.c_str()); }

  // Runs `body` in another process until it says it is ready; the process then waits to be killed.
  pid_t other(const std::function<void()>& body) {
    int ready[2];
    EXPECT_EQ(pipe(ready), 0);
    const pid_t child = fork();
    if (child == 0) {
      body();
      [[maybe_unused]] const ssize_t told = write(ready[1], "r", 1);
      for (;;) pause();
    }
    char byte = 0;
    EXPECT_EQ(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    close(ready[1]);
    return child;
  }
  void end(pid_t child) {
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
  }

  std::string name_, path_;
};

TEST_F(SharedSlotsTest, ProcessesSeeEachOtherAndTheKilledAreForgotten) {
  SharedSlots mine(name_);
  ASSERT_TRUE(mine.shared());
  mine.mine() = 5;
  const pid_t child = other([&] { (new SharedSlots(name_))->mine() = 100; });
  EXPECT_EQ(mine.sum(), 105);
  mine.repair();
  EXPECT_EQ(mine.sum(), 105);  // it lives
  end(child);
  mine.repair();
  EXPECT_EQ(mine.sum(), 5);
  const pid_t next = other([&] { (new SharedSlots(name_))->mine() = 7; });
  EXPECT_EQ(mine.sum(), 12);
  end(next);
}

TEST_F(SharedSlotsTest, AForkedChildDoesNotKeepAKilledParentsNumber) {
  SharedSlots mine(name_);
  ASSERT_TRUE(mine.shared());
  int grandchild[2];
  ASSERT_EQ(pipe(grandchild), 0);
  const pid_t child = other([&] {
    (new SharedSlots(name_))->mine() = 50;
    const pid_t forked = fork();
    if (forked == 0) {
      for (;;) pause();
    }
    [[maybe_unused]] const ssize_t told = write(grandchild[1], &forked, sizeof(forked));
  });
  pid_t forked = 0;
  ASSERT_EQ(read(grandchild[0], &forked, sizeof(forked)), static_cast<ssize_t>(sizeof(forked)));
  EXPECT_EQ(mine.sum(), 50);
  end(child);
  mine.repair();
  EXPECT_EQ(mine.sum(), 0);
  kill(forked, SIGKILL);
}

TEST_F(SharedSlotsTest, OnlyItsUserMayOpenIt) {
  SharedSlots mine(name_);
  ASSERT_TRUE(mine.shared());
  struct stat status{};
  ASSERT_EQ(stat(path_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
}

TEST_F(SharedSlotsTest, AForeignFileIsNotTrusted) {
  {
    SharedSlots made(name_);
  }
  if (chmod(path_.c_str(), 0666) != 0) GTEST_SKIP() << "no /dev/shm here";
  SharedSlots alone(name_);
  EXPECT_FALSE(alone.shared());
  alone.mine() = 3;
  EXPECT_EQ(alone.sum(), 3);
}

}  // namespace
}  // namespace npu::runtime
