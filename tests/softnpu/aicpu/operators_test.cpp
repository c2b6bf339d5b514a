// SPDX-License-Identifier: Apache-2.0
// Operators that ATen's CPU kernels compute on device memory, in a process that has PyTorch.
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/core/Tensor.h>

#include <algorithm>
#include <complex>

#include "tests/softnpu/aicpu/device.h"

namespace npu::testing {
namespace {

using Complex = std::complex<float>;

TEST(AiCpu, RunsAnOutOverload) {
  const DeviceTensor<float> x({2, 2}, ACL_FLOAT, {2, 0, 0, 4}), out({2, 2}, ACL_FLOAT);
  const Outcome outcome = NPU_RUN(aclnnInverse, x, out);
  ASSERT_EQ(outcome.code, 0) << outcome.message;
  EXPECT_EQ(out.values(), (std::vector<float>{0.5, 0, 0, 0.25}));
}

TEST(AiCpu, HasSeveralResults) {
  const DeviceTensor<float> x({2, 2}, ACL_FLOAT, {-1, 0, 0, 1});
  const DeviceTensor<float> sign({}, ACL_FLOAT), log({}, ACL_FLOAT);
  const Outcome outcome = NPU_RUN(aclnnSlogdet, x, sign, log);
  ASSERT_EQ(outcome.code, 0) << outcome.message;
  EXPECT_EQ(sign.values(), (std::vector<float>{-1}));
  EXPECT_EQ(log.values(), (std::vector<float>{0}));
}

TEST(AiCpu, TakesComplexNumbersThatNativeKernelsRefuse) {
  const DeviceTensor<Complex> a({2}, ACL_COMPLEX64, {{1, 2}, {0, 1}});
  const DeviceTensor<Complex> b({2}, ACL_COMPLEX64, {{3, -1}, {0, 1}}), out({2}, ACL_COMPLEX64);
  Outcome outcome = NPU_RUN(aclnnMul, a, b, out);
  ASSERT_EQ(outcome.code, 0) << outcome.message;
  EXPECT_EQ(out.values(), (std::vector<Complex>{{5, 5}, {-1, 0}}));
  const int64_t dims[] = {0};
  aclIntArray* all = aclCreateIntArray(dims, 1);
  const DeviceTensor<Complex> sum({}, ACL_COMPLEX64);
  outcome = NPU_RUN(aclnnReduceSum, a, all, false, ACL_COMPLEX64, sum);
  ASSERT_EQ(outcome.code, 0) << outcome.message;
  EXPECT_EQ(sum.values(), (std::vector<Complex>{{1, 3}}));
  aclDestroyIntArray(all);
}

TEST(AiCpu, ReportsTheShapeThatAResultTurnsOutToHave) {
  const DeviceTensor<float> x({3, 1}, ACL_FLOAT, {1, 3, 7}), out({6}, ACL_FLOAT);
  const Outcome outcome = NPU_RUN(aclnnPdist, x, 2.0f, out);
  ASSERT_EQ(outcome.code, 0) << outcome.message;
  EXPECT_EQ(out.shape(), (std::vector<int64_t>{3}));
  std::vector<float> found = out.values();
  found.resize(3);
  EXPECT_EQ(found, (std::vector<float>{2, 6, 4}));
}

TEST(AiCpu, ErrorsSurfaceAtSynchronizeAndTheStreamGoesOn) {
  const DeviceTensor<float> x({2, 2}, ACL_FLOAT, {1, 2, 2, 1}), out({2, 2}, ACL_FLOAT);
  Outcome outcome = NPU_RUN(aclnnLinalgCholesky, x, false, out);
  EXPECT_EQ(outcome.code, ACL_ERROR_RT_AICPU_EXCEPTION);
  EXPECT_NE(outcome.message.find("aclnnLinalgCholesky"), std::string::npos) << outcome.message;
  EXPECT_NE(outcome.message.find("positive-definite"), std::string::npos) << outcome.message;
  const DeviceTensor<float> fine({2, 2}, ACL_FLOAT, {4, 0, 0, 9});
  outcome = NPU_RUN(aclnnLinalgCholesky, fine, false, out);
  ASSERT_EQ(outcome.code, 0) << outcome.message;
  EXPECT_EQ(out.values(), (std::vector<float>{2, 0, 0, 3}));
}

TEST(AiCpu, LeavesTheProgramsOwnPyTorchAlone) {
  const int threads = at::get_num_threads();
  const auto state = at::globalContext().defaultGenerator(at::kCPU).get_state();
  const DeviceTensor<float> x({1, 1}, ACL_FLOAT, {4}), out({1, 1}, ACL_FLOAT);
  const Outcome outcome = NPU_RUN(aclnnInverse, x, out);
  ASSERT_EQ(outcome.code, 0) << outcome.message;
  EXPECT_EQ(at::get_num_threads(), threads);
  EXPECT_TRUE(state.equal(at::globalContext().defaultGenerator(at::kCPU).get_state()));
}

TEST(AiCpu, ResultsThatDoNotFitAreRefused) {
  const DeviceTensor<float> x({4, 1}, ACL_FLOAT, {1, 2, 3, 4}), out({2}, ACL_FLOAT);
  const Outcome outcome = NPU_RUN(aclnnPdist, x, 2.0f, out);
  EXPECT_EQ(outcome.code, ACL_ERROR_RT_AICPU_EXCEPTION);
  EXPECT_NE(outcome.message.find("needs 24 bytes"), std::string::npos) << outcome.message;
}

}  // namespace
}  // namespace npu::testing
