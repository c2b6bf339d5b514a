// SPDX-License-Identifier: Apache-2.0
// Operators whose result has a size that only the data tells. `out` is described with the most that
// can come; once the stream is synchronised, aclGetViewShape(out) gives the size that came.
#include "softnpu/davinci/select.h"

#include "aclnnop/index.h"
#include "softnpu/aol/build/elementwise.h"
#include "softnpu/aol/meta/objects.h"

namespace npu::ge {

// clang-format off
void visit(davinci::MaskedSelect& c, auto v) { v.read(c.in, c.mask); v.write(c.out); }
void visit(davinci::Nonzero& c, auto v) { v.read(c.in); v.write(c.out); }
// clang-format on

}  // namespace npu::ge

namespace npu::aol {
namespace {

/// Ties dimension `dim` of `out` to a count that a command will report.
davinci::Selected counted_by(const aclTensor* out, int dim, int64_t count) {
  auto selected = std::make_shared<std::atomic<int64_t>>(count);
  auto* object = const_cast<aclTensor*>(out);  // its shape is part of the result
  object->selected = selected;
  object->selected_dim = static_cast<int8_t>(dim);
  return selected;
}

constexpr int64_t kUnknown = -1;

Plan masked_select(const aclTensor* self, const aclTensor* mask, const aclTensor* out) {
  const TensorView in = view(self, "self"), chosen = view(mask, "mask"), to = view(out, "out");
  expect_type(chosen, {DType::kBool, DType::kUInt8}, "mask");
  expect_same_type(in, "self", to, "out");
  const Shape shape = broadcast(Shape::of(in), Shape::of(chosen));
  expect_shape(to, {shape.numel()}, "out");
  expect_distinct_elements(to, "out");
  expect_no_overlap(to, "out", in, "self");
  Plan plan;
  if (shape.numel() == 0) {
    counted_by(out, 0, 0);
    return plan;
  }
  plan.then(davinci::MaskedSelect{expand(in, shape, "self"), expand(chosen, shape, "mask"), to,
                                  counted_by(out, 0, kUnknown)});
  return plan;
}

Plan nonzero(const aclTensor* self, const aclTensor* out, bool by_column) {
  const TensorView in = view(self, "self"), to = view(out, "out");
  expect_type(to, {DType::kInt64}, "out");
  expect(!base::is_complex(in.dtype), "self is ", base::to_string(in),
         "; complex tensors are not supported");
  const int64_t most = in.numel();
  expect_shape(to, by_column ? Shape{most, in.rank} : Shape{in.rank, most}, "out");
  expect(to.is_contiguous(), "out is ", base::to_string(to), "; it must be contiguous");
  const int counted = by_column ? 0 : 1;
  Plan plan;
  if (most == 0) {
    counted_by(out, counted, 0);
    return plan;
  }
  plan.then(davinci::Nonzero{in, to, by_column, counted_by(out, counted, kUnknown)});
  return plan;
}

}  // namespace

ACLNN_OP(aclnnMaskedSelect, (const aclTensor* self, const aclTensor* mask, aclTensor* out),
         (self, mask, out)) {
  return masked_select(self, mask, out);
}
ACLNN_OP(aclnnNonzero, (const aclTensor* self, aclTensor* out), (self, out)) {
  return nonzero(self, out, true);
}
ACLNN_OP(aclnnNonzeroV2, (const aclTensor* self, aclTensor* out), (self, out)) {
  return nonzero(self, out, false);
}

}  // namespace npu::aol
