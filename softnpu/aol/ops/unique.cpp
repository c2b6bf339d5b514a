// SPDX-License-Identifier: Apache-2.0
// The different elements or slices of a tensor. Outputs are described with the most that can come.
#include "softnpu/davinci/unique.h"

#include "aclnnop/index.h"
#include "softnpu/aol/build/selected.h"
#include "softnpu/aol/build/shape.h"
#include "softnpu/aol/build/types.h"

namespace npu::ge {

// clang-format off
void visit(davinci::Unique& c, auto v) { v.read(c.in); v.write(c.values, c.inverse, c.counts); }
// clang-format on

}  // namespace npu::ge

namespace npu::aol {
namespace {

constexpr int kFlat = -1;
constexpr int64_t kNoDimension = 1000;  // as CANN's clients write "the flattened tensor"

/// An output that is not asked for has no elements in the end.
TensorView wanted_output(const aclTensor* out, bool wanted, const char* role) {
  if (!wanted) {
    tie_size(out, 0, make_selected(0));
    return {};
  }
  const TensorView to = view(out, role);
  expect_type(to, {DType::kInt64}, role);
  expect(to.is_contiguous(), role, " is ", base::to_string(to), "; it must be contiguous");
  return to;
}

Plan unique(const aclTensor* self, int dim, bool consecutive, const aclTensor* values,
            const aclTensor* inverse, bool with_inverse, const aclTensor* counts,
            bool with_counts) {
  const TensorView in = view(self, "self"), to = view(values, "valueOut");
  expect_native(in, "self");
  expect_same_type(in, "self", to, "valueOut");
  expect(to.is_contiguous(), "valueOut is ", base::to_string(to), "; it must be contiguous");
  davinci::Unique command{in, to, {}, {}, dim, consecutive, make_selected()};
  const int64_t items = dim == kFlat ? in.numel() : in.dims[dim];
  command.inverse = wanted_output(inverse, with_inverse, "inverseOut");
  command.counts = wanted_output(counts, with_counts, "countsOut");
  if (dim == kFlat) {
    expect_shape(to, {items}, "valueOut");
    if (with_inverse) expect_shape(command.inverse, Shape::of(in), "inverseOut");
  } else {
    expect_shape(to, Shape::of(in), "valueOut");
    if (with_inverse) expect_shape(command.inverse, {items}, "inverseOut");
  }
  if (with_counts) expect_shape(command.counts, {items}, "countsOut");
  expect_no_overlap(to, "valueOut", in, "self");
  expect(in.numel() < int64_t{1} << 32, "self has ", in.numel(), " elements; 2^32 are too many");
  tie_size(values, dim == kFlat ? 0 : dim, command.selected);
  if (with_counts) tie_size(counts, 0, command.selected);
  if (in.numel() == 0) {
    expect(items == 0 || dim == kFlat, "self is ", base::to_string(in),
           "; slices without elements cannot be told apart");
    command.selected->store(0);
    return {};
  }
  return command;
}

}  // namespace

ACLNN_OP(aclnnUnique,
         (const aclTensor* self, bool sorted, bool returnInverse, aclTensor* valueOut,
          aclTensor* inverseOut),
         (self, sorted, returnInverse, valueOut, inverseOut)) {
  return unique(self, kFlat, false, valueOut, inverseOut, returnInverse, nullptr, false);
}
ACLNN_OP(aclnnUnique2,
         (const aclTensor* self, bool sorted, bool returnInverse, bool returnCounts,
          aclTensor* valueOut, aclTensor* inverseOut, aclTensor* countsOut),
         (self, sorted, returnInverse, returnCounts, valueOut, inverseOut, countsOut)) {
  return unique(self, kFlat, false, valueOut, inverseOut, returnInverse, countsOut, returnCounts);
}
ACLNN_OP(aclnnUniqueConsecutive,
         (const aclTensor* self, bool returnInverse, bool returnCounts, int64_t dim,
          aclTensor* valueOut, aclTensor* inverseOut, aclTensor* countsOut),
         (self, returnInverse, returnCounts, dim, valueOut, inverseOut, countsOut)) {
  const int rank = view(self, "self").rank;
  const bool flat = dim == kNoDimension || rank == 0;
  return unique(self, flat ? kFlat : wrap_dim(dim, rank, "dim"), true, valueOut, inverseOut,
                returnInverse, countsOut, returnCounts);
}
ACLNN_OP(aclnnUniqueDim,
         (const aclTensor* self, bool sorted, bool returnInverse, int64_t dim, aclTensor* valueOut,
          aclTensor* inverseOut, aclTensor* countsOut),
         (self, sorted, returnInverse, dim, valueOut, inverseOut, countsOut)) {
  const TensorView in = view(self, "self");
  expect_rank(in, 1, base::kMaxRank, "self");
  return unique(self, wrap_dim(dim, in.rank, "dim"), false, valueOut, inverseOut, returnInverse,
                countsOut, countsOut != nullptr);
}

}  // namespace npu::aol
