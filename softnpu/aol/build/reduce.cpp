// SPDX-License-Identifier: Apache-2.0
#include "softnpu/aol/build/reduce.h"

#include <cmath>
#include <limits>

namespace npu::aol {
namespace {

Shape reduced_shape(const TensorView& in, uint32_t mask, bool keepdim) {
  Shape shape;
  for (int i = 0; i < in.rank; ++i) {
    const bool reduced = (mask >> i & 1) != 0;
    if (!reduced || keepdim) shape.dims[shape.rank++] = reduced ? 1 : in.dims[i];
  }
  return shape;
}

/// Result of reducing no elements; throws where there is none.
Scalar identity(ReduceOp op, uint32_t mask) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  switch (op) {
    case ReduceOp::kProd:
    case ReduceOp::kAll:
      return Scalar::of_int(1);
    case ReduceOp::kMean:
    case ReduceOp::kVar:
    case ReduceOp::kStd:
      return Scalar::of(kNan);
    case ReduceOp::kMax:
    case ReduceOp::kMin:
    case ReduceOp::kArgMax:
    case ReduceOp::kArgMin:
      base::fail(ACLNN_ERR_PARAM_INVALID, "self has no elements to reduce along dimension mask ",
                 mask, ", and this reduction has no result for none");
    default:
      return Scalar::of_int(0);
  }
}

bool needs_floating(ReduceOp op) {
  return op == ReduceOp::kMean || op == ReduceOp::kVar || op == ReduceOp::kStd ||
         op == ReduceOp::kNorm || op == ReduceOp::kL1Norm;
}

bool gives_truth_or_index(ReduceOp op) {
  return op == ReduceOp::kAny || op == ReduceOp::kAll || op == ReduceOp::kArgMax ||
         op == ReduceOp::kArgMin || op == ReduceOp::kCountNonzero;
}

void expect_types(ReduceOp op, const TensorView& in, const TensorView& out) {
  expect_native(in, "self");
  expect_native(out, "out");
  if (needs_floating(op)) {
    expect(base::is_floating(out.dtype), "out is ", base::name_of(out.dtype),
           "; the result is a floating-point number");
  } else if (!gives_truth_or_index(op)) {
    // A sum of bools counts.
    const DType type = in.dtype == DType::kBool ? DType::kUInt8 : in.dtype;
    expect(out.dtype == in.dtype || can_store(type, out.dtype), "out is ", base::name_of(out.dtype),
           ", which cannot hold the result of type ", base::name_of(in.dtype));
  }
}

}  // namespace

void add_reduce(Plan& plan, ReduceOp op, const TensorView& in, uint32_t mask, bool keepdim,
                const TensorView& out, double parameter, const TensorView& indices) {
  expect_types(op, in, out);
  const Shape shape = reduced_shape(in, mask, keepdim);
  expect_shape(out, shape, "out");
  expect_distinct_elements(out, "out");
  expect_no_overlap(out, "out", in, "self");
  if (indices.defined()) {
    expect_shape(indices, shape, "indices");
    expect_type(indices, {DType::kInt64}, "indices");
  }
  if (out.numel() == 0) return;
  if (in.numel() == 0) {
    plan.then(make_fill(out, identity(op, mask)));
    return;
  }
  Reduce command;
  command.op = op;
  command.in = at_least_1d(in);
  command.reduced_dims = mask;
  command.parameter = parameter;
  command.out = out;
  command.indices = indices;
  for (int i = 0; !keepdim && i < in.rank; ++i) {
    if ((mask >> i & 1) == 0) continue;
    command.out = insert_dim(command.out, i);
    if (indices.defined()) command.indices = insert_dim(command.indices, i);
  }
  command.out = at_least_1d(command.out);
  if (indices.defined()) command.indices = at_least_1d(command.indices);
  plan.then(std::move(command));
}

Plan reduce(ReduceOp op, const aclTensor* self, uint32_t mask, bool keepdim, const aclTensor* out,
            const ReduceOptions& options) {
  Plan plan;
  TensorView in = view(self, "self");
  const TensorView result = view(out, "out");
  // int32 positions, which some clients want, are converted from the kernel's int64 ones.
  TensorView indices = optional_view(options.indices, "indices");
  TensorView wanted_indices = indices;
  if (indices.defined() && indices.dtype == DType::kInt32) {
    indices = plan.temporary(DType::kInt64, indices);
  }
  if (options.dtype != DType::kUndefined) {
    expect_native(in, "self");
    if (options.dtype != in.dtype) {
      expect(base::size_of(options.dtype) != 0 && !base::is_complex(options.dtype), "dtype ",
             base::name_of(options.dtype), " is not supported");
      // Only a conversion that loses something has to be done before the reduction.
      const bool loses = base::is_integral(options.dtype) && base::is_floating(in.dtype);
      if (loses) {
        const TensorView converted = plan.temporary(options.dtype, in);
        add(plan, make_copy(in, converted));
        in = converted;
      }
    }
  }
  add_reduce(plan, op, in, mask, keepdim, result, options.parameter, indices);
  if (indices.data != wanted_indices.data) add(plan, make_copy(indices, wanted_indices));
  return plan;
}

Plan reduce(ReduceOp op, const aclTensor* self, const aclIntArray* dims, bool keepdim,
            const aclTensor* out, const ReduceOptions& options) {
  const int rank = view(self, "self").rank;
  const auto list = dims == nullptr ? std::span<const int64_t>() : ints(dims, "dim");
  return reduce(op, self, dim_mask(list, rank, "dim"), keepdim, out, options);
}

Plan reduce_dim(ReduceOp op, const aclTensor* self, int64_t dim, bool keepdim, const aclTensor* out,
                const ReduceOptions& options) {
  const int rank = view(self, "self").rank;
  return reduce(op, self, 1u << wrap_dim(dim, rank, "dim"), keepdim, out, options);
}

Plan reduce_all(ReduceOp op, const aclTensor* self, const aclTensor* out,
                const ReduceOptions& options) {
  const TensorView in = view(self, "self");
  const bool keepdim = view(out, "out").rank == in.rank && in.rank > 0;
  return reduce(op, self, dim_mask({}, in.rank, "dim"), keepdim, out, options);
}

}  // namespace npu::aol
