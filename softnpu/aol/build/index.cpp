// SPDX-License-Identifier: Apache-2.0
#include "softnpu/aol/build/index.h"

#include <limits>

namespace npu::aol {
namespace {

/// Whole dimensions are null, or a tensor of shape [0] beside index tensors that have elements
/// (that is what PyTorch's adapter for the card passes for them).
std::vector<TensorView> index_views(const aclTensorList* list, const TensorView& self) {
  std::vector<TensorView> result = views(list, "indices");
  expect(std::ssize(result) <= self.rank, "indices has ", result.size(), " tensors; self, ",
         base::to_string(self), ", has fewer dimensions");
  const auto empty = [](const TensorView& v) { return v.rank == 1 && v.dims[0] == 0; };
  bool others = false;
  for (const TensorView& v : result) others = others || (v.defined() && !empty(v));
  Shape common;
  for (TensorView& v : result) {
    if (!v.defined()) continue;
    if (others && empty(v)) {
      v = {};
      continue;
    }
    if (v.dtype == DType::kBool || v.dtype == DType::kUInt8) {
      throw NoNativeKernel(ACLNN_ERR_PARAM_INVALID,
                           "indices holds a mask; pass the positions of its true elements");
    }
    if (!empty(v)) expect_index(v, "indices");
    common = broadcast(common, Shape::of(v));
  }
  for (TensorView& v : result) {
    if (v.defined()) v = expand(v, common, "indices");
  }
  while (!result.empty() && !result.back().defined()) result.pop_back();
  return result;
}

/// Shape of self[indices...]: the index dimensions stand where the first one is if the indexed
/// dimensions are neighbours, else in front.
Shape indexed_shape(const TensorView& self, const std::vector<TensorView>& indices) {
  int first = -1, last = -1, count = 0;
  for (int i = 0; i < std::ssize(indices); ++i) {
    if (!indices[i].defined()) continue;
    if (first < 0) first = i;
    last = i;
    ++count;
  }
  const bool adjacent = last - first + 1 == count;
  const int place = adjacent ? first : 0;
  std::vector<int64_t> dims;
  int64_t skipped = 0;
  const auto put_index = [&] {
    dims.insert(dims.end(), indices[first].dims.begin(),
                indices[first].dims.begin() + indices[first].rank);
  };
  for (int i = 0; i <= self.rank; ++i) {
    if (count > 0 && i == place) put_index();
    if (i == self.rank) break;
    const bool is_indexed = i < std::ssize(indices) && indices[i].defined();
    is_indexed ? void(++skipped) : dims.push_back(self.dims[i]);
  }
  return Shape(dims);
}

/// `out` becomes a copy of self unless it is the same tensor.
void copy_if_other(Plan& plan, const aclTensor* self, const TensorView& in, const aclTensor* out,
                   const TensorView& to) {
  expect_same_type(in, "self", to, "out");
  expect_shape(to, Shape::of(in), "out");
  expect_distinct_elements(to, "out");
  if (self != out && in.data != to.data) add(plan, make_copy(in, to));
}

}  // namespace

Plan index_select(const aclTensor* self, int64_t dim, const aclTensor* index,
                  const aclTensor* out) {
  TensorView in = view(self, "self"), positions = view(index, "index"), to = view(out, "out");
  expect_index(positions, "index");
  expect_same_type(in, "self", to, "out");
  const int along = wrap_dim(dim, in.rank, "dim");
  if (in.rank == 0) {
    expect(positions.numel() == 1 && to.numel() == 1, "self has no dimensions; index and out must ",
           "have one element");
    in = at_least_1d(in), to.rank = 0, to = at_least_1d(to);
    positions.rank = 1, positions.dims[0] = 1;
  }
  Shape shape;
  for (int i = 0; i < in.rank; ++i) {
    if (i != along) {
      shape.dims[shape.rank++] = in.dims[i];
      continue;
    }
    expect(in.rank - 1 + positions.rank <= base::kMaxRank, "the result has more than ",
           base::kMaxRank, " dimensions");
    for (int k = 0; k < positions.rank; ++k) shape.dims[shape.rank++] = positions.dims[k];
  }
  expect_shape(to, shape, "out");
  expect_distinct_elements(to, "out");
  expect_no_overlap(to, "out", in, "self");
  Plan plan;
  if (to.numel() == 0) return plan;
  const TensorView flat = flat_view(plan, positions);
  TensorView result = to;
  if (positions.rank == 0) {
    result = insert_dim(result, along);
  } else if (!flatten(result, along, along + positions.rank - 1)) {
    const TensorView copy = plan.temporary(to.dtype, to);
    result = copy;
    flatten(result, along, along + positions.rank - 1);
    plan.then(davinci::IndexSelect{in, flat, result, along});
    add(plan, make_copy(copy, to));
    return plan;
  }
  plan.then(davinci::IndexSelect{in, flat, result, along});
  return plan;
}

Plan index(const aclTensor* self, const aclTensorList* indices, const aclTensor* out) {
  const TensorView in = view(self, "self"), to = view(out, "out");
  std::vector<TensorView> positions = index_views(indices, in);
  expect_same_type(in, "self", to, "out");
  expect_shape(to, indexed_shape(in, positions), "out");
  expect_distinct_elements(to, "out");
  expect_no_overlap(to, "out", in, "self");
  Plan plan;
  if (to.numel() == 0) return plan;
  if (positions.empty()) {
    add(plan, make_copy(in, to));
    return plan;
  }
  plan.then(davinci::Index{in, std::move(positions), to});
  return plan;
}

Plan index_put(const aclTensor* self, const aclTensorList* indices, const aclTensor* values,
               bool accumulate) {
  const TensorView to = view(self, "selfRef");
  TensorView from = view(values, "values");
  std::vector<TensorView> positions = index_views(indices, to);
  expect_same_type(to, "selfRef", from, "values");
  expect_distinct_elements(to, "selfRef");
  expect_native(to, "selfRef");
  const Shape shape = indexed_shape(to, positions);
  if (shape.numel() == 0) return {};
  from = expand(from, shape, "values");
  Plan plan;
  if (positions.empty()) {
    add(plan, accumulate ? make_elementwise(VectorOp::kAdd, {to, from}, to, Rule::kSame,
                                            {Scalar::of_int(1)})
                         : make_copy(from, to));
    return plan;
  }
  plan.then(davinci::IndexPut{to, std::move(positions), from, accumulate});
  return plan;
}

Plan index_along(const aclTensor* self, int64_t dim, const aclTensor* index, const Input& source,
                 bool accumulate, const Scalar& alpha, const aclTensor* out) {
  const TensorView in = view(self, "self"), to = view(out, "out");
  TensorView positions = view(index, "index");
  expect_index(positions, "index");
  expect_rank(positions, 0, 1, "index");
  positions = at_least_1d(positions);
  expect_native(in, "self");
  const int along = wrap_dim(dim, in.rank, "dim");
  Shape shape = Shape::of(at_least_1d(in));
  shape.dims[along] = positions.dims[0];
  Plan plan;
  copy_if_other(plan, self, in, out, to);
  if (shape.numel() == 0) return plan;
  TensorView from;
  if (source.view.defined()) {
    from = at_least_1d(source.view);
    expect_shape(from, shape, source.role);
    expect_same_type(in, "self", from, source.role);
    if (alpha.f != 1) {
      const TensorView scaled = plan.temporary(from.dtype, from);
      add(plan, make_elementwise(VectorOp::kMul, {from, alpha}, scaled, Rule::kSame));
      from = scaled;
    }
  } else {
    const TensorView constant = plan.temporary(to.dtype, std::span<const int64_t>());
    add(plan, make_fill(constant, source.constant));
    from = expand(constant, shape, source.role);
  }
  std::vector<TensorView> indices(static_cast<size_t>(along) + 1);
  indices.back() = positions;
  plan.then(davinci::IndexPut{at_least_1d(to), std::move(indices), from, accumulate});
  return plan;
}

namespace {

/// PyTorch's rule for gather and scatter: index fits in `other` everywhere but along dim.
void expect_fits(const TensorView& index, const TensorView& other, int dim, const char* role,
                 bool along_too) {
  expect(index.rank == other.rank, "index is ", base::to_string(index), " and ", role, " is ",
         base::to_string(other), "; they must have equally many dimensions");
  for (int i = 0; i < index.rank; ++i) {
    expect((i == dim && !along_too) || index.dims[i] <= other.dims[i], "index is ",
           base::to_string(index), " and ", role, " is ", base::to_string(other),
           "; index is larger in dimension ", i);
  }
}

}  // namespace

Plan gather(const aclTensor* self, int64_t dim, const aclTensor* index, const aclTensor* out) {
  const TensorView in = at_least_1d(view(self, "self")), to = at_least_1d(view(out, "out"));
  const TensorView positions = at_least_1d(view(index, "index"));
  expect_index(positions, "index");
  expect_same_type(in, "self", to, "out");
  const int along = wrap_dim(dim, in.rank, "dim");
  expect_shape(to, Shape::of(positions), "out");
  if (to.numel() == 0) return {};
  expect_fits(positions, in, along, "self", false);
  expect_distinct_elements(to, "out");
  expect_no_overlap(to, "out", in, "self");
  return davinci::Gather{in, positions, to, along};
}

Plan scatter(const aclTensor* self, int64_t dim, const aclTensor* index, const Input& source,
             int64_t reduce, const aclTensor* out) {
  expect(reduce >= 0 && reduce <= 2, "reduce is ", reduce,
         "; allowed: 0 (replace), 1 (add), 2 (multiply)");
  const TensorView in = view(self, "self"), to = view(out, "out");
  const TensorView positions = at_least_1d(view(index, "index"));
  expect_index(positions, "index");
  expect_native(in, "self");
  const int along = wrap_dim(dim, in.rank, "dim");
  Plan plan;
  copy_if_other(plan, self, in, out, to);
  if (positions.numel() == 0) return plan;
  davinci::Scatter command;
  command.self = at_least_1d(to);
  command.index = positions;
  command.dim = along;
  command.op = static_cast<davinci::ScatterOp>(reduce);
  command.value = source.constant;
  expect_fits(positions, command.self, along, "self", false);
  if (source.view.defined()) {
    command.src = at_least_1d(source.view);
    expect_same_type(in, "self", command.src, source.role);
    expect_fits(positions, command.src, along, source.role, true);
  }
  plan.then(std::move(command));
  return plan;
}

namespace {

/// What a reduction starts with, so that any element replaces it.
Scalar scatter_identity(davinci::ScatterOp op, DType dtype) {
  const bool largest = op == davinci::ScatterOp::kMin;
  if (op == davinci::ScatterOp::kAdd || op == davinci::ScatterOp::kMultiply) {
    return Scalar::of_int(op == davinci::ScatterOp::kMultiply);
  }
  if (base::is_floating(dtype)) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    return {DType::kDouble, largest ? kInfinity : -kInfinity, 0, 0};
  }
  if (dtype == DType::kBool) return Scalar::of_int(largest);
  const int bits = static_cast<int>(base::size_of(dtype)) * 8;
  const bool is_unsigned = dtype == DType::kUInt8;
  const auto top = static_cast<int64_t>(~uint64_t{0} >> (is_unsigned ? 64 - bits : 65 - bits));
  return Scalar::of_int(largest ? top : is_unsigned ? 0 : -top - 1);
}

/// Divides sums by how many elements went into them.
void add_scatter_mean(Plan& plan, const davinci::Scatter& sum, bool include_self,
                      const TensorView& out) {
  const TensorView count = plan.temporary(sum.self.dtype, sum.self);
  add(plan, make_fill(count, Scalar::of_int(include_self)));
  davinci::Scatter ones = sum;
  ones.self = count;
  ones.src = {};
  ones.value = Scalar::of_int(1);
  plan.then(std::move(ones));
  add(plan, make_elementwise(VectorOp::kMaximum, {count, Scalar::of_int(1)}, count, Rule::kSame));
  const VectorOp divide = base::is_floating(out.dtype) ? VectorOp::kDiv : VectorOp::kDivFloor;
  add(plan, make_elementwise(divide, {sum.self, count}, out, Rule::kSame));
}

}  // namespace

