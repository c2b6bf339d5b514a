// SPDX-License-Identifier: Apache-2.0
// Helpers of the AI CPU tests, on the C interface alone.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "acl/acl.h"
#include "aclnnop/aclnnop.h"

namespace npu::testing {

/// A tensor of T on device 0.
template <class T>
class DeviceTensor {
 public:
  DeviceTensor(std::vector<int64_t> dims, aclDataType dtype, std::vector<T> values = {}) {
    EXPECT_EQ(aclrtSetDevice(0), 0);
    int64_t count = 1;
    for (const int64_t dim : dims) count *= dim;
    values.resize(static_cast<size_t>(count));
    bytes_ = values.size() * sizeof(T);
    EXPECT_EQ(aclrtMalloc(&memory_, bytes_ + 32, ACL_MEM_MALLOC_HUGE_FIRST), 0);
    EXPECT_EQ(aclrtMemcpy(memory_, bytes_, values.data(), bytes_, ACL_MEMCPY_HOST_TO_DEVICE), 0);
    handle_ = aclCreateTensor(dims.data(), dims.size(), dtype, nullptr, 0, ACL_FORMAT_ND,
                              dims.data(), dims.size(), memory_);
  }
  DeviceTensor(const DeviceTensor&) = delete;
  ~DeviceTensor() {
    aclDestroyTensor(handle_);
    aclrtFree(memory_);
  }
  operator aclTensor*() const { return handle_; }  // NOLINT

  std::vector<T> values() const {
    std::vector<T> result(bytes_ / sizeof(T));
    EXPECT_EQ(aclrtMemcpy(result.data(), bytes_, memory_, bytes_, ACL_MEMCPY_DEVICE_TO_HOST), 0);
    return result;
  }
  std::vector<int64_t> shape() const {
    int64_t* dims = nullptr;
    uint64_t rank = 0;
    EXPECT_EQ(aclGetViewShape(handle_, &dims, &rank), 0);
    std::vector<int64_t> result(dims, dims + rank);
    delete[] dims;
    return result;
  }

 private:
  size_t bytes_ = 0;
  void* memory_ = nullptr;
  aclTensor* handle_ = nullptr;
};

/// Both phases and a synchronise; the first code that is not 0, and its message.
struct Outcome {
  int code = 0;
  std::string message;
};
template <class Plan, class Launch, class... Args>
Outcome run(Plan plan, Launch launch, const Args&... args) {
  uint64_t bytes = 0;
  aclOpExecutor* executor = nullptr;
  int code = plan(args..., &bytes, &executor);
  void* workspace = nullptr;
  if (code == 0 && bytes != 0) code = aclrtMalloc(&workspace, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
  if (code == 0) code = launch(workspace, bytes, executor, nullptr);
  if (code == 0) code = aclrtSynchronizeStream(nullptr);
  Outcome outcome{code, ""};
  if (code != 0) {
    const char* text = aclGetRecentErrMsg();
    outcome.message = text == nullptr ? "" : text;
  }
  if (workspace != nullptr) aclrtFree(workspace);
  return outcome;
}
#define NPU_RUN(name, ...) npu::testing::run(name##GetWorkspaceSize, name, __VA_ARGS__)

}  // namespace npu::testing
