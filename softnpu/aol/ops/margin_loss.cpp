// SPDX-License-Identifier: Apache-2.0
// The margin loss over several labels.
#include "softnpu/davinci/margin_loss.h"

#include "aclnnop/loss.h"
#include "softnpu/aol/build/loss.h"

namespace npu::ge {

// clang-format off
void visit(davinci::MultilabelMarginLoss& c, auto v) { v.read(c.in, c.target); v.write(c.out, c.is_target); }
// clang-format on

}  // namespace npu::ge

namespace npu::aol {
namespace {

Plan multilabel_margin_loss(const aclTensor* self, const aclTensor* target, int64_t reduction,
                            const aclTensor* out, const aclTensor* is_target) {
  TensorView in = view(self, "self"), labels = view(target, "target");
  TensorView to = view(out, "out"), truth = view(is_target, "isTarget");
  const Reduction how = as_reduction(reduction);
  expect_floating(in, "self");
  expect_rank(in, 0, 2, "self");
  expect_index(labels, "target");
  expect_same_type(in, "self", to, "out");
  expect_same_type(in, "self", truth, "isTarget");
  expect(labels.numel() == in.numel(), "target is ", base::to_string(labels), " and self ",
         base::to_string(in), "; they must have one shape");
  expect_shape(truth, Shape::of(labels), "isTarget");
  expect_distinct_elements(truth, "isTarget");
  const bool rows = how == Reduction::kNone && in.rank == 2;
  expect_shape(to, rows ? Shape{in.dims[0]} : Shape{}, "out");
  expect_distinct_elements(to, "out");
  const auto matrix = [](TensorView v) {
    while (v.rank < 2) v = insert_dim(v, 0);
    return v;
  };
  in = matrix(in), labels = matrix(labels), truth = matrix(truth);
  expect_shape(labels, Shape::of(in), "target");
  if (in.dims[0] == 0 && rows) return {};
  return davinci::MultilabelMarginLoss{in, labels, at_least_1d(to), truth, how};
}

}  // namespace

ACLNN_OP(aclnnMultilabelMarginLoss,
         (const aclTensor* self, const aclTensor* target, int64_t reduction, aclTensor* out,
          aclTensor* isTarget),
         (self, target, reduction, out, isTarget)) {
  return multilabel_margin_loss(self, target, reduction, out, isTarget);
}

}  // namespace npu::aol
