// SPDX-License-Identifier: Apache-2.0
// Matrix products.
#include "aclnnop/matmul.h"
#include "softnpu/aol/build/matmul.h"

namespace npu::aol {
namespace {

double factor(const aclScalar* scalar, const char* role) {
  return number_or(scalar, Scalar::of_int(1), role).f;
}

Plan addmv(const aclTensor* self, const aclTensor* mat, const aclTensor* vec,
           const aclScalar* alpha, const aclScalar* beta, const aclTensor* out, int8_t math) {
  check_cube_math_type(math);
  const TensorView a = view(mat, "mat"), b = view(vec, "vec"), to = view(out, "out");
  expect_rank(a, 2, 2, "mat");
  expect_shape(b, {a.dims[1]}, "vec");
  expect_shape(to, {a.dims[0]}, "out");
  const TensorView c = expand(view(self, "self"), Shape::of(to), "self");
  const auto column = [](const TensorView& v) { return insert_dim(insert_dim(v, 1), 0); };
  Plan plan;
  add_matmul(plan, insert_dim(a, 0), column(b), column(c), column(to), factor(alpha, "alpha"),
             factor(beta, "beta"));
  return plan;
}

Plan addr(const aclTensor* self, const aclTensor* vec1, const aclTensor* vec2,
          const aclScalar* beta, const aclScalar* alpha, const aclTensor* out) {
  const TensorView a = view(vec1, "vec1"), b = view(vec2, "vec2"), to = view(out, "out");
  expect_rank(a, 1, 1, "vec1");
  expect_rank(b, 1, 1, "vec2");
  expect_shape(to, {a.dims[0], b.dims[0]}, "out");
  const TensorView c = expand(view(self, "self"), Shape::of(to), "self");
  Plan plan;
  add_matmul(plan, insert_dim(insert_dim(a, 1), 0), insert_dim(insert_dim(b, 0), 0),
             insert_dim(c, 0), insert_dim(to, 0), factor(alpha, "alpha"), factor(beta, "beta"));
  return plan;
}

/// The sum over batches is one product of matrices laid side by side.
Plan addbmm(const aclTensor* self, const aclTensor* batch1, const aclTensor* batch2,
            const aclScalar* beta, const aclScalar* alpha, const aclTensor* out, int8_t math) {
  check_cube_math_type(math);
  const TensorView a = view(batch1, "batch1"), b = view(batch2, "batch2"), to = view(out, "out");
  expect_rank(a, 3, 3, "batch1");
  expect_rank(b, 3, 3, "batch2");
  expect(a.dims[0] == b.dims[0] && a.dims[2] == b.dims[1], "batch1 is ", base::to_string(a),
         " and batch2 ", base::to_string(b), "; they do not fit");
  expect_shape(to, {a.dims[1], b.dims[2]}, "out");
  Plan plan;
  const auto side_by_side = [&](TensorView batches,
                                int first) {  // dimensions first, first + 1 as one
    if (flatten(batches, first, first + 1)) return batches;
    TensorView copy = plan.temporary(batches.dtype, batches);
    add(plan, make_copy(batches, copy));
    flatten(copy, first, first + 1);
    return copy;
  };
  const TensorView left = side_by_side(transpose(a, 0, 1), 1), right = side_by_side(b, 0);
  const TensorView c = expand(view(self, "self"), Shape::of(to), "self");
  add_matmul(plan, insert_dim(left, 0), insert_dim(right, 0), insert_dim(c, 0), insert_dim(to, 0),
             factor(alpha, "alpha"), factor(beta, "beta"));
  return plan;
}

}  // namespace

ACLNN_OP(aclnnAddmm,
         (const aclTensor* self, const aclTensor* mat1, const aclTensor* mat2,
          const aclScalar* beta, const aclScalar* alpha, aclTensor* out, int8_t cubeMathType),
         (self, mat1, mat2, beta, alpha, out, cubeMathType)) {
  return addmm(2, self, mat1, mat2, beta, alpha, out, cubeMathType);
}
ACLNN_OP(aclnnInplaceAddmm,
         (const aclTensor* selfRef, const aclTensor* mat1, const aclTensor* mat2,
          const aclScalar* beta, const aclScalar* alpha, int8_t cubeMathType),
         (selfRef, mat1, mat2, beta, alpha, cubeMathType)) {
  return addmm(2, selfRef, mat1, mat2, beta, alpha, selfRef, cubeMathType);
}
ACLNN_OP(aclnnAddmv,
         (const aclTensor* self, const aclTensor* mat, const aclTensor* vec, const aclScalar* alpha,
          const aclScalar* beta, aclTensor* out, int8_t cubeMathType),
         (self, mat, vec, alpha, beta, out, cubeMathType)) {
  return addmv(self, mat, vec, alpha, beta, out, cubeMathType);
}
ACLNN_OP(aclnnAddr,
         (const aclTensor* self, const aclTensor* vec1, const aclTensor* vec2,
          const aclScalar* betaOptional, const aclScalar* alphaOptional, aclTensor* out),
         (self, vec1, vec2, betaOptional, alphaOptional, out)) {
  return addr(self, vec1, vec2, betaOptional, alphaOptional, out);
}
ACLNN_OP(aclnnInplaceAddr,
         (aclTensor * selfRef, const aclTensor* vec1, const aclTensor* vec2,
          const aclScalar* betaOptional, const aclScalar* alphaOptional),
         (selfRef, vec1, vec2, betaOptional, alphaOptional)) {
  return addr(selfRef, vec1, vec2, betaOptional, alphaOptional, selfRef);
}
ACLNN_OP(aclnnBaddbmm,
         (const aclTensor* self, const aclTensor* batch1, const aclTensor* batch2,
          const aclScalar* beta, const aclScalar* alpha, aclTensor* out, int8_t cubeMathType),
         (self, batch1, batch2, beta, alpha, out, cubeMathType)) {
  return addmm(3, self, batch1, batch2, beta, alpha, out, cubeMathType);
}
ACLNN_OP(aclnnAddbmm,
         (const aclTensor* self, const aclTensor* batch1, const aclTensor* batch2,
          const aclScalar* beta, const aclScalar* alpha, aclTensor* out, int8_t cubeMathType),
         (self, batch1, batch2, beta, alpha, out, cubeMathType)) {
  return addbmm(self, batch1, batch2, beta, alpha, out, cubeMathType);
}
ACLNN_OP(aclnnBatchMatMul,
         (const aclTensor* self, const aclTensor* mat2, aclTensor* out, int8_t cubeMathType),
         (self, mat2, out, cubeMathType)) {
  return addmm(3, nullptr, self, mat2, nullptr, nullptr, out, cubeMathType);
}
ACLNN_OP(aclnnDot, (const aclTensor* self, const aclTensor* tensor, aclTensor* out),
         (self, tensor, out)) {
  return matmul(self, tensor, out, 0);
}
ACLNN_OP(aclnnMatmul,
         (const aclTensor* self, const aclTensor* mat2, aclTensor* out, int8_t cubeMathType),
         (self, mat2, out, cubeMathType)) {
  return matmul(self, mat2, out, cubeMathType);
}
ACLNN_OP(aclnnMm,
         (const aclTensor* self, const aclTensor* mat2, aclTensor* out, int8_t cubeMathType),
         (self, mat2, out, cubeMathType)) {
  return addmm(2, nullptr, self, mat2, nullptr, nullptr, out, cubeMathType);
}
ACLNN_OP(aclnnMv,
         (const aclTensor* self, const aclTensor* vec, aclTensor* out, int8_t cubeMathType),
         (self, vec, out, cubeMathType)) {
  return matmul(self, vec, out, cubeMathType);
}

}  // namespace npu::aol
