// SPDX-License-Identifier: Apache-2.0
// Running extremes and products, histograms, searching, order statistics and norms of slices.
#include "softnpu/davinci/statistics.h"

#include <cmath>

#include "aclnnop/index.h"
#include "aclnnop/reduce.h"
#include "softnpu/aol/build/reduce.h"

namespace npu::ge {

// clang-format off
void visit(davinci::Cumprod& c, auto v) { v.read(c.in); v.write(c.out); }
void visit(davinci::CumulativeExtremum& c, auto v) { v.read(c.in); v.write(c.values, c.indices); }
void visit(davinci::Bincount& c, auto v) { v.read(c.in, c.weights); v.write(c.out); }
void visit(davinci::Histogram& c, auto v) { v.read(c.in); v.write(c.out); }
void visit(davinci::SearchSorted& c, auto v) { v.read(c.sorted, c.sorter, c.values); v.write(c.out); }
void visit(davinci::OrderStatistic& c, auto v) { v.read(c.in); v.write(c.values, c.indices); }
// clang-format on

}  // namespace npu::ge

namespace npu::aol {
namespace {

using davinci::OrderRule;

Plan cumprod(const aclTensor* self, const Scalar& dim, aclDataType dtype, const aclTensor* out) {
  const TensorView in = view(self, "input"), to = view(out, "out");
  const auto type = static_cast<DType>(dtype);
  expect_native(in, "input");
  expect_native(to, "out");
  expect(type == DType::kUndefined || type == to.dtype, "dtype is ", base::name_of(type),
         " and out is ", base::name_of(to.dtype), "; they must be the same");
  expect_shape(to, Shape::of(in), "out");
  expect_distinct_elements(to, "out");
  expect_no_overlap(to, "out", in, "input");
  const int along = wrap_dim(dim.i, in.rank, "dim");
  if (to.numel() == 0) return {};
  return davinci::Cumprod{at_least_1d(in), at_least_1d(to), along};
}

Plan running_extremum(const aclTensor* self, int64_t dim, const aclTensor* values,
                      const aclTensor* indices, bool largest) {
  const TensorView in = view(self, "self"), to = view(values, "valuesOut"),
                   places = view(indices, "indicesOut");
  expect_native(in, "self");
  expect_same_type(in, "self", to, "valuesOut");
  expect_index(places, "indicesOut");
  expect_shape(to, Shape::of(in), "valuesOut");
  expect_shape(places, Shape::of(in), "indicesOut");
  expect_distinct_elements(to, "valuesOut");
  expect_distinct_elements(places, "indicesOut");
  expect_no_overlap(to, "valuesOut", in, "self");
  const int along = wrap_dim(dim, in.rank, "dim");
  if (to.numel() == 0) return {};
  return davinci::CumulativeExtremum{at_least_1d(in), at_least_1d(to), at_least_1d(places), along,
                                     largest};
}

Plan bincount(const aclTensor* self, const aclTensor* weights, int64_t minlength,
              const aclTensor* out) {
  const TensorView in = view(self, "self"), to = view(out, "out");
  TensorView factors = optional_view(weights, "weights");
  expect_type(in, {DType::kInt64, DType::kInt32, DType::kInt16, DType::kInt8, DType::kUInt8},
              "self");
  expect_rank(in, 1, 1, "self");
  expect_rank(to, 1, 1, "out");
  expect(minlength >= 0, "minlength is ", minlength, "; it must not be negative");
  expect(to.dims[0] >= minlength, "out is ", base::to_string(to), "; it must hold minlength, ",
         minlength, ", elements");
  expect(to.is_contiguous(), "out must be contiguous");
  Plan plan;
  if (factors.defined()) {
    expect_shape(factors, Shape::of(in), "weights");
    expect_type(to, {DType::kDouble, DType::kFloat}, "out");
    expect_native(factors, "weights");
    if (factors.dtype != to.dtype) {
      const TensorView converted = plan.temporary(to.dtype, factors);
      add(plan, make_copy(factors, converted));
      factors = converted;
    }
  } else {
    expect_type(to, {DType::kInt64}, "out");
  }
  if (in.numel() == 0) {
    add(plan, make_fill(to, Scalar::of_int(0)));
  } else {
    plan.then(davinci::Bincount{in, factors, to});
  }
  return plan;
}

Plan histc(const aclTensor* self, int64_t bins, const Scalar& low, const Scalar& high,
           const aclTensor* out) {
  TensorView in = view(self, "self");
  const TensorView to = view(out, "out");
  expect_native(in, "self");
  expect_native(to, "out");
  expect(bins > 0, "bins is ", bins, "; it must be positive");
  expect_shape(to, {bins}, "out");
  expect_distinct_elements(to, "out");
  expect(std::isfinite(low.f) && std::isfinite(high.f) && low.f <= high.f, "min is ", low.f,
         " and max is ", high.f, "; they must be finite, and min not larger");
  Plan plan;
  if (!base::is_floating(in.dtype)) {
    const TensorView converted = plan.temporary(DType::kFloat, in);
    add(plan, make_copy(in, converted));
    in = converted;
  }
  plan.then(davinci::Histogram{in, to, low.f, high.f});
  return plan;
}

/// `view` as a contiguous tensor of a type that searches have.
TensorView searchable(Plan& plan, const TensorView& view, DType type) {
  if (view.dtype == type && view.is_contiguous()) return view;
  const TensorView copy = plan.temporary(type, view);
  add_copy(plan, view, copy);
  return copy;
}

DType search_type(DType common) {
  if (common == DType::kDouble || common == DType::kInt64) return common;
  return base::is_floating(common) ? DType::kFloat : DType::kInt32;
}

Plan search_sorted(const aclTensor* sorted_sequence, const char* role, const Input& wanted,
                   bool out_int32, bool right, const aclTensor* sorter, const aclTensor* out) {
  const TensorView sorted = view(sorted_sequence, role), to = view(out, "out");
  const TensorView order = optional_view(sorter, "sorter");
  expect_native(sorted, role);
  expect(sorted.rank >= 1, role, " has no dimensions; it must have at least one");
  expect_type(to, {out_int32 ? DType::kInt32 : DType::kInt64}, "out");
  expect_distinct_elements(to, "out");
  Plan plan;
  DType type = DType::kUndefined;
  TensorView values = wanted.view;
  if (values.defined()) {
    expect_native(values, wanted.role);
    type = search_type(promote(sorted.dtype, values.dtype));
  } else {
    type = search_type(promote(sorted.dtype, wanted.constant));
    values = plan.temporary(type, std::span<const int64_t>());
    add(plan, make_fill(values, wanted.constant));
  }
  expect_shape(to, Shape::of(values), "out");
  const int last = sorted.rank - 1;
  const int64_t n = sorted.dims[last];
  int64_t rows = 1;
  for (int i = 0; sorted.rank > 1 && i < last; ++i) {
    expect(sorted.rank == values.rank && sorted.dims[i] == values.dims[i], role, " is ",
           base::to_string(sorted), " and ", wanted.role, " ", base::to_string(values),
           "; all dimensions but the last must be the same");
    rows *= sorted.dims[i];
  }
  if (order.defined()) {
    expect_type(order, {DType::kInt64}, "sorter");
    expect_shape(order, Shape::of(sorted), "sorter");
  }
  if (to.numel() == 0) return {};
  const auto matrix = [&](const TensorView& v) {
    return contiguous_view(v.data, v.dtype, {rows, n});
  };
  davinci::SearchSorted command;
  command.sorted = matrix(searchable(plan, sorted, type));
  if (order.defined()) command.sorter = matrix(searchable(plan, order, DType::kInt64));
  command.values = values;
  if (values.dtype != type) {
    command.values = plan.temporary(type, values);
    add(plan, make_copy(values, command.values));
  }
  command.values = at_least_1d(command.values);
  command.out = at_least_1d(to);
  command.right = right;
  plan.then(std::move(command));
  return plan;
}

/// Results along dim have size 1 there in the command, whatever the client's say.
Plan along_dim(OrderRule rule, int64_t k, const aclTensor* self, int64_t dim, bool keepdim,
               const aclTensor* values, const aclTensor* indices) {
  const TensorView in = at_least_1d(view(self, "self"));
  TensorView to = view(values, "valuesOut"), places = view(indices, "indicesOut");
  expect_native(in, "self");
  expect(in.dtype != DType::kBool, "self is bool; bools have no order statistics");
  expect_same_type(in, "self", to, "valuesOut");
  expect_type(places, {DType::kInt64}, "indicesOut");
  const int along = wrap_dim(dim, view(self, "self").rank, "dim");
  expect(rule != OrderRule::kKth || (k >= 1 && k <= in.dims[along]), "k is ", k, "; self has ",
         in.dims[along], " elements along dimension ", along);
  Shape shape = Shape::of(view(self, "self"));
  if (shape.rank > 0) {
    expect(in.dims[along] > 0, "self is ", base::to_string(in), "; dimension ", along,
           " has no elements");
    shape.dims[along] = 1;
    if (!keepdim) {
      std::copy(shape.dims.begin() + along + 1, shape.dims.begin() + shape.rank,
                shape.dims.begin() + along);
      --shape.rank;
    }
  }
  expect_shape(to, shape, "valuesOut");
  expect_shape(places, shape, "indicesOut");
  expect_distinct_elements(to, "valuesOut");
  expect_distinct_elements(places, "indicesOut");
  expect_no_overlap(to, "valuesOut", in, "self");
  if (to.numel() == 0) return {};
  if (to.rank < in.rank) to = insert_dim(to, along), places = insert_dim(places, along);
  return davinci::OrderStatistic{in, to, places, along, rule, k - 1};
}

Plan of_all(OrderRule rule, const aclTensor* self, const aclTensor* out, const char* role) {
  const TensorView in = view(self, "self"), to = view(out, role);
  expect_native(in, "self");
  expect(in.dtype != DType::kBool, "self is bool; bools have no order statistics");
  expect_same_type(in, "self", to, role);
  expect(to.numel() == 1, role, " is ", base::to_string(to), "; it must have one element");
  expect(in.numel() > 0, "self is ", base::to_string(in), "; no elements have no median");
  Plan plan;
  const TensorView flat = flat_view(plan, in);
  TensorView one = to;
  one.rank = 0;
  plan.then(davinci::OrderStatistic{flat, at_least_1d(one), {}, 0, rule, 0});
  return plan;
}

/// Slices along dim whose p-norm is above the limit are scaled to it.
Plan renorm(const aclTensor* self, const Scalar& p, int64_t dim, const Scalar& limit,
            const aclTensor* out, const char* out_role) {
  const TensorView in = view(self, "self"), to = view(out, out_role);
  expect_native(in, "self");
  expect_floating(in, "self");
  expect_same_type(in, "self", to, out_role);
  expect(in.rank > 1, "self is ", base::to_string(in), "; it must have at least 2 dimensions");
  expect(p.f > 0, "p is ", p.f, "; it must be positive");
  expect(limit.f >= 0, "maxNorm is ", limit.f, "; it must not be negative");
  const int along = wrap_dim(dim, in.rank, "dim");
  expect_shape(to, Shape::of(in), out_role);
  Plan plan;
  if (in.numel() == 0) return plan;
  Shape slices;
  slices.rank = in.rank;
  slices.dims.fill(1);
  slices.dims[along] = in.dims[along];
  const DType type = working_type(in.dtype);
  const TensorView norm = plan.temporary(type, slices.span());
  const TensorView factor = plan.temporary(type, slices.span());
  const TensorView above = plan.temporary(DType::kBool, slices.span());
  constexpr double kEpsilon = 1e-7;  // PyTorch's
  const uint32_t all = dim_mask({}, in.rank, "dim");
  add_reduce(plan, ReduceOp::kNorm, in, all & ~(1u << along), true, norm, p.f);
  add(plan, make_elementwise(VectorOp::kGt, {norm, limit}, above, Rule::kTruth));
  add(plan, make_elementwise(VectorOp::kAdd, {norm, Scalar::of(kEpsilon)}, factor, Rule::kSame,
                             {Scalar::of_int(1)}));
  add(plan, make_elementwise(VectorOp::kDiv, {limit, factor}, factor, Rule::kSame));
  add(plan,
      make_elementwise(VectorOp::kWhere, {above, factor, Scalar::of_int(1)}, factor, Rule::kSame));
  add(plan, make_elementwise(VectorOp::kMul, {in, factor}, to, Rule::kSame));
  return plan;
}

}  // namespace

ACLNN_OP(aclnnBincount,
         (const aclTensor* self, const aclTensor* weights, int64_t minlength, aclTensor* out),
         (self, weights, minlength, out)) {
  return bincount(self, weights, minlength, out);
}
ACLNN_OP(aclnnBucketize,
         (const aclTensor* self, const aclTensor* boundaries, bool outInt32, bool right,
          aclTensor* out),
         (self, boundaries, outInt32, right, out)) {
  expect_rank(view(boundaries, "boundaries"), 1, 1, "boundaries");
  return search_sorted(boundaries, "boundaries", {view(self, "self"), "self"}, outInt32, right,
                       nullptr, out);
}
ACLNN_OP(aclnnCummax,
         (const aclTensor* self, int64_t dim, aclTensor* valuesOut, aclTensor* indicesOut),
         (self, dim, valuesOut, indicesOut)) {
  return running_extremum(self, dim, valuesOut, indicesOut, true);
}
ACLNN_OP(aclnnCummin,
         (const aclTensor* self, int64_t dim, aclTensor* valuesOut, aclTensor* indicesOut),
         (self, dim, valuesOut, indicesOut)) {
  return running_extremum(self, dim, valuesOut, indicesOut, false);
}
ACLNN_OP(aclnnCumprod,
         (const aclTensor* input, const aclScalar* dim, const aclDataType dtype, aclTensor* out),
         (input, dim, dtype, out)) {
  return cumprod(input, number(dim, "dim"), dtype, out);
}
ACLNN_OP(aclnnHistc,
         (const aclTensor* self, int64_t bins, const aclScalar* min, const aclScalar* max,
          aclTensor* out),
         (self, bins, min, max, out)) {
  return histc(self, bins, number(min, "min"), number(max, "max"), out);
}
ACLNN_OP(aclnnKthvalue,
         (const aclTensor* self, int64_t k, int64_t dim, bool keepdim, aclTensor* valuesOut,
          aclTensor* indicesOut),
         (self, k, dim, keepdim, valuesOut, indicesOut)) {
  return along_dim(OrderRule::kKth, k, self, dim, keepdim, valuesOut, indicesOut);
}
ACLNN_OP(aclnnMedian, (const aclTensor* self, aclTensor* valuesOut), (self, valuesOut)) {
  return of_all(OrderRule::kMedian, self, valuesOut, "valuesOut");
}
ACLNN_OP(aclnnMedianDim,
         (const aclTensor* self, int64_t dim, bool keepDim, aclTensor* valuesOut,
          aclTensor* indicesOut),
         (self, dim, keepDim, valuesOut, indicesOut)) {
  return along_dim(OrderRule::kMedian, 0, self, dim, keepDim, valuesOut, indicesOut);
}
ACLNN_OP(aclnnNanMedian, (const aclTensor* self, aclTensor* out), (self, out)) {
  return of_all(OrderRule::kNanMedian, self, out, "out");
}
ACLNN_OP(aclnnNanMedianDim,
         (const aclTensor* self, int64_t dim, bool keepDim, aclTensor* valuesOut,
          aclTensor* indicesOut),
         (self, dim, keepDim, valuesOut, indicesOut)) {
  return along_dim(OrderRule::kNanMedian, 0, self, dim, keepDim, valuesOut, indicesOut);
}
ACLNN_OP(aclnnRenorm,
         (const aclTensor* self, const aclScalar* p, int64_t dim, const aclScalar* maxNorm,
          aclTensor* out),
         (self, p, dim, maxNorm, out)) {
  return renorm(self, number(p, "p"), dim, number(maxNorm, "maxNorm"), out, "out");
}
ACLNN_OP(aclnnInplaceRenorm,
         (aclTensor * selfRef, const aclScalar* p, int64_t dim, const aclScalar* maxNorm),
         (selfRef, p, dim, maxNorm)) {
  return renorm(selfRef, number(p, "p"), dim, number(maxNorm, "maxNorm"), selfRef, "selfRef");
}
ACLNN_OP(aclnnSearchSorted,
         (const aclTensor* sortedSequence, const aclTensor* self, bool outInt32, bool right,
          const aclTensor* sorter, aclTensor* out),
         (sortedSequence, self, outInt32, right, sorter, out)) {
  return search_sorted(sortedSequence, "sortedSequence", {view(self, "self"), "self"}, outInt32,
                       right, sorter, out);
}
ACLNN_OP(aclnnSearchSorteds,
         (const aclTensor* sortedSequence, const aclScalar* self, bool outInt32, bool right,
          const aclTensor* sorter, aclTensor* out),
         (sortedSequence, self, outInt32, right, sorter, out)) {
  return search_sorted(sortedSequence, "sortedSequence", {number(self, "self"), "self"}, outInt32,
                       right, sorter, out);
}

}  // namespace npu::aol
