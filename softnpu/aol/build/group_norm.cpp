// SPDX-License-Identifier: Apache-2.0
// Group norm as layer norm over the elements of each group, and factors a channel after it.
#include "softnpu/aol/build/normalize.h"

#include "softnpu/aol/build/reduce.h"

namespace npu::aol {
namespace {

using Span = std::initializer_list<int64_t>;

/// The same contiguous elements by other dimensions.
TensorView reshaped(const TensorView& view, Span dims) {
  return contiguous_view(view.data, view.dtype, Shape(dims));
}

struct Problem {
  GroupSizes sizes;
  int64_t each;  // elements of a group

  Shape lines() const { return {sizes.batch * sizes.groups, each}; }
  TensorView by_line(const TensorView& v) const {
    return reshaped(v, {sizes.batch * sizes.groups, each});
  }
  TensorView by_channel(const TensorView& v) const {
    return reshaped(v, {sizes.batch, sizes.channels, sizes.positions});
  }
};

Problem problem_of(const GroupSizes& s, const TensorView& in) {
  expect(s.groups > 0 && s.batch >= 0 && s.positions >= 0 && s.channels % s.groups == 0,
         "group is ", s.groups, " for ", s.channels, " channels; it must divide them");
  expect(in.numel() == s.batch * s.channels * s.positions, "self is ", base::to_string(in),
         "; N * C * HxW is ", s.batch, " * ", s.channels, " * ", s.positions);
  expect_floating(in, "self");
  expect_native(in, "self");
  return {s, s.channels / s.groups * s.positions};
}

/// Contiguous elements of a tensor with the input's shape, copied where they are not.
TensorView compact(Plan& plan, const TensorView& view) {
  if (view.is_contiguous()) return view;
  const TensorView copy = plan.temporary(view.dtype, view);
  add(plan, make_copy(view, copy));
  return copy;
}

/// One number a channel as [1, C, 1], or undefined.
TensorView factor(const aclTensor* tensor, int64_t channels, const char* role) {
  TensorView result = optional_view(tensor, role);
  if (!result.defined()) return result;
  expect_shape(result, {channels}, role);
  expect_floating(result, role);
  return insert_dim(insert_dim(result, 1), 0);
}

TensorView statistic(const aclTensor* tensor, const GroupSizes& s, const char* role) {
  const TensorView result = view(tensor, role);
  expect(result.numel() == s.batch * s.groups, role, " is ", base::to_string(result),
         "; it must have ", s.batch * s.groups, " elements");
  expect_floating(result, role);
  return result;
}

}  // namespace

Plan group_norm(const aclTensor* self, const aclTensor* gamma, const aclTensor* beta,
                const GroupSizes& sizes, double eps, const aclTensor* out, const aclTensor* mean,
                const aclTensor* rstd) {
  const TensorView in = view(self, "self"), to = view(out, "out");
  const Problem p = problem_of(sizes, in);
  expect_shape(to, Shape::of(in), "out");
  expect_floating(to, "out");
  expect_no_overlap(to, "out", in, "self");
  const TensorView weight = factor(gamma, sizes.channels, "gamma");
  const TensorView bias = factor(beta, sizes.channels, "beta");
  Plan plan;
  if (in.numel() == 0) return plan;
  const DType working = working_type(in.dtype);
  const bool direct = to.is_contiguous() && to.dtype == working;
  const TensorView normed = direct ? to : plan.temporary(working, in);
  davinci::LayerNorm command;
  command.in = p.by_line(compact(plan, in));
  command.out = p.by_line(normed);
  command.mean = statistic(mean, sizes, "meanOut");
  command.rstd = statistic(rstd, sizes, "rstdOut");
  command.epsilon = eps;
  plan.then(std::move(command));
  const TensorView channels = p.by_channel(normed);
  const Params one = {Scalar::of_int(1)};
  if (weight.defined() && bias.defined()) {
    add(plan,
        make_elementwise(VectorOp::kAddcmul, {bias, channels, weight}, channels, Rule::kSame, one));
  } else if (weight.defined()) {
    add(plan, make_elementwise(VectorOp::kMul, {channels, weight}, channels, Rule::kSame));
  } else if (bias.defined()) {
    add(plan, make_elementwise(VectorOp::kAdd, {channels, bias}, channels, Rule::kSame, one));
  }
  if (!direct) add(plan, make_copy(normed, to));
  return plan;
}

Plan group_norm_backward(const aclTensor* grad_out, const aclTensor* input, const aclTensor* mean,
                         const aclTensor* rstd, const aclTensor* gamma, const GroupSizes& sizes,
                         const aclBoolArray* mask, const aclTensor* grad_input,
                         const aclTensor* grad_gamma, const aclTensor* grad_beta) {
  const TensorView in = view(input, "input"), grad = view(grad_out, "gradOut");
  const Problem p = problem_of(sizes, in);
  expect_shape(grad, Shape::of(in), "gradOut");
  expect_floating(grad, "gradOut");
  const TensorView weight = factor(gamma, sizes.channels, "gamma");
  const TensorView center = statistic(mean, sizes, "mean"), scale = statistic(rstd, sizes, "rstd");
  const auto wanted = bools(mask, 3, "outputMask");
  const auto per_channel = [&](const aclTensor* tensor, const char* role) {
    const TensorView result = view(tensor, role);
    expect_shape(result, {sizes.channels}, role);
    expect_floating(result, role);
    return result;
  };
  Plan plan;
  if (in.numel() == 0) {
    const Scalar zero = Scalar::of_int(0);
    if (wanted[1] != 0) add(plan, make_fill(per_channel(grad_gamma, "gradGammaOut"), zero));
    if (wanted[2] != 0) add(plan, make_fill(per_channel(grad_beta, "gradBetaOut"), zero));
    return plan;
  }
  const DType working = working_type(in.dtype);
  const TensorView x = compact(plan, in), dy = compact(plan, grad);
  const TensorView dy_channels = p.by_channel(dy);
  if (wanted[0] != 0) {
    const TensorView to = view(grad_input, "gradInput");
    expect_shape(to, Shape::of(in), "gradInput");
    expect_floating(to, "gradInput");
    expect_distinct_elements(to, "gradInput");
    TensorView scaled = dy;
    if (weight.defined()) {
      scaled = plan.temporary(working, in);
      add(plan, make_elementwise(VectorOp::kMul, {dy_channels, weight}, p.by_channel(scaled),
                                 Rule::kSame));
    }
    const TensorView result = to.is_contiguous() ? to : plan.temporary(to.dtype, in);
    davinci::LayerNormBackward command;
    command.grad_out = p.by_line(scaled);
    command.in = p.by_line(x);
    command.mean = center;
    command.rstd = scale;
    command.grad_in = p.by_line(result);
    plan.then(std::move(command));
    if (!to.is_contiguous()) add(plan, make_copy(result, to));
  }
  constexpr uint32_t kBatchAndPositions = 0b101;
  if (wanted[1] != 0) {
    // Of the normalised input times the gradient
    const TensorView product = plan.temporary(working, in);
    const auto column = [&](const TensorView& v) {
      return insert_dim(reshaped(compact(plan, v), {sizes.batch * sizes.groups}), 1);
    };
    const Params one = {Scalar::of_int(1)};
    const TensorView lines = p.by_line(product);
    add(plan,
        make_elementwise(VectorOp::kSub, {p.by_line(x), column(center)}, lines, Rule::kSame, one));
    add(plan, make_elementwise(VectorOp::kMul, {lines, column(scale)}, lines, Rule::kSame));
    add(plan, make_elementwise(VectorOp::kMul, {lines, p.by_line(dy)}, lines, Rule::kSame));
    add_reduce(plan, ReduceOp::kSum, p.by_channel(product), kBatchAndPositions, false,
               per_channel(grad_gamma, "gradGammaOut"));
  }
  if (wanted[2] != 0) {
    add_reduce(plan, ReduceOp::kSum, dy_channels, kBatchAndPositions, false,
               per_channel(grad_beta, "gradBetaOut"));
  }
  return plan;
}

}  // namespace npu::aol
