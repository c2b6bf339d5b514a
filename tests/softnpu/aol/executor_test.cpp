// SPDX-License-Identifier: Apache-2.0
// The two phases: who owns an executor when, and misuse.
#include "tests/softnpu/aol/device_tensor.h"

namespace npu::testing {
namespace {

struct Planned {
  uint64_t bytes = 0;
  aclOpExecutor* executor = nullptr;
};

Planned plan_add(const Tensor& a, const Tensor& b, const Tensor& out) {
  const Number one(1);
  Planned planned;
  EXPECT_EQ(aclnnAddGetWorkspaceSize(a, b, one, out, &planned.bytes, &planned.executor), 0)
      << last_message();
  return planned;  // the scalar is gone before the launch
}

void synchronize() { runtime::default_stream().synchronize(); }

class Executor : public ::testing::Test {
 protected:
  Tensor a{{3}, ACL_FLOAT, {1, 2, 3}}, b{{3}, ACL_FLOAT, {10, 20, 30}}, out{{3}, ACL_FLOAT};
};

TEST_F(Executor, DescriptorsMayBeDestroyedOncePhaseOneReturned) {
  Planned planned;
  {
    const Tensor view(a, {3}, {1}, 0);
    planned = plan_add(view, b, out);
  }
  ASSERT_EQ(aclnnAdd(nullptr, 0, planned.executor, nullptr), 0);
  synchronize();
  expect_close(out.values(), {11, 22, 33});
}

TEST_F(Executor, IsConsumedByTheFirstLaunch) {
  const Planned planned = plan_add(a, b, out);
  ASSERT_EQ(aclnnAdd(nullptr, 0, planned.executor, nullptr), 0);
  EXPECT_EQ(aclnnAdd(nullptr, 0, planned.executor, nullptr), ACLNN_ERR_PARAM_INVALID);
  EXPECT_NE(last_message().find("launched"), std::string::npos) << last_message();
  EXPECT_EQ(aclDestroyAclOpExecutor(planned.executor), ACLNN_ERR_PARAM_INVALID);
  synchronize();
}

TEST_F(Executor, NeverLaunchedIsDestroyedOnce) {
  const Planned planned = plan_add(a, b, out);
  EXPECT_EQ(aclDestroyAclOpExecutor(planned.executor), 0);
  EXPECT_EQ(aclDestroyAclOpExecutor(planned.executor), ACLNN_ERR_PARAM_INVALID);
  EXPECT_EQ(aclnnAdd(nullptr, 0, planned.executor, nullptr), ACLNN_ERR_PARAM_INVALID);
}

TEST_F(Executor, AbandonedOnesAreReclaimed) {
  const Planned first = plan_add(a, b, out);
  Planned last;
  for (int i = 0; i < 16384; ++i) last = plan_add(a, b, out);
  EXPECT_EQ(aclnnAdd(nullptr, 0, first.executor, nullptr), ACLNN_ERR_PARAM_INVALID);
  EXPECT_EQ(aclnnAdd(nullptr, 0, last.executor, nullptr), 0) << last_message();
  synchronize();
}

TEST_F(Executor, BelongsToItsOperator) {
  const Planned planned = plan_add(a, b, out);
  EXPECT_EQ(aclnnMul(nullptr, 0, planned.executor, nullptr), ACLNN_ERR_PARAM_INVALID);
  EXPECT_NE(last_message().find("aclnnAdd"), std::string::npos) << last_message();
  EXPECT_EQ(aclnnAdd(nullptr, 0, planned.executor, nullptr), 0);
  synchronize();
}

TEST_F(Executor, NullIsRefused) {
  EXPECT_EQ(aclnnAdd(nullptr, 0, nullptr, nullptr), ACLNN_ERR_INNER_NULLPTR);
  EXPECT_EQ(aclSetAclOpExecutorRepeatable(nullptr), ACLNN_ERR_INNER_NULLPTR);
  const Number one(1);
  uint64_t bytes = 0;
  aclOpExecutor* executor = nullptr;
  EXPECT_EQ(aclnnAddGetWorkspaceSize(a, b, one, out, nullptr, &executor), ACLNN_ERR_PARAM_NULLPTR);
  EXPECT_EQ(aclnnAddGetWorkspaceSize(a, b, one, out, &bytes, nullptr), ACLNN_ERR_PARAM_NULLPTR);
}

TEST_F(Executor, RepeatableRunsAgainAndFollowsNewAddresses) {
  const Planned planned = plan_add(a, b, out);
  ASSERT_EQ(aclSetAclOpExecutorRepeatable(planned.executor), 0);
  for (int i = 0; i < 3; ++i) ASSERT_EQ(aclnnAdd(nullptr, 0, planned.executor, nullptr), 0);
  synchronize();
  expect_close(out.values(), {11, 22, 33});

  const Tensor other({3}, ACL_FLOAT, {5, 5, 5}), other_out({3}, ACL_FLOAT);
  ASSERT_EQ(aclSetInputTensorAddr(planned.executor, 0, a, other.memory()), 0) << last_message();
  ASSERT_EQ(aclSetOutputTensorAddr(planned.executor, 0, out, other_out.memory()), 0);
  ASSERT_EQ(aclnnAdd(nullptr, 0, planned.executor, nullptr), 0);
  synchronize();
  expect_close(other_out.values(), {15, 25, 35});
  EXPECT_EQ(aclDestroyAclOpExecutor(planned.executor), 0);
}

TEST_F(Executor, AddressesMayComeAfterPlanning) {
  const int64_t dims[] = {3};
  aclTensor* late =
      aclCreateTensor(dims, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, dims, 1, nullptr);
  const Number one(1);
  Planned planned;
  ASSERT_EQ(aclnnAddGetWorkspaceSize(late, b, one, out, &planned.bytes, &planned.executor), 0);
  ASSERT_EQ(aclSetAclOpExecutorRepeatable(planned.executor), 0);
  EXPECT_EQ(aclnnAdd(nullptr, 0, planned.executor, nullptr), ACLNN_ERR_PARAM_NULLPTR);
  ASSERT_EQ(aclSetTensorAddr(planned.executor, 0, late, a.memory()), 0) << last_message();
  ASSERT_EQ(aclnnAdd(nullptr, 0, planned.executor, nullptr), 0) << last_message();
  synchronize();
  expect_close(out.values(), {11, 22, 33});
  aclDestroyAclOpExecutor(planned.executor);
  aclDestroyTensor(late);
}

TEST_F(Executor, AddressOfAnOrdinaryExecutorCannotChange) {
  const Planned planned = plan_add(a, b, out);
  EXPECT_EQ(aclSetInputTensorAddr(planned.executor, 0, a, b.memory()), ACLNN_ERR_PARAM_INVALID);
  aclDestroyAclOpExecutor(planned.executor);
}

TEST_F(Executor, TooSmallWorkspaceIsRefusedAndTheExecutorStaysUsable) {
  const Tensor target({3}, ACL_FLOAT, {1, 1, 1}), loss({}, ACL_FLOAT);
  uint64_t bytes = 0;
  aclOpExecutor* executor = nullptr;
  ASSERT_EQ(aclnnMseLossGetWorkspaceSize(a, target, 1, loss, &bytes, &executor), 0);
  ASSERT_GT(bytes, 0u);
  void* workspace = runtime::allocate(runtime::current_device(), bytes);
  EXPECT_EQ(aclnnMseLoss(workspace, bytes - 1, executor, nullptr), ACLNN_ERR_PARAM_INVALID);
  EXPECT_NE(last_message().find("are needed"), std::string::npos) << last_message();
  EXPECT_NE(aclnnMseLoss(nullptr, bytes, executor, nullptr), 0);
  ASSERT_EQ(aclnnMseLoss(workspace, bytes, executor, nullptr), 0) << last_message();
  synchronize();
  expect_close(loss.values(), {5.0 / 3});
  runtime::release(workspace);
}

TEST_F(Executor, StreamOfAnotherDeviceIsRefused) {
  const Planned planned = plan_add(a, b, out);
  runtime::set_device(1);
  const runtime::Handle stream = runtime::create_stream();
  EXPECT_EQ(aclnnAdd(nullptr, 0, planned.executor, stream), ACLNN_ERR_PARAM_INVALID);
  EXPECT_NE(last_message().find("device 0"), std::string::npos) << last_message();
  runtime::destroy_stream(stream);
  runtime::reset_device(1, true);
  runtime::set_device(0);
  aclDestroyAclOpExecutor(planned.executor);
}

TEST_F(Executor, StaleStreamIsRefused) {
  const Planned planned = plan_add(a, b, out);
  const runtime::Handle stream = runtime::create_stream();
  runtime::destroy_stream(stream);
  EXPECT_NE(aclnnAdd(nullptr, 0, planned.executor, stream), 0);
  EXPECT_EQ(aclnnAdd(nullptr, 0, planned.executor, nullptr), 0);
  synchronize();
}

TEST_F(Executor, FreedMemoryIsRefusedByName) {
  void* freed = runtime::allocate(runtime::current_device(), 512);
  runtime::release(freed);
  const int64_t dims[] = {3};
  aclTensor* dangling =
      aclCreateTensor(dims, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, dims, 1, freed);
  const Number one(1);
  uint64_t bytes = 0;
  aclOpExecutor* executor = nullptr;
  EXPECT_NE(aclnnAddGetWorkspaceSize(a, dangling, one, out, &bytes, &executor), 0);
  EXPECT_NE(last_message().find("other"), std::string::npos) << last_message();
  aclDestroyTensor(dangling);
}

TEST_F(Executor, HostMemoryIsRefused) {
  float host[3] = {};
  const int64_t dims[] = {3};
  aclTensor* on_host =
      aclCreateTensor(dims, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, dims, 1, host);
  const Number one(1);
  uint64_t bytes = 0;
  aclOpExecutor* executor = nullptr;
  EXPECT_NE(aclnnAddGetWorkspaceSize(on_host, b, one, out, &bytes, &executor), 0);
  EXPECT_NE(last_message().find("self"), std::string::npos) << last_message();
  aclDestroyTensor(on_host);
}

}  // namespace
}  // namespace npu::testing