Plan scatter_reduce(const aclTensor* self, int64_t dim, const aclTensor* index,
                    const aclTensor* src, int64_t reduce, bool include_self, const aclTensor* out) {
  using davinci::ScatterOp;
  constexpr ScatterOp kOps[] = {ScatterOp::kSet, ScatterOp::kAdd, ScatterOp::kMultiply,
                                ScatterOp::kMax, ScatterOp::kMin, ScatterOp::kAdd};
  constexpr int64_t kMean = 5;
  expect(reduce >= 0 && reduce <= kMean, "reduce is ", reduce,
         "; it must be 0 (replace), 1 (add), 2 (multiply), 3 (max), 4 (min) or 5 (mean)");
  if (reduce == 0) return scatter(self, dim, index, {view(src, "src"), "src"}, 0, out);
  const TensorView in = view(self, "self"), to = view(out, "out");
  TensorView from = at_least_1d(view(src, "src"));
  const TensorView positions = at_least_1d(view(index, "index"));
  expect_index(positions, "index");
  expect_native(in, "self");
  expect_same_type(in, "self", from, "src");
  expect(reduce != kMean || in.dtype != DType::kBool, "self is bool; bools have no mean");
  const int along = wrap_dim(dim, in.rank, "dim");
  Plan plan;
  if (positions.numel() == 0) {
    copy_if_other(plan, self, in, out, to);
    return plan;
  }
  expect_fits(positions, at_least_1d(in), along, "self", false);
  expect_fits(positions, from, along, "src", true);
  TensorView sums = to;
  if (in.dtype == DType::kHalf || in.dtype == DType::kBFloat16) {
    expect_same_type(in, "self", to, "out");
    expect_shape(to, Shape::of(in), "out");
    expect_distinct_elements(to, "out");
    sums = plan.temporary(DType::kFloat, to);
    add(plan, make_copy(in, sums));
    const TensorView wide = plan.temporary(DType::kFloat, from);
    add(plan, make_copy(from, wide));
    from = wide;
  } else {
    copy_if_other(plan, self, in, out, to);
  }
  const ScatterOp op = kOps[reduce];
  davinci::Scatter command{at_least_1d(sums), positions, from, {}, along, op};
  if (!include_self) {
    davinci::Scatter start = command;
    start.op = ScatterOp::kSet;
    start.src = {};
    start.value = scatter_identity(op, sums.dtype);
    plan.then(std::move(start));
  }
  plan.then(command);
  if (reduce == kMean) {
    add_scatter_mean(plan, command, include_self, at_least_1d(to));
  } else if (sums.data != to.data) {
    add(plan, make_copy(sums, to));
  }
  return plan;
}

Plan put(const aclTensor* self, const aclTensor* index, const aclTensor* source, bool accumulate) {
  const TensorView to = view(self, "selfRef"), positions = view(index, "index");
  const TensorView from = view(source, "source");
  expect_index(positions, "index");
  expect_native(to, "selfRef");
  expect_same_type(to, "selfRef", from, "source");
  expect(positions.numel() == from.numel(), "index has ", positions.numel(),
         " elements and source ", from.numel(), "; they must have equally many");
  expect_distinct_elements(to, "selfRef");
  Plan plan;
  if (positions.numel() == 0) return plan;
  expect(to.numel() != 0, "selfRef, ", base::to_string(to), ", has no elements to put at");
  const TensorView flat = flat_view(plan, to);
  plan.then(davinci::IndexPut{
      flat, {flat_view(plan, positions)}, flat_view(plan, from, from.data == to.data), accumulate});
  if (flat.data != to.data) {
    TensorView copy = contiguous_view(flat.data, to.dtype, Shape::of(to));
    add(plan, make_copy(copy, to));
  }
  return plan;
}

}  // namespace npu::aol
