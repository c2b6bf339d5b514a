// SPDX-License-Identifier: Apache-2.0
// Gradient scaling and whole optimiser steps.
#include <limits>
#include <vector>

#include "aclnnop/optimizer.h"
#include "softnpu/aol/build/reduce.h"
#include "softnpu/davinci/optimizer.h"

namespace npu::aol {
namespace {

TensorView one_element(const aclTensor* tensor, const char* role) {
  TensorView result = view(tensor, role);
  expect(result.numel() == 1, role, " is ", base::to_string(result), "; it must have one element");
  result.rank = 0;
  return result;
}

/// The largest magnitude of each gradient shows whether all elements are finite; no copy of it is
/// needed.
Plan check_and_unscale(const aclTensorList* grads, const aclTensor* found_inf,
                       const aclTensor* inv_scale) {
  const TensorView found = one_element(found_inf, "foundInf"),
                   scale = one_element(inv_scale, "invScale");
  expect_type(found, {DType::kFloat}, "foundInf");
  expect_type(scale, {DType::kFloat}, "invScale");
  Plan plan;
  std::vector<TensorView> tensors = views(grads, "scaledGrads");
  std::erase_if(tensors, [](const TensorView& t) { return t.defined() && t.numel() == 0; });
  if (tensors.empty()) return plan;
  const int64_t count[] = {std::ssize(tensors)};
  const TensorView largest = plan.temporary(DType::kFloat, count);
  davinci::Foreach scaling;
  for (int64_t i = 0; i < count[0]; ++i) {
    const TensorView& grad = tensors[i];
    expect(grad.defined(), "scaledGrads[", i, "] is null");
    expect_floating(grad, "scaledGrads");
    add_reduce(plan, ReduceOp::kNorm, grad, dim_mask({}, grad.rank, "dim"), false,
               select(largest, 0, i), std::numeric_limits<double>::infinity());
    scaling.items.push_back(make_elementwise(
        VectorOp::kMul, {{grad, "scaledGrads"}, {scale, "invScale"}}, grad, Rule::kSame));
  }
  const TensorView finite = plan.temporary(DType::kFloat, count),
                   all = plan.temporary(DType::kBool, std::span<const int64_t>());
  add(plan, make_elementwise(VectorOp::kIsFinite, {largest}, finite, Rule::kTruth));
  add_reduce(plan, ReduceOp::kAll, finite, 1, false, all);
  add(plan,
      make_elementwise(VectorOp::kWhere, {all, found, Scalar::of_int(1)}, found, Rule::kSame));
  plan.then(std::move(scaling));
  return plan;
}

Plan update_scale(const aclTensor* current_scale, const aclTensor* growth_tracker,
                  const aclTensor* found_inf, double growth, double backoff, int64_t interval,
                  const aclTensor* new_scale, const aclTensor* new_tracker) {
  const TensorView scale = one_element(current_scale, "currentScale"),
                   tracker = one_element(growth_tracker, "growthTracker");
  const TensorView found = one_element(found_inf, "foundInf");
  const TensorView scale_out = one_element(new_scale, "updatedScale"),
                   tracker_out = one_element(new_tracker, "updatedGrowthTracker");
  expect_floating(scale, "currentScale");
  expect_type(tracker, {DType::kInt32}, "growthTracker");
  Plan plan;
  const auto number = [&](DType dtype) {
    return plan.temporary(dtype, std::span<const int64_t>());
  };
  const TensorView steps = number(DType::kInt32), due = number(DType::kBool),
                   grown = number(scale.dtype);
  const TensorView fits = number(DType::kBool), reduced = number(scale.dtype);
  const Params one = {Scalar::of_int(1)};
  // Steps in a row without infinities; when they are due and the result is finite, the scale grows.
  add(plan,
      make_elementwise(VectorOp::kAdd, {tracker, Scalar::of_int(1)}, steps, Rule::kSame, one));
  add(plan, make_elementwise(VectorOp::kEq, {steps, Scalar::of_int(interval)}, due, Rule::kTruth));
  add(plan, make_elementwise(VectorOp::kMul, {scale, Scalar::of(growth)}, grown, Rule::kSame));
  add(plan, make_elementwise(VectorOp::kIsFinite, {grown}, fits, Rule::kTruth));
  add(plan, make_elementwise(VectorOp::kLogicalAnd, {fits, due}, fits, Rule::kTruth));
  add(plan, make_elementwise(VectorOp::kMul, {scale, Scalar::of(backoff)}, reduced, Rule::kSame));
  add(plan, make_elementwise(VectorOp::kWhere, {fits, grown, scale}, grown, Rule::kSame));
  add(plan,
      make_elementwise(VectorOp::kWhere, {due, Scalar::of_int(0), steps}, steps, Rule::kSame));
  add(plan, make_elementwise(VectorOp::kWhere, {found, reduced, grown}, scale_out, Rule::kSame));
  const TensorView failed = number(DType::kBool);
  add(plan, make_elementwise(VectorOp::kNe, {found, Scalar::of_int(0)}, failed, Rule::kTruth));
  add(plan, make_elementwise(VectorOp::kWhere, {failed, Scalar::of_int(0), steps}, tracker_out,
                             Rule::kSame));
  return plan;
}

/// A list beside `params`: as many tensors, of the same shapes.
std::vector<TensorView> beside(const std::vector<TensorView>& params, const aclTensorList* list,
                               const char* role) {
  std::vector<TensorView> tensors = views(list, role);
  expect(tensors.size() == params.size(), role, " has ", tensors.size(), " tensors; there are ",
         params.size(), " parameters");
  for (size_t i = 0; i < tensors.size(); ++i) {
    expect(tensors[i].defined(), role, "[", i, "] is null");
    expect_shape(tensors[i], Shape::of(params[i]), role);
  }
  return tensors;
}

void expect_updatable(const std::vector<TensorView>& tensors, const char* role) {
  for (const TensorView& tensor : tensors) {
    expect_type(tensor, {DType::kFloat, DType::kHalf, DType::kBFloat16}, role);
    expect_distinct_elements(tensor, role);
  }
}

TensorView optional_number(const aclTensor* tensor, const char* role) {
  if (tensor == nullptr || view(tensor, role).numel() == 0) return {};
  const TensorView result = one_element(tensor, role);
  expect_type(result, {DType::kFloat}, role);
  return result;
}

void expect_steps(const std::vector<TensorView>& steps, size_t count, const char* role) {
  expect(steps.size() == count, role, " has ", steps.size(), " tensors; there are ", count,
         " parameters");
  for (const TensorView& step : steps) {
    expect(step.defined() && step.numel() >= 1, role, ": each must have an element");
    expect_type(step, {DType::kFloat, DType::kInt64}, role);
  }
}

Plan checked(davinci::AdamStep step) {
  expect_updatable(step.params, "paramsRef");
  expect_updatable(step.exp_avgs, "expAvgsRef");
  expect_updatable(step.exp_avg_sqs, "expAvgSqsRef");
  expect_updatable(step.max_exp_avg_sqs, "maxExpAvgSqsRef");
  for (const TensorView& grad : step.grads) expect_floating(grad, "grads");
  Plan plan;
  if (!step.params.empty()) plan.then(std::move(step));
  return plan;
}

}  // namespace

ACLNN_OP(aclnnApplyAdamWV2,
         (aclTensor * varRef, aclTensor* mRef, aclTensor* vRef, aclTensor* maxGradNormOptionalRef,
          const aclTensor* grad, const aclTensor* step, float lr, float beta1, float beta2,
          float weightDecay, float eps, bool amsgrad, bool maximize),
         (varRef, mRef, vRef, maxGradNormOptionalRef, grad, step, lr, beta1, beta2, weightDecay,
          eps, amsgrad, maximize)) {
  davinci::AdamStep command;
  const TensorView param = view(varRef, "varRef");
  const auto same = [&](const aclTensor* tensor, const char* role) {
    const TensorView result = view(tensor, role);
    expect_shape(result, Shape::of(param), role);
    return std::vector{result};
  };
  command.params = {param};
  command.grads = same(grad, "grad");
  command.exp_avgs = same(mRef, "mRef");
  command.exp_avg_sqs = same(vRef, "vRef");
  if (amsgrad) command.max_exp_avg_sqs = same(maxGradNormOptionalRef, "maxGradNormOptionalRef");
  command.steps = {view(step, "step")};
  expect_steps(command.steps, 1, "step");
  command.lr = static_cast<double>(lr);
  command.beta1 = static_cast<double>(beta1);
  command.beta2 = static_cast<double>(beta2);
  command.weight_decay = static_cast<double>(weightDecay);
  command.epsilon = static_cast<double>(eps);
  command.decoupled = true;
  command.maximize = maximize;
  return checked(std::move(command));
}
ACLNN_OP(aclnnFusedAdam,
         (const aclTensorList* paramsRef, const aclTensorList* gradsRef,
          const aclTensorList* expAvgsRef, const aclTensorList* expAvgSqsRef,
          const aclTensorList* maxExpAvgSqsRef, const aclTensorList* stateSteps,
          const aclTensor* gradScaleOptional, const aclTensor* foundInfOptional, double lr,
          double beta1, double beta2, double weightDecay, double eps, bool amsgrad, bool maximize),
         (paramsRef, gradsRef, expAvgsRef, expAvgSqsRef, maxExpAvgSqsRef, stateSteps,
          gradScaleOptional, foundInfOptional, lr, beta1, beta2, weightDecay, eps, amsgrad,
          maximize)) {
  davinci::AdamStep command;
  command.params = views(paramsRef, "paramsRef");
  command.grads = beside(command.params, gradsRef, "gradsRef");
  command.exp_avgs = beside(command.params, expAvgsRef, "expAvgsRef");
  command.exp_avg_sqs = beside(command.params, expAvgSqsRef, "expAvgSqsRef");
  if (amsgrad) {
    command.max_exp_avg_sqs = beside(command.params, maxExpAvgSqsRef, "maxExpAvgSqsRef");
  }
  command.steps = views(stateSteps, "stateSteps");
  expect_steps(command.steps, command.params.size(), "stateSteps");
  command.grad_scale = optional_number(gradScaleOptional, "gradScaleOptional");
  command.found_inf = optional_number(foundInfOptional, "foundInfOptional");
  command.lr = lr;
  command.beta1 = beta1;
  command.beta2 = beta2;
  command.weight_decay = weightDecay;
  command.epsilon = eps;
  command.maximize = maximize;
  return checked(std::move(command));
}
ACLNN_OP(aclnnFusedSgd,
         (const aclTensorList* paramsRef, const aclTensorList* gradsRef,
          const aclTensorList* momentumBufferListOptionalRef, const aclTensor* gradScaleOptional,
          float weightDecay, float momentum, float lr, float dampening, bool nesterov,
          bool maximize, bool isFirstStep),
         (paramsRef, gradsRef, momentumBufferListOptionalRef, gradScaleOptional, weightDecay,
          momentum, lr, dampening, nesterov, maximize, isFirstStep)) {
  davinci::SgdStep command;
  command.params = views(paramsRef, "paramsRef");
  expect_updatable(command.params, "paramsRef");
  command.grads = beside(command.params, gradsRef, "gradsRef");
  for (const TensorView& grad : command.grads) expect_floating(grad, "gradsRef");
  const aclTensorList* buffers = momentumBufferListOptionalRef;
  if (buffers != nullptr && !views(buffers, "momentumBufferListOptionalRef").empty()) {
    command.momentum_buffers = beside(command.params, buffers, "momentumBufferListOptionalRef");
    expect_updatable(command.momentum_buffers, "momentumBufferListOptionalRef");
  }
  command.grad_scale = optional_number(gradScaleOptional, "gradScaleOptional");
  command.lr = static_cast<double>(lr);
  command.momentum = static_cast<double>(momentum);
  command.dampening = static_cast<double>(dampening);
  command.weight_decay = static_cast<double>(weightDecay);
  command.nesterov = nesterov;
  command.maximize = maximize;
  command.first = isFirstStep;
  Plan plan;
  if (!command.params.empty()) plan.then(std::move(command));
  return plan;
}
ACLNN_OP(aclnnAmpUpdateScale,
         (const aclTensor* currentScale, const aclTensor* growthTracker, const aclTensor* foundInf,
          double growthFactor, double backoffFactor, int64_t growthInterval,
          const aclTensor* updatedScale, const aclTensor* updatedGrowthTracker),
         (currentScale, growthTracker, foundInf, growthFactor, backoffFactor, growthInterval,
          updatedScale, updatedGrowthTracker)) {
  return update_scale(currentScale, growthTracker, foundInf, growthFactor, backoffFactor,
                      growthInterval, updatedScale, updatedGrowthTracker);
}
ACLNN_OP(aclnnForeachNonFiniteCheckAndUnscale,
         (const aclTensorList* scaledGrads, const aclTensor* foundInf, const aclTensor* invScale),
         (scaledGrads, foundInf, invScale)) {
  return check_and_unscale(scaledGrads, foundInf, invScale);
}

}  // namespace npu::aol
