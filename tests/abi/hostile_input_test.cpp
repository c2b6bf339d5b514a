// SPDX-License-Identifier: Apache-2.0
// Wrong input gets an error code and a message that says what was wrong; nothing crashes.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "acl/acl.h"
#include "aclnnop/aclnnop.h"
#include "softnpu.h"

namespace {

std::string recent_error() {
  const char* text = aclGetRecentErrMsg();
  return text != nullptr ? text : "";
}

class HostileInput : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS) << recent_error();
    recent_error();
  }
  void TearDown() override { aclrtResetDevice(0); }
};

TEST_F(HostileInput, NullPointersAreNamed) {
  EXPECT_EQ(aclrtGetDeviceCount(nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(recent_error(), "aclrtGetDeviceCount: count is null");
  EXPECT_EQ(aclrtMalloc(nullptr, 64, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtFree(nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtFreeHost(nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtCreateStream(nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtDestroyStream(nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtCreateEvent(nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_NE(aclrtDestroyEvent(nullptr), ACL_SUCCESS);
  EXPECT_NE(aclrtDestroyContext(nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemcpy(nullptr, 4, nullptr, 4, ACL_MEMCPY_HOST_TO_HOST), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtMemset(nullptr, 4, 0, 4), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtLaunchHostFunc(nullptr, nullptr, nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtGetSysParamOpt(ACL_OPT_DETERMINISTIC, nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclDestroyDataBuffer(nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclSetTensorFormat(nullptr, ACL_FORMAT_ND), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclopSetAttrInt(nullptr, "axis", 0), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(softnpuGetCounter(nullptr, nullptr), ACL_ERROR_INVALID_PARAM);
}

TEST_F(HostileInput, StaleHandlesAreFoundNotFollowed) {
  aclrtStream stream = nullptr;
  ASSERT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
  ASSERT_EQ(aclrtDestroyStream(stream), ACL_SUCCESS);
  EXPECT_NE(aclrtSynchronizeStream(stream), ACL_SUCCESS);
  EXPECT_NE(aclrtDestroyStream(stream), ACL_SUCCESS);
  EXPECT_NE(recent_error(), "");

  aclrtEvent event = nullptr;
  ASSERT_EQ(aclrtCreateEvent(&event), ACL_SUCCESS);
  ASSERT_EQ(aclrtDestroyEvent(event), ACL_SUCCESS);
  EXPECT_NE(aclrtRecordEvent(event, nullptr), ACL_SUCCESS);
  EXPECT_NE(aclrtSynchronizeEvent(event), ACL_SUCCESS);
  EXPECT_NE(aclrtDestroyEvent(event), ACL_SUCCESS);

  aclrtContext context = nullptr;
  ASSERT_EQ(aclrtCreateContext(&context, 0), ACL_SUCCESS);
  ASSERT_EQ(aclrtDestroyContext(context), ACL_SUCCESS);
  EXPECT_NE(aclrtSetCurrentContext(context), ACL_SUCCESS);
  EXPECT_NE(aclrtDestroyContext(context), ACL_SUCCESS);

  void* memory = nullptr;
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  ASSERT_EQ(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
  ASSERT_EQ(aclrtFree(memory), ACL_SUCCESS);
  EXPECT_NE(aclrtFree(memory), ACL_SUCCESS);
  EXPECT_NE(aclrtMemset(memory, 64, 0, 64), ACL_SUCCESS);
}

TEST_F(HostileInput, InventedHandlesAreFoundNotFollowed) {
  int on_the_stack = 0;
  for (void* invented :
       {reinterpret_cast<void*>(uintptr_t{0x10}), reinterpret_cast<void*>(~uintptr_t{0}),
        static_cast<void*>(&on_the_stack)}) {
    EXPECT_NE(aclrtSynchronizeStream(invented), ACL_SUCCESS);
    EXPECT_NE(aclrtDestroyStream(invented), ACL_SUCCESS);
    EXPECT_NE(aclrtSynchronizeEvent(invented), ACL_SUCCESS);
    EXPECT_NE(aclrtSetCurrentContext(invented), ACL_SUCCESS);
    EXPECT_NE(aclrtFree(invented), ACL_SUCCESS);
    EXPECT_NE(aclrtFreeHost(invented), ACL_SUCCESS);
  }
}

TEST_F(HostileInput, AWrongDeviceIndexNamesTheValidOnes) {
  uint32_t count = 0;
  ASSERT_EQ(aclrtGetDeviceCount(&count), ACL_SUCCESS);
  for (int32_t device : {-1, static_cast<int32_t>(count), 1000000}) {
    EXPECT_EQ(aclrtSetDevice(device), ACL_ERROR_RT_INVALID_DEVICEID);
    EXPECT_NE(recent_error().find(std::to_string(device)), std::string::npos);
    int32_t can = 0;
    EXPECT_EQ(aclrtDeviceCanAccessPeer(&can, 0, device), ACL_ERROR_RT_INVALID_DEVICEID);
    int64_t value = 0;
    EXPECT_EQ(aclrtGetDeviceInfo(static_cast<uint32_t>(device), ACL_DEV_ATTR_L2_CACHE_SIZE, &value),
              ACL_ERROR_RT_INVALID_DEVICEID);
  }
}

TEST_F(HostileInput, ATerabyteIsOutOfMemoryAndSmallAllocationsStillWork) {
  void* memory = nullptr;
  EXPECT_EQ(aclrtMalloc(&memory, size_t{1} << 40, ACL_MEM_MALLOC_HUGE_FIRST),
            ACL_ERROR_RT_MEMORY_ALLOCATION);
  EXPECT_NE(recent_error(), "");
  EXPECT_EQ(aclrtMalloc(&memory, ~size_t{0}, ACL_MEM_MALLOC_HUGE_FIRST),
            ACL_ERROR_RT_MEMORY_ALLOCATION);
  EXPECT_NE(aclrtMallocHost(&memory, ~size_t{0}), ACL_SUCCESS);
  ASSERT_EQ(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
  EXPECT_EQ(aclrtFree(memory), ACL_SUCCESS);
}

TEST_F(HostileInput, CopiesBeyondAnAllocationOrAgainstTheirKindAreRefused) {
  void* device = nullptr;
  ASSERT_EQ(aclrtMalloc(&device, 512, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
  std::vector<char> host(4096);
  EXPECT_EQ(aclrtMemcpy(device, 4, host.data(), 8, ACL_MEMCPY_HOST_TO_DEVICE),
            ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_NE(aclrtMemcpy(device, 4096, host.data(), 4096, ACL_MEMCPY_HOST_TO_DEVICE), ACL_SUCCESS);
  EXPECT_NE(aclrtMemcpy(device, 512, host.data(), 64, ACL_MEMCPY_DEVICE_TO_DEVICE), ACL_SUCCESS);
  EXPECT_NE(aclrtMemcpy(host.data(), 64, device, 64, ACL_MEMCPY_HOST_TO_HOST), ACL_SUCCESS);
  EXPECT_NE(aclrtMemcpy(device, 64, host.data(), 64, static_cast<aclrtMemcpyKind>(99)),
            ACL_SUCCESS);
  EXPECT_NE(aclrtMemset(device, 4096, 0, 4096), ACL_SUCCESS);
  EXPECT_EQ(aclrtFree(device), ACL_SUCCESS);
}

TEST_F(HostileInput, UnknownEnumValuesAreRefused) {
  int64_t value = 0;
  EXPECT_EQ(aclrtGetDeviceInfo(0, static_cast<aclrtDevAttr>(12345), &value),
            ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtGetSysParamOpt(static_cast<aclSysParamOpt>(-7), &value), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclSetCompileopt(static_cast<aclCompileOpt>(999), "x"), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtSetDeviceSatMode(static_cast<aclrtFloatOverflowMode>(9)), ACL_ERROR_INVALID_PARAM);
  int32_t attribute = 0;
  EXPECT_EQ(aclGetCannAttribute(static_cast<aclCannAttr>(77), &attribute), ACL_ERROR_INVALID_PARAM);
  void* memory = nullptr;
  EXPECT_EQ(aclrtMalloc(&memory, 64, static_cast<aclrtMemMallocPolicy>(0xff)),
            ACL_ERROR_RT_INVALID_MALLOC_TYPE);
  aclrtStream stream = nullptr;
  EXPECT_NE(aclrtCreateStreamWithConfig(&stream, 99, 0), ACL_SUCCESS);
  EXPECT_EQ(aclDataTypeSize(static_cast<aclDataType>(1234)), 0u);
  EXPECT_EQ(softnpuSetGraphLevel(7), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(softnpuGetCounter("no_such_counter", &value), ACL_ERROR_INVALID_PARAM);
  EXPECT_NE(recent_error().find("nodes_run"), std::string::npos) << "valid names are listed";
}

TEST_F(HostileInput, TheMessageOfAnErrorIsReadOnce) {
  EXPECT_EQ(aclrtFree(nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_SUCCESS);
  EXPECT_EQ(recent_error(), "aclrtFree: devPtr is null");
  EXPECT_EQ(aclGetRecentErrMsg(), nullptr);
}

TEST_F(HostileInput, AnAclopOtherThanIdentityNamesItself) {
  EXPECT_EQ(aclopCompileAndExecute("TransData", 0, nullptr, nullptr, 0, nullptr, nullptr, nullptr,
                                   ACL_ENGINE_SYS, ACL_COMPILE_SYS, nullptr, nullptr),
            ACL_ERROR_FEATURE_UNSUPPORTED);
  EXPECT_NE(recent_error().find("TransData"), std::string::npos);
  EXPECT_NE(aclopCompileAndExecute(nullptr, 0, nullptr, nullptr, 0, nullptr, nullptr, nullptr,
                                   ACL_ENGINE_SYS, ACL_COMPILE_SYS, nullptr, nullptr),
            ACL_SUCCESS);
  EXPECT_NE(aclopCompileAndExecute("Identity", 1, nullptr, nullptr, 1, nullptr, nullptr, nullptr,
                                   ACL_ENGINE_SYS, ACL_COMPILE_SYS, nullptr, nullptr),
            ACL_SUCCESS);
}

}  // namespace
