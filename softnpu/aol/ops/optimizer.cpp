// SPDX-License-Identifier: Apache-2.0
// Gradient scaling.
#include <limits>
#include <vector>

#include "aclnnop/optimizer.h"
#include "softnpu/aol/build/reduce.h"

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

}  // namespace

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
