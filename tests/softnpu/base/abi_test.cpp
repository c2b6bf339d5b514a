// SPDX-License-Identifier: Apache-2.0
#include "softnpu/base/abi.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <thread>

namespace npu::base {
namespace {

TEST(AbiTest, GuardTurnsErrorsIntoCodesAndKeepsTheirText) {
  clear_recent_error();
  EXPECT_EQ(guard("aclFine", [] {}), 0);
  EXPECT_STREQ(recent_error_message(), "");
  EXPECT_EQ(guard("aclWrong", [] { fail(107001, "device ", 9, " does not exist"); }), 107001);
  EXPECT_STREQ(recent_error_message(), "aclWrong: device 9 does not exist");
  EXPECT_EQ(last_error_code(), 107001);
  EXPECT_EQ(guard("aclAlloc", []() -> void { throw std::bad_alloc(); }), 200000);
  EXPECT_EQ(guard("aclOther", []() -> void { throw std::runtime_error("odd"); }), 500000);
  EXPECT_STREQ(recent_error_message(), "aclOther: odd");
  clear_recent_error();
  EXPECT_STREQ(recent_error_message(), "");
}

TEST(AbiTest, ErrorsBelongToTheirThread) {
  clear_recent_error();
  std::thread([] { guard("aclThere", [] { fail(1, "there"); }); }).join();
  EXPECT_STREQ(recent_error_message(), "");
}

TEST(AbiTest, LongMessagesAreCutNotOverrun) {
  const std::string text(10000, 'x');
  guard("aclLong", [&] { fail(5, text); });
  EXPECT_LT(std::string(recent_error_message()).size(), text.size());
  clear_recent_error();
}

TEST(AbiTest, ForkedChildIsToldToSpawn) {
  mark_fork_unsafe();
  EXPECT_EQ(guard("aclParent", [] {}), 0);
  const pid_t child = fork();
  if (child == 0) {
    bool ran = false;
    const int code = guard("aclChild", [&] { ran = true; });
    const bool told = std::string(recent_error_message()).find("spawn") != std::string::npos;
    _exit(code != 0 && !ran && told ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(TraceTest, ValuesAreJson) {
  std::string json;
  trace_value(json, "a\"b\\c\n");
  json += ' ';
  trace_value(json, true);
  json += ' ';
  trace_value(json, 42u);
  json += ' ';
  trace_value(json, 0.5);
  json += ' ';
  trace_value(json, std::numeric_limits<double>::infinity());
  json += ' ';
  trace_value(json, static_cast<const char*>(nullptr));
  json += ' ';
  trace_value(json, reinterpret_cast<void*>(0x10));
  EXPECT_EQ(json, "\"a\\\"b\\\\c\\u000a\" true 42 0.5 \"inf\" null \"0x10\"");
}

// Options are read once a process, so the traced calls are made in one of their own.
TEST(TraceDeathTest, EveryCallIsALine) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const std::string path = testing::TempDir() + "softnpu_trace_test.jsonl";
  if (!testing::internal::InDeathTestChild()) {
    unlink(path.c_str());
    setenv("SOFTNPU_TRACE", path.c_str(), 1);
  }
  EXPECT_EXIT(
      {
        const int value = 3;
        guard("aclOne", [] {}, value, "text");
        guard("aclTwo", [] { fail(7, "no"); });
        std::_Exit(0);
      },
      testing::ExitedWithCode(0), "");
  unsetenv("SOFTNPU_TRACE");
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  EXPECT_EQ(text.str(),
            "{\"call\":\"aclOne\",\"result\":0,\"args\":[3,\"text\"]}\n"
            "{\"call\":\"aclTwo\",\"result\":7,\"args\":[]}\n");
  unlink(path.c_str());
}

}  // namespace
}  // namespace npu::base
