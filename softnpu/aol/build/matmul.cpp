// SPDX-License-Identifier: Apache-2.0
#include "softnpu/aol/build/matmul.h"

namespace npu::aol {
namespace {

void expect_matrix_types(const TensorView& a, const TensorView& b, const TensorView& c,
                         const TensorView& out) {
  for (const TensorView* view : {&a, &b, &out}) expect_native(*view, "a matrix");
  const auto mixes = [](DType t) { return base::is_floating(t) && t != DType::kDouble; };
  if (mixes(a.dtype) && mixes(b.dtype) && mixes(out.dtype) && (!c.defined() || mixes(c.dtype))) {
    return;
  }
  expect_same_type(a, "the left matrix", b, "the right matrix");
  expect_same_type(a, "the matrices", out, "out");
  if (c.defined()) expect_same_type(a, "the matrices", c, "self");
}

/// Batch dimensions as one; in a temporary where strides do not allow it.
TensorView with_one_batch(Plan& plan, TensorView view, int batch_rank) {
  if (batch_rank == 0) return insert_dim(view, 0);
  if (flatten(view, 0, batch_rank - 1)) return view;
  TensorView copy = plan.temporary(view.dtype, view);
  add(plan, make_copy(view, copy));
  flatten(copy, 0, batch_rank - 1);
  return copy;
}

Shape batch_of(const TensorView& view) {
  Shape shape = Shape::of(view);
  shape.rank -= 2;
  return shape;
}

Shape join(Shape batch, int64_t rows, int64_t columns) {
  expect(batch.rank + 2 <= base::kMaxRank, "more than ", base::kMaxRank, " dimensions");
  batch.dims[batch.rank++] = rows;
  batch.dims[batch.rank++] = columns;
  return batch;
}

}  // namespace

void check_cube_math_type(int8_t cube_math_type) {
  expect(cube_math_type >= 0 && cube_math_type <= 4, "cubeMathType is ", cube_math_type,
         "; allowed: 0 (keep the type), 1 (allow less for float32), 2 (float16), 3 (hfloat32), 4");
}

void add_matmul(Plan& plan, const TensorView& a, const TensorView& b, const TensorView& c,
                const TensorView& out, double alpha, double beta) {
  expect_matrix_types(a, b, c, out);
  expect_distinct_elements(out, "out");
  expect_no_overlap(out, "out", a, "the left matrix");
  expect_no_overlap(out, "out", b, "the right matrix");
  if (out.numel() == 0) return;
  // A product may not read what it writes: only c may be out itself.
  const auto same = [&](const TensorView& in) { return in.numel() != 0 && in.data == out.data; };
  expect(!same(a) && !same(b), "out is one of the factors; it must be a tensor of its own");
  davinci::Matmul command{a, b, {}, out, alpha, beta};
  if (c.defined() && beta != 0) {
    command.c = expand(c, Shape::of(out), "self");
    expect_no_overlap(out, "out", command.c, "self");
  }
  plan.then(std::move(command));
}

Plan matmul(const aclTensor* self, const aclTensor* mat2, const aclTensor* out, int8_t math) {
  check_cube_math_type(math);
  TensorView a = view(self, "self"), b = view(mat2, "mat2"), to = view(out, "out");
  expect_rank(a, 1, base::kMaxRank, "self");
  expect_rank(b, 1, base::kMaxRank, "mat2");
  const bool row = a.rank == 1, column = b.rank == 1;
  if (row) a = insert_dim(a, 0);
  if (column) b = insert_dim(b, 1);
  expect(a.dims[a.rank - 1] == b.dims[b.rank - 2], "self is ", base::to_string(a), " and mat2 ",
         base::to_string(b), "; the last dimension of self must equal the last but one of mat2");
  const Shape batch = broadcast(batch_of(a), batch_of(b));
  const Shape full = join(batch, a.dims[a.rank - 2], b.dims[b.rank - 1]);
  if (column) to = insert_dim(to, to.rank);
  if (row) to = insert_dim(to, to.rank == 0 ? 0 : to.rank - 1);
  expect_shape(to, full, "out");

  Plan plan;
  const auto factor = [&](const TensorView& matrix, const char* role) {
    if (batch_of(matrix).numel() == 1) {  // shared by all batches
      TensorView one = matrix;
      while (one.rank > 2) one = remove_dim(one, 0);
      return insert_dim(one, 0);
    }
    const Shape wanted = join(batch, matrix.dims[matrix.rank - 2], matrix.dims[matrix.rank - 1]);
    return with_one_batch(plan, expand(matrix, wanted, role), batch.rank);
  };
  const TensorView left = factor(a, "self"), right = factor(b, "mat2");
  TensorView result = to;
  const bool direct = batch.rank == 0 || flatten(result, 0, batch.rank - 1);
  if (batch.rank == 0) result = insert_dim(to, 0);
  if (!direct) {
    result = plan.temporary(to.dtype, to);
    flatten(result, 0, batch.rank - 1);
  }
  add_matmul(plan, left, right, {}, result, 1, 0);
  if (!direct) {
    add(plan, make_copy(contiguous_view(result.data, to.dtype, Shape::of(to)), to));
  }
  return plan;
}

Plan addmm(int rank, const aclTensor* self, const aclTensor* mat1, const aclTensor* mat2,
           const aclScalar* beta, const aclScalar* alpha, const aclTensor* out, int8_t math) {
  check_cube_math_type(math);
  TensorView a = view(mat1, "mat1"), b = view(mat2, "mat2"), to = view(out, "out");
  TensorView c = optional_view(self, "self");
  expect_rank(a, rank, rank, rank == 2 ? "mat1" : "batch1");
  expect_rank(b, rank, rank, rank == 2 ? "mat2" : "batch2");
  expect(a.dims[rank - 1] == b.dims[rank - 2], "the left matrix is ", base::to_string(a),
         " and the right one ", base::to_string(b), "; they do not fit");
  expect(rank == 2 || a.dims[0] == b.dims[0], "the batches are ", a.dims[0], " and ", b.dims[0],
         "; they must be equal");
  Shape full = Shape::of(a);
  full.dims[rank - 1] = b.dims[rank - 1];
  expect_shape(to, full, "out");
  if (c.defined()) c = expand(c, full, "self");
  if (rank == 2) {
    a = insert_dim(a, 0), b = insert_dim(b, 0), to = insert_dim(to, 0);
    if (c.defined()) c = insert_dim(c, 0);
  }
  Plan plan;
  add_matmul(plan, a, b, c, to, number_or(alpha, Scalar::of_int(1), "alpha").f,
             c.defined() ? number_or(beta, Scalar::of_int(1), "beta").f : 0);
  return plan;
}

}  // namespace npu::aol
