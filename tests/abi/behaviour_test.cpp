// SPDX-License-Identifier: Apache-2.0
// What the AscendCL functions do, seen by a client: copies, waiting, callbacks, parameters, aclop.
#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <cstring>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "acl/acl.h"
#include "acl/acl_op.h"
#include "softnpu.h"

namespace {

class Behaviour : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
    ASSERT_EQ(aclrtCreateStream(&stream_), ACL_SUCCESS);
  }
  void TearDown() override {
    EXPECT_EQ(aclrtDestroyStream(stream_), ACL_SUCCESS);
    for (void* memory : memory_) EXPECT_EQ(aclrtFree(memory), ACL_SUCCESS);
    aclrtResetDevice(0);
  }
  void* allocate(size_t bytes) {
    void* memory = nullptr;
    EXPECT_EQ(aclrtMalloc(&memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
    memory_.push_back(memory);
    return memory;
  }
  static std::vector<int> counting(size_t count) {
    std::vector<int> values(count);
    std::iota(values.begin(), values.end(), 1);
    return values;
  }
  std::vector<int> read(const void* memory, size_t count) {
    std::vector<int> values(count);
    EXPECT_EQ(aclrtMemcpy(values.data(), count * 4, memory, count * 4, ACL_MEMCPY_DEVICE_TO_HOST),
              ACL_SUCCESS);
    return values;
  }

  aclrtStream stream_ = nullptr;
  std::vector<void*> memory_;
};

TEST_F(Behaviour, DataGoesThroughTheDeviceUnchanged) {
  const auto values = counting(5000);
  const size_t bytes = values.size() * sizeof(int);
  void *first = allocate(bytes), *second = allocate(bytes);
  ASSERT_EQ(aclrtMemcpy(first, bytes, values.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE),
            ACL_SUCCESS);
  ASSERT_EQ(aclrtMemcpyAsync(second, bytes, first, bytes, ACL_MEMCPY_DEVICE_TO_DEVICE, stream_),
            ACL_SUCCESS);
  ASSERT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_EQ(read(second, values.size()), values);
}

TEST_F(Behaviour, APageableSourceMayChangeOnceTheCopyReturned) {
  auto values = counting(100000);
  const size_t bytes = values.size() * sizeof(int);
  void* memory = allocate(bytes);
  ASSERT_EQ(
      aclrtMemcpyAsync(memory, bytes, values.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE, stream_),
      ACL_SUCCESS);
  std::fill(values.begin(), values.end(), -1);
  ASSERT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_EQ(read(memory, values.size()), counting(values.size()));
}

TEST_F(Behaviour, FillsSetBytes) {
  void* memory = allocate(1024);
  ASSERT_EQ(aclrtMemset(memory, 1024, 0, 1024), ACL_SUCCESS);
  ASSERT_EQ(aclrtMemsetAsync(memory, 1024, 0x01, 512, stream_), ACL_SUCCESS);
  ASSERT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  const auto values = read(memory, 256);
  EXPECT_EQ(values.front(), 0x01010101);
  EXPECT_EQ(values[127], 0x01010101);
  EXPECT_EQ(values[128], 0);
}

TEST_F(Behaviour, PointersSayWhereTheyLie) {
  void* pinned = nullptr;
  ASSERT_EQ(aclrtMallocHost(&pinned, 4096), ACL_SUCCESS);
  int pageable = 0;
  aclrtPtrAttributes attributes;
  ASSERT_EQ(aclrtPointerGetAttributes(allocate(64), &attributes), ACL_SUCCESS);
  EXPECT_EQ(attributes.location.type, ACL_MEM_LOCATION_TYPE_DEVICE);
  EXPECT_EQ(attributes.location.id, 0u);
  ASSERT_EQ(aclrtPointerGetAttributes(pinned, &attributes), ACL_SUCCESS);
  EXPECT_EQ(attributes.location.type, ACL_MEM_LOCATION_TYPE_HOST);
  ASSERT_EQ(aclrtPointerGetAttributes(&pageable, &attributes), ACL_SUCCESS);
  EXPECT_EQ(attributes.location.type, ACL_MEM_LOCATION_TYPE_UNREGISTERED);
  EXPECT_EQ(aclrtFreeHost(pinned), ACL_SUCCESS);
}

TEST_F(Behaviour, FreeMemoryFollowsAllocations) {
  size_t before = 0, during = 0, total = 0;
  ASSERT_EQ(aclrtGetMemInfo(ACL_HBM_MEM, &before, &total), ACL_SUCCESS);
  void* memory = nullptr;
  ASSERT_EQ(aclrtMalloc(&memory, 8 << 20, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
  ASSERT_EQ(aclrtGetMemInfo(ACL_HBM_MEM, &during, &total), ACL_SUCCESS);
  EXPECT_LE(during + (8 << 20), before);
  EXPECT_LE(before, total);
  ASSERT_EQ(aclrtFree(memory), ACL_SUCCESS);
}

TEST_F(Behaviour, EventsOrderStreamsAndMeasureTime) {
  aclrtEvent start = nullptr, end = nullptr;
  ASSERT_EQ(aclrtCreateEvent(&start), ACL_SUCCESS);
  ASSERT_EQ(aclrtCreateEventWithFlag(&end, ACL_EVENT_TIME_LINE), ACL_SUCCESS);
  aclrtEventRecordedStatus recorded;
  aclrtEventWaitStatus waiting;
  ASSERT_EQ(aclrtQueryEventStatus(start, &recorded), ACL_SUCCESS);
  EXPECT_EQ(recorded, ACL_EVENT_RECORDED_STATUS_NOT_READY);
  ASSERT_EQ(aclrtQueryEventWaitStatus(start, &waiting), ACL_SUCCESS);
  EXPECT_EQ(waiting, ACL_EVENT_WAIT_STATUS_COMPLETE);

  aclrtStream other = nullptr;
  ASSERT_EQ(aclrtCreateStreamWithConfig(&other, 3, 0), ACL_SUCCESS);
  uint32_t priority = 0;
  ASSERT_EQ(aclrtStreamGetPriority(other, &priority), ACL_SUCCESS);
  EXPECT_EQ(priority, 3u);
  const size_t bytes = 4 << 20;
  void *first = allocate(bytes), *second = allocate(bytes);
  ASSERT_EQ(aclrtRecordEvent(start, stream_), ACL_SUCCESS);
  ASSERT_EQ(aclrtMemsetAsync(first, bytes, 7, bytes, stream_), ACL_SUCCESS);
  ASSERT_EQ(aclrtRecordEvent(end, stream_), ACL_SUCCESS);
  ASSERT_EQ(aclrtStreamWaitEvent(other, end), ACL_SUCCESS);
  ASSERT_EQ(aclrtMemcpyAsync(second, bytes, first, bytes, ACL_MEMCPY_DEVICE_TO_DEVICE, other),
            ACL_SUCCESS);
  ASSERT_EQ(aclrtSynchronizeStream(other), ACL_SUCCESS);
  EXPECT_EQ(read(second, 1).front(), 0x07070707);
  ASSERT_EQ(aclrtSynchronizeEvent(end), ACL_SUCCESS);
  float ms = -1;
  ASSERT_EQ(aclrtEventElapsedTime(&ms, start, end), ACL_SUCCESS);
  EXPECT_GE(ms, 0);
  EXPECT_EQ(aclrtDestroyEvent(start), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyEvent(end), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyStream(other), ACL_SUCCESS);
}

TEST_F(Behaviour, CallbacksRunOnTheSubscribersThread) {
  std::atomic<bool> stop{false};
  std::atomic<int> calls{0};
  static thread_local bool subscriber = false;
  std::thread thread([&] {
    subscriber = true;
    while (!stop) aclrtProcessReport(20);
  });
  const auto id = static_cast<uint64_t>(thread.native_handle());
  ASSERT_EQ(aclrtSubscribeReport(id, stream_), ACL_SUCCESS);
  const auto count = [](void* counter) {
    if (subscriber) ++*static_cast<std::atomic<int>*>(counter);
  };
  ASSERT_EQ(aclrtLaunchCallback(count, &calls, ACL_CALLBACK_BLOCK, stream_), ACL_SUCCESS);
  ASSERT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(aclrtUnSubscribeReport(id, stream_), ACL_SUCCESS);
  EXPECT_NE(aclrtLaunchCallback(count, &calls, ACL_CALLBACK_BLOCK, stream_), ACL_SUCCESS);
  stop = true;
  thread.join();
}

TEST_F(Behaviour, HostFunctionsRunInStreamOrder) {
  int value = 0;
  for (int i = 1; i <= 3; ++i) {
    ASSERT_EQ(aclrtLaunchHostFunc(
                  stream_, [](void* v) { *static_cast<int*>(v) = *static_cast<int*>(v) * 10 + 1; },
                  &value),
              ACL_SUCCESS);
  }
  ASSERT_EQ(aclrtSynchronizeStreamWithTimeout(stream_, 5000), ACL_SUCCESS);
  EXPECT_EQ(value, 111);
}

TEST_F(Behaviour, ParametersKeepWhatWasSet) {
  int64_t value = 0;
  ASSERT_EQ(aclrtSetSysParamOpt(ACL_OPT_DETERMINISTIC, 1), ACL_SUCCESS);
  ASSERT_EQ(aclrtGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value), ACL_SUCCESS);
  EXPECT_EQ(value, 1);
  ASSERT_EQ(aclrtCtxSetSysParamOpt(ACL_OPT_STRONG_CONSISTENCY, 1), ACL_SUCCESS);
  ASSERT_EQ(aclrtCtxGetSysParamOpt(ACL_OPT_STRONG_CONSISTENCY, &value), ACL_SUCCESS);
  EXPECT_EQ(value, 1);

  char text[64] = {};
  ASSERT_EQ(aclGetCompileopt(ACL_OP_JIT_COMPILE, text, sizeof(text)), ACL_SUCCESS);
  EXPECT_STREQ(text, "disable");
  ASSERT_EQ(aclSetCompileopt(ACL_OP_DEBUG_LEVEL, "3"), ACL_SUCCESS);
  EXPECT_EQ(aclGetCompileoptSize(ACL_OP_DEBUG_LEVEL), 2u);
  ASSERT_EQ(aclGetCompileopt(ACL_OP_DEBUG_LEVEL, text, sizeof(text)), ACL_SUCCESS);
  EXPECT_STREQ(text, "3");
  EXPECT_NE(aclGetCompileopt(ACL_OP_DEBUG_LEVEL, text, 1), ACL_SUCCESS);
}

TEST_F(Behaviour, GraphLevelsAreKeptOrRefusedWithAReason) {
  int32_t before = -1, after = -1;
  ASSERT_EQ(softnpuGetGraphLevel(&before), ACL_SUCCESS);
  for (int32_t level : {1, 2, 0}) {
    const aclError code = softnpuSetGraphLevel(level);
    ASSERT_EQ(softnpuGetGraphLevel(&after), ACL_SUCCESS);
    if (code == ACL_SUCCESS) {
      EXPECT_EQ(after, level);
    } else {  // a build without fusion passes
      EXPECT_EQ(code, ACL_ERROR_FEATURE_UNSUPPORTED);
      EXPECT_GT(level, 0);
      EXPECT_NE(std::string(aclGetRecentErrMsg()).find("graph level"), std::string::npos);
    }
  }
  ASSERT_EQ(softnpuSetGraphLevel(before), ACL_SUCCESS);
}

TEST_F(Behaviour, TheChipDescribesItself) {
  const char* name = aclrtGetSocName();
  ASSERT_NE(name, nullptr);
  int64_t cores = 0, memory = 0;
  ASSERT_EQ(aclrtGetDeviceInfo(0, ACL_DEV_ATTR_CUBE_CORE_NUM, &cores), ACL_SUCCESS);
  EXPECT_GT(cores, 0);
  ASSERT_EQ(aclrtGetDeviceInfo(0, ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE, &memory), ACL_SUCCESS);
  EXPECT_GT(memory, 0);
  aclCANNPackageVersion version;
  char package[] = "runtime", text[ACL_PKG_VERSION_MAX_SIZE];
  int32_t number = 0;
  ASSERT_EQ(aclsysGetCANNVersion(ACL_PKG_NAME_CANN, &version), ACL_SUCCESS);
  ASSERT_EQ(aclsysGetVersionStr(package, text), ACL_SUCCESS);
  ASSERT_EQ(aclsysGetVersionNum(package, &number), ACL_SUCCESS);
  EXPECT_STREQ(version.version, text);
  EXPECT_EQ(std::to_string(number / 10000000), version.majorVersion);
}

TEST_F(Behaviour, TheAclopIdentityCopies) {
  const auto values = counting(6);
  const int64_t dims[] = {2, 3};
  void *from = allocate(24), *to = allocate(24);
  ASSERT_EQ(aclrtMemcpy(from, 24, values.data(), 24, ACL_MEMCPY_HOST_TO_DEVICE), ACL_SUCCESS);
  aclTensorDesc* desc = aclCreateTensorDesc(ACL_INT32, 2, dims, ACL_FORMAT_ND);
  aclDataBuffer *input = aclCreateDataBuffer(from, 24), *output = aclCreateDataBuffer(to, 24);
  aclopAttr* attributes = aclopCreateAttr();
  ASSERT_EQ(aclopCompileAndExecute("Identity", 1, &desc, &input, 1, &desc, &output, attributes,
                                   ACL_ENGINE_SYS, ACL_COMPILE_SYS, nullptr, stream_),
            ACL_SUCCESS);
  ASSERT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_EQ(read(to, 6), values);
  aclopDestroyAttr(attributes);
  EXPECT_EQ(aclDestroyDataBuffer(input), ACL_SUCCESS);
  EXPECT_EQ(aclDestroyDataBuffer(output), ACL_SUCCESS);
  aclDestroyTensorDesc(desc);
}

TEST(HalfPrecision, ConversionsAreExactOrRoundToNearest) {
  for (float value : {0.0f, 1.0f, -2.5f, 65504.0f, 0x1p-24f}) {
    EXPECT_EQ(aclFloat16ToFloat(aclFloatToFloat16(value)), value);
  }
  EXPECT_EQ(aclFloat16ToFloat(aclFloatToFloat16(1.0f + 0x1p-11f)), 1.0f) << "ties to even";
}

}  // namespace
