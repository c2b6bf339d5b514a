// SPDX-License-Identifier: Apache-2.0
// Tensors from numbers.
#include <algorithm>
#include <cmath>

#include "aclnnop/factory.h"
#include "softnpu/aol/build/elementwise.h"

namespace npu::aol {
namespace {

Plan arange(const Scalar& start, const Scalar& end, const Scalar& step, bool with_end,
            const aclTensor* out) {
  const TensorView result = view(out, "out");
  expect_native(result, "out");
  expect_rank(result, 1, 1, "out");
  expect(step.f != 0, "step must not be 0");
  const double span = (end.f - start.f) / step.f;
  expect(span >= 0, "start ", start.f, " and end ", end.f, " do not fit a step of ", step.f);
  const bool whole = base::is_integral(start.dtype) && base::is_integral(end.dtype) &&
                     base::is_integral(step.dtype);
  const double steps = with_end ? std::floor(span) + 1 : std::ceil(span);
  // Rounding may make clients count one element more or less.
  expect(std::abs(static_cast<double>(result.dims[0]) - steps) <= (whole ? 0 : 1), "out is ",
         base::to_string(result), "; it must have ", static_cast<int64_t>(steps), " elements");
  if (result.numel() == 0) return {};
  return davinci::Arange{result, start, step};
}

/// The last element is exactly `end`.
Plan linspace(const Scalar& start, const Scalar& end, int64_t steps, const aclTensor* out) {
  const TensorView result = view(out, "out");
  expect_native(result, "out");
  expect(steps >= 0, "steps is ", steps, "; it must not be negative");
  expect_shape(result, {steps}, "out");
  if (base::is_integral(result.dtype)) {  // its steps are fractions
    throw NoNativeKernel(ACLNN_ERR_PARAM_INVALID, "out has integers");
  }
  Plan plan;
  if (steps == 0) return plan;
  const double step = steps == 1 ? 0 : (end.f - start.f) / static_cast<double>(steps - 1);
  plan.then(davinci::Arange{result, Scalar::of(start.f), Scalar::of(step)});
  if (steps > 1) plan.then(make_fill(slice(result, 0, steps - 1, 1), end));
  return plan;
}

/// The elements [i, i, ...] of a view.
TensorView diagonal(TensorView matrix) {
  for (int i = 1; i < matrix.rank; ++i) {
    matrix.dims[0] = std::min(matrix.dims[0], matrix.dims[i]);
    matrix.strides[0] += matrix.strides[i];
  }
  matrix.rank = 1;
  return matrix;
}

Plan eye(int64_t n, int64_t m, const aclTensor* out) {
  const TensorView result = view(out, "out");
  expect_shape(result, {n, m}, "out");
  Plan plan = fill(out, Scalar::of_int(0));
  const TensorView ones = base::is_complex(result.dtype) ? select(real_view(result), 2, 0) : result;
  add(plan, make_fill(diagonal(ones), Scalar::of_int(1)));
  return plan;
}

Plan fill_diagonal(const aclTensor* self, const Scalar& value, bool wrap) {
  const TensorView matrix = view(self, "selfRef");
  expect_rank(matrix, 2, base::kMaxRank, "selfRef");
  for (int i = 1; matrix.rank > 2 && i < matrix.rank; ++i) {
    expect(matrix.dims[i] == matrix.dims[0], "selfRef is ", base::to_string(matrix),
           "; all dimensions must be equal when there are more than two");
  }
  Plan plan;
  // Wrapped, the diagonal of a tall matrix starts again one row after it ends.
  const int64_t period = matrix.dims[1] + 1;
  for (int64_t row = 0; row < matrix.dims[0] && (row == 0 || (wrap && matrix.rank == 2));
       row += period) {
    add(plan, make_fill(diagonal(slice(matrix, 0, row, matrix.dims[0] - row)), value));
  }
  return plan;
}

Plan fill_from(const aclTensor* self, const aclTensor* value) {
  const TensorView source = view(value, "value");
  expect(source.numel() == 1, "value is ", base::to_string(source), "; it must have one element");
  Plan plan;
  TensorView number = source;
  number.rank = 0;
  add_copy(plan, number, view(self, "selfRef"), "value");
  return plan;
}

}  // namespace

ACLNN_OP(aclnnArange,
         (const aclScalar* start, const aclScalar* end, const aclScalar* step, aclTensor* out),
         (start, end, step, out)) {
  return arange(number(start, "start"), number(end, "end"), number(step, "step"), false, out);
}
ACLNN_OP(aclnnRange,
         (const aclScalar* start, const aclScalar* end, const aclScalar* step, aclTensor* out),
         (start, end, step, out)) {
  return arange(number(start, "start"), number(end, "end"), number(step, "step"), true, out);
}
ACLNN_OP(aclnnEye, (int64_t n, int64_t m, aclTensor* out), (n, m, out)) { return eye(n, m, out); }
ACLNN_OP(aclnnInplaceFillDiagonal, (aclTensor * selfRef, const aclScalar* fillValue, bool wrap),
         (selfRef, fillValue, wrap)) {
  return fill_diagonal(selfRef, number(fillValue, "fillValue"), wrap);
}
ACLNN_OP(aclnnInplaceFillScalar, (aclTensor * selfRef, const aclScalar* value), (selfRef, value)) {
  return fill(selfRef, number(value, "value"), "selfRef");
}
ACLNN_OP(aclnnInplaceFillTensor, (aclTensor * selfRef, const aclTensor* value), (selfRef, value)) {
  return fill_from(selfRef, value);
}
ACLNN_OP(aclnnLinspace,
         (const aclScalar* start, const aclScalar* end, int64_t steps, aclTensor* out),
         (start, end, steps, out)) {
  return linspace(number(start, "start"), number(end, "end"), steps, out);
}
ACLNN_OP(aclnnLogSpace,
         (const aclScalar* start, const aclScalar* end, int64_t steps, double base,
          const aclTensor* result),
         (start, end, steps, base, result)) {
  Plan plan = linspace(number(start, "start"), number(end, "end"), steps, result);
  const TensorView exponents = view(result, "result");
  add(plan,
      make_elementwise(VectorOp::kPow, {Scalar::of(base), exponents}, exponents, Rule::kFloating));
  return plan;
}
ACLNN_OP(aclnnInplaceOne, (const aclTensor* selfRef), (selfRef)) {
  return fill(selfRef, Scalar::of_int(1), "selfRef");
}
ACLNN_OP(aclnnInplaceZero, (aclTensor * selfRef), (selfRef)) {
  return fill(selfRef, Scalar::of_int(0), "selfRef");
}

}  // namespace npu::aol
