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
  const DeviceTensor<float> x({4}, ACL_FLOAT, {1, 2, 3, 4}), out({4}, ACL_FLOAT);
  int64_t dim = 0;
  aclScalar* along = aclCreateScalar(&dim, ACL_INT64);
  const Outcome outcome = NPU_RUN(aclnnCumprod, x, along, ACL_FLOAT, out);
  ASSERT_EQ(outcome.code, 0) << outcome.message;
  EXPECT_EQ(out.values(), (std::vector<float>{1, 2, 6, 24}));
  aclDestroyScalar(along);
}

TEST(AiCpu, HasSeveralResults) {
  const DeviceTensor<float> x({5}, ACL_FLOAT, {3, 1, 4, 1, 5});
  const DeviceTensor<float> values({5}, ACL_FLOAT);
  const DeviceTensor<int64_t> places({5}, ACL_INT64);
  const Outcome outcome = NPU_RUN(aclnnCummax, x, int64_t{0}, values, places);
  ASSERT_EQ(outcome.code, 0) << outcome.message;
  EXPECT_EQ(values.values(), (std::vector<float>{3, 3, 4, 4, 5}));
  EXPECT_EQ(places.values(), (std::vector<int64_t>{0, 0, 2, 2, 4}));
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

TEST(AiCpu, ReportsShapesThatDependOnTheData) {
  const DeviceTensor<int64_t> x({6}, ACL_INT64, {3, 1, 3, 2, 1, 3});
  const DeviceTensor<int64_t> values({6}, ACL_INT64), inverse({6}, ACL_INT64),
      counts({6}, ACL_INT64);
  const Outcome outcome = NPU_RUN(aclnnUnique2, x, true, true, true, values, inverse, counts);
  ASSERT_EQ(outcome.code, 0) << outcome.message;
  EXPECT_EQ(values.shape(), (std::vector<int64_t>{3}));
  EXPECT_EQ(counts.shape(), (std::vector<int64_t>{3}));
  EXPECT_EQ(inverse.values(), (std::vector<int64_t>{2, 0, 2, 1, 0, 2}));
  std::vector<int64_t> found = values.values(), times = counts.values();
  found.resize(3);
  times.resize(3);
  EXPECT_EQ(found, (std::vector<int64_t>{1, 2, 3}));
  EXPECT_EQ(times, (std::vector<int64_t>{2, 1, 3}));
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
  const DeviceTensor<float> weights({4}, ACL_FLOAT, {1, 2, 3, 4});
  const DeviceTensor<int64_t> a({64}, ACL_INT64), b({64}, ACL_INT64), c({64}, ACL_INT64);
  const auto draw = [&](const DeviceTensor<int64_t>& out, int64_t seed) {
    const Outcome outcome =
        NPU_RUN(aclnnMultinomial, weights, int64_t{64}, true, seed, int64_t{0}, out);
    ASSERT_EQ(outcome.code, 0) << outcome.message;
  };
  draw(a, 7);
  draw(b, 7);
  draw(c, 8);
  EXPECT_EQ(a.values(), b.values());
  EXPECT_NE(a.values(), c.values());
  for (const int64_t v : a.values()) EXPECT_TRUE(v >= 0 && v < 4);
  EXPECT_EQ(at::get_num_threads(), threads);
  EXPECT_TRUE(state.equal(at::globalContext().defaultGenerator(at::kCPU).get_state()));
}

TEST(AiCpu, ResultsThatDoNotFitAreRefused) {
  const DeviceTensor<int64_t> x({2}, ACL_INT64, {0, 40}), out({4}, ACL_INT64);
  const Outcome outcome =
      NPU_RUN(aclnnBincount, x, static_cast<aclTensor*>(nullptr), int64_t{0}, out);
  EXPECT_EQ(outcome.code, ACL_ERROR_RT_AICPU_EXCEPTION);
  EXPECT_NE(outcome.message.find("needs 328 bytes"), std::string::npos) << outcome.message;
}

}  // namespace
}  // namespace npu::testing
