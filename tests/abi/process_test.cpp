// SPDX-License-Identifier: Apache-2.0
// What a whole process sees: before a device is set, after the end, with unusable options. Each
// case runs in a process of its own.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "acl/acl.h"

namespace {

std::string recent_error() {
  const char* text = aclGetRecentErrMsg();
  return text != nullptr ? text : "";
}

/// Ends the child; the parent's expectation sees `ok` as exit code 0, else the text on stderr.
[[noreturn]] void finish(bool ok) {
  if (!ok) std::fprintf(stderr, "recent error: %s\n", recent_error().c_str());
  std::fflush(stderr);
  _exit(ok ? 0 : 1);
}

class Process : public testing::Test {
 protected:
  // A fresh process, not a fork of this one: options are read once, and forks are refused.
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};
const auto kSuccess = testing::ExitedWithCode(0);

TEST_F(Process, InitAnswersARepetitionAndFinalizeOneTooMany) {
  EXPECT_EXIT(
      finish(aclInit(nullptr) == ACL_SUCCESS && aclInit(nullptr) == ACL_ERROR_REPEAT_INITIALIZE &&
             aclFinalize() == ACL_SUCCESS && aclFinalize() != ACL_SUCCESS),
      kSuccess, "");
}

TEST_F(Process, AnUnreadableConfigurationIsNamed) {
  EXPECT_EXIT(finish(aclInit("/no/such/acl.json") == ACL_ERROR_INVALID_FILE &&
                     recent_error().find("/no/such/acl.json") != std::string::npos),
              kSuccess, "");
}

TEST_F(Process, WithoutADeviceThereIsNoContext) {
  EXPECT_EXIT(
      {
        int32_t device = 0;
        aclrtContext context = nullptr;
        aclrtStream stream = nullptr;
        void* memory = nullptr;
        finish(aclrtGetDevice(&device) == ACL_ERROR_RT_CONTEXT_NULL &&
               aclrtGetCurrentContext(&context) == ACL_ERROR_RT_CONTEXT_NULL &&
               aclrtCreateStream(&stream) == ACL_ERROR_RT_CONTEXT_NULL &&
               aclrtMalloc(&memory, 8, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_ERROR_RT_CONTEXT_NULL &&
               aclrtSynchronizeStream(nullptr) == ACL_ERROR_RT_CONTEXT_NULL);
      },
      kSuccess, "");
}

TEST_F(Process, AfterFinalizeHandlesAreStale) {
  EXPECT_EXIT(
      {
        aclrtStream stream = nullptr;
        aclrtEvent event = nullptr;
        void* memory = nullptr;
        bool ok = aclInit(nullptr) == ACL_SUCCESS && aclrtSetDevice(0) == ACL_SUCCESS &&
                  aclrtCreateStream(&stream) == ACL_SUCCESS &&
                  aclrtCreateEvent(&event) == ACL_SUCCESS &&
                  aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_SUCCESS &&
                  aclFinalize() == ACL_SUCCESS;
        ok = ok && aclrtSynchronizeStream(stream) != ACL_SUCCESS;
        ok = ok && aclrtRecordEvent(event, stream) != ACL_SUCCESS;
        ok = ok && aclrtMemset(memory, 64, 0, 64) != ACL_SUCCESS;
        ok = ok && aclrtFree(memory) != ACL_SUCCESS;
        finish(ok);
      },
      kSuccess, "");
}

TEST_F(Process, AnUnknownChipIsAnErrorThatListsTheValidOnes) {
  EXPECT_EXIT(
      {
        setenv("SOFTNPU_SOC", "nonsense", 1);
        const bool refused = aclrtSetDevice(0) != ACL_SUCCESS;
        const std::string text = recent_error();
        finish(refused && text.find("nonsense") != std::string::npos &&
               text.find("Ascend910B1") != std::string::npos && aclrtGetSocName() == nullptr);
      },
      kSuccess, "");
}

TEST_F(Process, TheChipAndTheNumberOfDevicesFollowTheOptions) {
  EXPECT_EXIT(
      {
        setenv("SOFTNPU_SOC", "Ascend910B3", 1);
        setenv("SOFTNPU_DEVICES", "3", 1);
        uint32_t count = 0;
        const char* name = aclrtGetSocName();
        finish(name != nullptr && std::string(name) == "Ascend910B3" &&
               aclrtGetDeviceCount(&count) == ACL_SUCCESS && count == 3 &&
               aclrtSetDevice(2) == ACL_SUCCESS &&
               aclrtSetDevice(3) == ACL_ERROR_RT_INVALID_DEVICEID);
      },
      kSuccess, "");
}

TEST_F(Process, ExitWithoutFinalizeWithPendingWorkEnds) {
  EXPECT_EXIT(
      {
        void* memory = nullptr;
        if (aclrtSetDevice(0) != ACL_SUCCESS ||
            aclrtMalloc(&memory, 1 << 20, ACL_MEM_MALLOC_HUGE_FIRST) != ACL_SUCCESS ||
            aclrtMemsetAsync(memory, 1 << 20, 1, 1 << 20, nullptr) != ACL_SUCCESS) {
          finish(false);
        }
        std::exit(0);
      },
      kSuccess, "");
}

}  // namespace
