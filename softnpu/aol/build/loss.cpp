// SPDX-License-Identifier: Apache-2.0
#include "softnpu/aol/build/loss.h"

#include <limits>

#include "softnpu/aol/build/reduce.h"

namespace npu::aol {

Reduction as_reduction(int64_t value) {
  expect(value >= 0 && value <= 2, "reduction is ", value,
         "; allowed: 0 (none), 1 (mean), 2 (sum)");
  return static_cast<Reduction>(value);
}

double loss_norm(Reduction reduction, const TensorView& self) {
  return reduction == Reduction::kMean ? 1.0 / static_cast<double>(self.numel()) : 1.0;
}

Plan softmax(const aclTensor* self, int64_t dim, bool log, const aclTensor* out) {
  const TensorView in = view(self, "self"), result = view(out, "out");
  expect_floating(in, "self");
  expect_floating(result, "out");
  expect_shape(result, Shape::of(in), "out");
  expect_distinct_elements(result, "out");
  expect_no_overlap(result, "out", in, "self");
  const int along = wrap_dim(dim, in.rank, "dim");
  if (in.numel() == 0) return {};
  return davinci::Softmax{at_least_1d(in), at_least_1d(result), along, log};
}

Plan softmax_backward(const aclTensor* grad_out, const aclTensor* output, int64_t dim, bool log,
                      const aclTensor* grad_input) {
  const TensorView g = view(grad_out, "gradOutput"), y = view(output, "output");
  const TensorView result = view(grad_input, "out");
  for (const TensorView* v : {&g, &y, &result}) expect_floating(*v, "gradOutput, output or out");
  expect_shape(g, Shape::of(y), "gradOutput");
  expect_shape(result, Shape::of(y), "out");
  expect_distinct_elements(result, "out");
  expect_no_overlap(result, "out", g, "gradOutput");
  expect_no_overlap(result, "out", y, "output");
  const int along = wrap_dim(dim, y.rank, "dim");
  if (y.numel() == 0) return {};
  return davinci::SoftmaxBackward{at_least_1d(g), at_least_1d(y), at_least_1d(result), along, log};
}

void add_loss(Plan& plan, VectorOp op, std::span<const Input> inputs, const TensorView& weight,
              Reduction reduction, const TensorView& out, const Params& params) {
  Shape shape = Shape::of(inputs[0].view);
  for (const Input& input : inputs) {
    if (input.view.defined()) shape = broadcast(shape, Shape::of(input.view));
  }
  const DType type = working_type(inputs[0].view.dtype);
  const bool direct = reduction == Reduction::kNone && !weight.defined();
  const TensorView each = direct ? out : plan.temporary(type, shape.span());
  add(plan, make_elementwise(op, inputs, each, Rule::kFloating, params));
  if (weight.defined()) {
    const TensorView to = reduction == Reduction::kNone ? out : each;
    add(plan, make_elementwise(VectorOp::kMul, {each, {weight, "weight"}}, to, Rule::kFloating));
  }
  if (reduction == Reduction::kNone) return;
  TensorView result = out;
  expect(out.numel() == 1, "out is ", base::to_string(out), "; a reduced loss has one element");
  result.rank = 0;
  add_reduce(plan, reduction == Reduction::kMean ? ReduceOp::kMean : ReduceOp::kSum, each,
             dim_mask({}, each.rank, "dim"), false, result);
}

Plan elementwise_loss(VectorOp op, std::initializer_list<Operand> operands, const aclTensor* weight,
                      int64_t reduction, const aclTensor* out, const Params& params) {
  constexpr const char* kRoles[] = {"self", "target", "posWeight"};
  std::vector<Input> inputs;
  for (const Operand& operand : operands) inputs.emplace_back(operand, kRoles[inputs.size()]);
  expect_floating(inputs[0].view, "self");
  Plan plan;
  add_loss(plan, op, inputs, optional_view(weight, "weight"), as_reduction(reduction),
           view(out, "out"), params);
  return plan;
}

Plan loss_backward(VectorOp op, const aclTensor* grad_out, const aclTensor* self,
                   const aclTensor* target, const aclTensor* weight, int64_t reduction,
                   const aclTensor* grad_input, const Params& params) {
  const TensorView in = view(self, "self"), result = view(grad_input, "gradInput");
  expect_floating(in, "self");
  Params all = params;
  all[0] = Scalar::of(loss_norm(as_reduction(reduction), in));
  Plan plan;
  const Input inputs[] = {{view(grad_out, "gradOutput"), "gradOutput"},
                          {in, "self"},
                          {view(target, "target"), "target"}};
  add(plan, make_elementwise(op, inputs, result, Rule::kFloating, all, "gradInput"));
  if (weight != nullptr) {
    add(plan, make_elementwise(VectorOp::kMul, {result, {view(weight, "weight"), "weight"}}, result,
                               Rule::kFloating));
  }
  return plan;
}

namespace {

struct NllViews {
  TensorView self, target, weight;
};

/// self as [N, C, spatial...] and target as [N, spatial...]; a batch of 1 for a single sample.
NllViews nll_views(const NllArgs& args) {
  NllViews v{view(args.self, "self"), view(args.target, "target"),
             optional_view(args.weight, "weight")};
  expect_floating(v.self, "self");
  expect_type(v.target, {DType::kInt64, DType::kInt32, DType::kUInt8}, "target");
  expect_rank(v.self, 1, base::kMaxRank, "self");
  if (v.self.rank == 1) {
    v.self = insert_dim(v.self, 0);
    v.target = at_least_1d(v.target);
  }
  expect_shape(v.target, Shape::of(remove_dim(v.self, 1)), "target");
  if (v.weight.defined()) {
    expect_shape(v.weight, {v.self.dims[1]}, "weight");
    expect_floating(v.weight, "weight");
  }
  return v;
}

TensorView one_number(const aclTensor* tensor, const char* role) {
  TensorView result = view(tensor, role);
  expect(result.numel() == 1, role, " is ", base::to_string(result), "; it must have one element");
  expect_floating(result, role);
  result.rank = 0;
  return result;
}

/// The loss, or its gradient: one number, or one a target.
TensorView loss_view(const aclTensor* tensor, Reduction reduction, const TensorView& target,
                     const char* role) {
  if (reduction != Reduction::kNone) return one_number(tensor, role);
  TensorView result = view(tensor, role);
  expect_floating(result, role);
  if (result.rank == 0) result = insert_dim(result, 0);
  expect_shape(result, Shape::of(target), role);
  return result;
}

}  // namespace

Plan nll_loss(const NllArgs& args, const aclTensor* out, const aclTensor* total_weight) {
  const NllViews v = nll_views(args);
  const Reduction reduction = as_reduction(args.reduction);
  const TensorView result = loss_view(out, reduction, v.target, "out");
  const TensorView total = one_number(total_weight, "totalWeightOut");
  Plan plan;
  if (v.target.numel() == 0) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    add(plan, make_fill(result, Scalar::of(reduction == Reduction::kMean ? nan : 0)));
    add(plan, make_fill(total, Scalar::of(0)));
    return plan;
  }
  plan.then(
      davinci::NllLoss{v.self, v.target, v.weight, result, total, reduction, args.ignore_index});
  return plan;
}

Plan nll_loss_backward(const aclTensor* grad_out, const NllArgs& args,
                       const aclTensor* total_weight, const aclTensor* grad_input) {
  const NllViews v = nll_views(args);
  const Reduction reduction = as_reduction(args.reduction);
  const TensorView g = loss_view(grad_out, reduction, v.target, "gradOutput");
  TensorView result = view(grad_input, "out");
  if (result.rank == 1) result = insert_dim(result, 0);
  expect_shape(result, Shape::of(v.self), "out");
  expect_floating(result, "out");
  expect_distinct_elements(result, "out");
  if (result.numel() == 0) return {};
  return davinci::NllLossBackward{
      g,      v.target,  v.weight,         one_number(total_weight, "totalWeight"),
      result, reduction, args.ignore_index};
}

}  // namespace npu::aol
