// SPDX-License-Identifier: Apache-2.0
// A process without PyTorch: operators of the AI CPU say that they are not there, and the rest
// works.
#include "tests/softnpu/aicpu/device.h"

namespace npu::testing {
namespace {

TEST(AiCpuWithoutTorch, OperatorsAreRefusedByNameWithTheReason) {
  const DeviceTensor<float> x({1, 1}, ACL_FLOAT, {2}), out({1, 1}, ACL_FLOAT);
  const Outcome outcome = NPU_RUN(aclnnInverse, x, out);
  EXPECT_EQ(outcome.code, ACLNN_ERR_PARAM_INVALID);
  EXPECT_NE(outcome.message.find("aclnnInverse"), std::string::npos) << outcome.message;
  EXPECT_NE(outcome.message.find("libtorch_cpu.so is not in this process"), std::string::npos)
      << outcome.message;
}

TEST(AiCpuWithoutTorch, ComplexNumbersAreRefusedToo) {
  const DeviceTensor<float> x({2, 2}, ACL_FLOAT);
  const int64_t dims[] = {2};
  void* memory = nullptr;
  ASSERT_EQ(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST), 0);
  aclTensor* z =
      aclCreateTensor(dims, 1, ACL_COMPLEX64, nullptr, 0, ACL_FORMAT_ND, dims, 1, memory);
  EXPECT_EQ(NPU_RUN(aclnnMul, z, z, z).code, ACLNN_ERR_PARAM_INVALID);
  aclDestroyTensor(z);
  aclrtFree(memory);
}

TEST(AiCpuWithoutTorch, NativeOperatorsWork) {
  const DeviceTensor<float> x({3}, ACL_FLOAT, {1, 4, 9}), out({3}, ACL_FLOAT);
  const Outcome outcome = NPU_RUN(aclnnSqrt, x, out);
  ASSERT_EQ(outcome.code, 0) << outcome.message;
  EXPECT_EQ(out.values(), (std::vector<float>{1, 2, 3}));
}

}  // namespace
}  // namespace npu::testing
