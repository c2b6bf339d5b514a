// SPDX-License-Identifier: Apache-2.0
// Losses and their gradients.
#include "aclnnop/loss.h"
#include "softnpu/aol/build/loss.h"

namespace npu::aol {
namespace {

/// out = factor * a * b
Elementwise product(const TensorView& a, const TensorView& b, double factor,
                    const TensorView& out) {
  return make_elementwise(VectorOp::kAddcmul, {Scalar::of(0), a, b}, out, Rule::kFloating,
                          {Scalar::of(factor)});
}

Plan bce_with_logits(const aclTensor* self, const aclTensor* target, const aclTensor* weight,
                     const aclTensor* pos_weight, int64_t reduction, const aclTensor* out) {
  const TensorView in = view(self, "self");
  expect_floating(in, "self");
  const Input positive = pos_weight == nullptr ? Input(Scalar::of(1))
                                               : Input(view(pos_weight, "posWeight"), "posWeight");
  const Input inputs[] = {{in, "self"}, {view(target, "target"), "target"}, positive};
  Plan plan;
  add_loss(plan, VectorOp::kBceLogits, inputs, optional_view(weight, "weight"),
           as_reduction(reduction), view(out, "out"));
  return plan;
}

Plan bce_with_logits_backward(const aclTensor* grad, const aclTensor* self, const aclTensor* target,
                              const aclTensor* weight, const aclTensor* pos_weight,
                              int64_t reduction, const aclTensor* out) {
  const TensorView in = view(self, "self"), t = view(target, "target"),
                   g = view(grad, "gradOutput"), to = view(out, "out");
  expect_floating(in, "self");
  expect_shape(t, Shape::of(in), "target");
  const double norm = loss_norm(as_reduction(reduction), in);
  Plan plan;
  const TensorView slope = plan.temporary(working_type(in.dtype), in);
  // With p the weight of positives: slope = (1 + (p - 1) t) sigmoid(x) - p t
  if (pos_weight == nullptr) {
    add(plan, make_elementwise(VectorOp::kSigmoid, {in}, slope, Rule::kFloating));
    add(plan, make_elementwise(VectorOp::kSub, {slope, {t, "target"}}, slope, Rule::kFloating,
                               {Scalar::of(1)}));
  } else {
    const TensorView pt = plan.temporary(slope.dtype, in), rest = plan.temporary(slope.dtype, in);
    add(plan, make_elementwise(VectorOp::kMul,
                               {{view(pos_weight, "posWeight"), "posWeight"}, {t, "target"}}, pt,
                               Rule::kFloating));
    add(plan, make_elementwise(VectorOp::kSub, {pt, {t, "target"}}, rest, Rule::kFloating,
                               {Scalar::of(1)}));
    add(plan, make_elementwise(VectorOp::kAdd, {rest, Scalar::of(1)}, rest, Rule::kFloating,
                               {Scalar::of(1)}));
    add(plan, make_elementwise(VectorOp::kSigmoid, {in}, slope, Rule::kFloating));
    add(plan, make_elementwise(VectorOp::kMul, {slope, rest}, slope, Rule::kFloating));
    add(plan,
        make_elementwise(VectorOp::kSub, {slope, pt}, slope, Rule::kFloating, {Scalar::of(1)}));
  }
  if (weight != nullptr) {
    add(plan, make_elementwise(VectorOp::kMul, {slope, {view(weight, "weight"), "weight"}}, slope,
                               Rule::kFloating));
  }
  add(plan, product(g, slope, norm, to));
  return plan;
}

Plan kl_div_backward(const aclTensor* grad, const aclTensor* self, const aclTensor* target,
                     int64_t reduction, bool log_target, const aclTensor* out) {
  const TensorView in = view(self, "self"), t = view(target, "target"),
                   g = view(grad, "gradOutput");
  const double norm = loss_norm(as_reduction(reduction), in);
  Plan plan;
  TensorView probability = t;
  if (log_target) {
    probability = plan.temporary(working_type(t.dtype), t);
    add(plan, make_elementwise(VectorOp::kExp, {{t, "target"}}, probability, Rule::kFloating));
  }
  add(plan, product(g, probability, -norm, view(out, "out")));
  return plan;
}

Plan soft_margin_backward(const aclTensor* grad, const aclTensor* self, const aclTensor* target,
                          int64_t reduction, const aclTensor* out) {
  const TensorView in = view(self, "self"), t = view(target, "target");
  const double norm = loss_norm(as_reduction(reduction), in);
  Plan plan;
  const TensorView margin = plan.temporary(working_type(in.dtype), in);
  add(plan, make_elementwise(VectorOp::kMul, {in, {t, "target"}}, margin, Rule::kFloating));
  add(plan, make_elementwise(VectorOp::kLogSigmoidBackward, {{t, "target"}, margin}, margin,
                             Rule::kFloating));
  add(plan, product(view(grad, "gradOutput"), margin, -norm, view(out, "out")));
  return plan;
}

}  // namespace

ACLNN_OP(aclnnBinaryCrossEntropy,
         (const aclTensor* self, const aclTensor* target, const aclTensor* weight,
          int64_t reduction, aclTensor* out),
         (self, target, weight, reduction, out)) {
  return elementwise_loss(VectorOp::kBce, {self, target}, weight, reduction, out);
}
ACLNN_OP(aclnnBinaryCrossEntropyBackward,
         (const aclTensor* gradOutput, const aclTensor* self, const aclTensor* target,
          const aclTensor* weightOptional, int64_t reduction, aclTensor* out),
         (gradOutput, self, target, weightOptional, reduction, out)) {
  return loss_backward(VectorOp::kBceBackward, gradOutput, self, target, weightOptional, reduction,
                       out);
}
ACLNN_OP(aclnnBinaryCrossEntropyWithLogits,
         (const aclTensor* self, const aclTensor* target, const aclTensor* weightOptional,
          const aclTensor* posWeightOptional, int64_t reduction, aclTensor* out),
         (self, target, weightOptional, posWeightOptional, reduction, out)) {
  return bce_with_logits(self, target, weightOptional, posWeightOptional, reduction, out);
}
ACLNN_OP(aclnnBinaryCrossEntropyWithLogitsBackward,
         (const aclTensor* gradOutput, const aclTensor* self, const aclTensor* target,
          const aclTensor* weightOptional, const aclTensor* posWeightOptional, int64_t reduction,
          aclTensor* out),
         (gradOutput, self, target, weightOptional, posWeightOptional, reduction, out)) {
  return bce_with_logits_backward(gradOutput, self, target, weightOptional, posWeightOptional,
                                  reduction, out);
}
ACLNN_OP(aclnnKlDiv,
         (const aclTensor* self, const aclTensor* target, int64_t reduction, bool logTarget,
          aclTensor* out),
         (self, target, reduction, logTarget, out)) {
  return elementwise_loss(logTarget ? VectorOp::kKlDivLogTarget : VectorOp::kKlDiv, {self, target},
                          nullptr, reduction, out);
}
ACLNN_OP(aclnnKlDivBackward,
         (const aclTensor* gradOutput, const aclTensor* self, const aclTensor* target,
          int64_t reduction, bool logTarget, aclTensor* out),
         (gradOutput, self, target, reduction, logTarget, out)) {
  return kl_div_backward(gradOutput, self, target, reduction, logTarget, out);
}
ACLNN_OP(aclnnL1Loss,
         (const aclTensor* self, const aclTensor* target, int64_t reduction, aclTensor* out),
         (self, target, reduction, out)) {
  return elementwise_loss(VectorOp::kL1Loss, {self, target}, nullptr, reduction, out);
}
ACLNN_OP(aclnnL1LossBackward,
         (const aclTensor* gradOutput, const aclTensor* self, const aclTensor* target,
          int64_t reduction, aclTensor* gradInput),
         (gradOutput, self, target, reduction, gradInput)) {
  return loss_backward(VectorOp::kL1LossBackward, gradOutput, self, target, nullptr, reduction,
                       gradInput);
}
ACLNN_OP(aclnnMseLoss,
         (const aclTensor* self, const aclTensor* target, int64_t reduction, aclTensor* out),
         (self, target, reduction, out)) {
  return elementwise_loss(VectorOp::kMseLoss, {self, target}, nullptr, reduction, out);
}
ACLNN_OP(aclnnMseLossBackward,
         (const aclTensor* gradOutput, const aclTensor* self, const aclTensor* target,
          int64_t reduction, aclTensor* out),
         (gradOutput, self, target, reduction, out)) {
  return loss_backward(VectorOp::kMseLossBackward, gradOutput, self, target, nullptr, reduction,
                       out);
}
ACLNN_OP(aclnnNLLLoss,
         (const aclTensor* self, const aclTensor* target, const aclTensor* weight,
          int64_t reduction, int64_t ignoreIndex, aclTensor* out, aclTensor* totalWeightOut),
         (self, target, weight, reduction, ignoreIndex, out, totalWeightOut)) {
  return nll_loss({self, target, weight, reduction, ignoreIndex}, out, totalWeightOut);
}
ACLNN_OP(aclnnNLLLoss2d,
         (const aclTensor* self, const aclTensor* target, const aclTensor* weight,
          int64_t reduction, int64_t ignoreIndex, aclTensor* out, aclTensor* totalWeightOut),
         (self, target, weight, reduction, ignoreIndex, out, totalWeightOut)) {
  return nll_loss({self, target, weight, reduction, ignoreIndex}, out, totalWeightOut);
}
ACLNN_OP(aclnnNLLLossBackward,
         (const aclTensor* gradOutput, const aclTensor* self, const aclTensor* target,
          const aclTensor* weight, int64_t reduction, int64_t ignoreIndex,
          const aclTensor* totalWeight, aclTensor* out),
         (gradOutput, self, target, weight, reduction, ignoreIndex, totalWeight, out)) {
  return nll_loss_backward(gradOutput, {self, target, weight, reduction, ignoreIndex}, totalWeight,
                           out);
}
ACLNN_OP(aclnnNLLLoss2dBackward,
         (const aclTensor* gradOutput, const aclTensor* self, const aclTensor* target,
          const aclTensor* weight, int64_t reduction, int64_t ignoreIndex, aclTensor* totalWeight,
          aclTensor* out),
         (gradOutput, self, target, weight, reduction, ignoreIndex, totalWeight, out)) {
  return nll_loss_backward(gradOutput, {self, target, weight, reduction, ignoreIndex}, totalWeight,
                           out);
}
ACLNN_OP(aclnnSmoothL1Loss,
         (const aclTensor* self, const aclTensor* target, int64_t reduction, float beta,
          aclTensor* result),
         (self, target, reduction, beta, result)) {
  return elementwise_loss(beta == 0 ? VectorOp::kL1Loss : VectorOp::kSmoothL1Loss, {self, target},
                          nullptr, reduction, result, {Scalar::of(beta)});
}
ACLNN_OP(aclnnSmoothL1LossBackward,
         (const aclTensor* gradOut, const aclTensor* self, const aclTensor* target,
          int64_t reduction, float beta, aclTensor* gradInput),
         (gradOut, self, target, reduction, beta, gradInput)) {
  return loss_backward(beta == 0 ? VectorOp::kL1LossBackward : VectorOp::kSmoothL1LossBackward,
                       gradOut, self, target, nullptr, reduction, gradInput,
                       {Scalar{}, Scalar::of(beta)});
}
ACLNN_OP(aclnnSoftMarginLoss,
         (const aclTensor* self, const aclTensor* target, int64_t reduction, aclTensor* out),
         (self, target, reduction, out)) {
  return elementwise_loss(VectorOp::kSoftMarginLoss, {self, target}, nullptr, reduction, out);
}
ACLNN_OP(aclnnSoftMarginLossBackward,
         (const aclTensor* gradOutput, const aclTensor* self, const aclTensor* target,
          int64_t reduction, aclTensor* out),
         (gradOutput, self, target, reduction, out)) {
  return soft_margin_backward(gradOutput, self, target, reduction, out);
}

}  // namespace npu::aol
