// SPDX-License-Identifier: Apache-2.0
// Searching, selecting, and results whose shape depends on the data: these are written in the
// client's memory, and its handle has their shape once the stream is synchronised.
#include <array>

#include "aclnnop/index.h"
#include "aclnnop/move.h"
#include "softnpu/aicpu/aten_call.h"
#include "softnpu/aol/build/args.h"

namespace npu::aicpu {
namespace {

aol::Plan scatter_reduce(const aclTensor* self, int64_t dim, const aclTensor* index,
                         const aclTensor* src, int64_t reduce, bool include_self, aclTensor* out) {
  constexpr std::array<const char*, 6> kWords = {nullptr, "sum", "prod", "amax", "amin", "mean"};
  aol::expect(reduce >= 0 && reduce < static_cast<int64_t>(kWords.size()), "reduce is ", reduce,
              "; it must be 0 (replace), 1 (add), 2 (multiply), 3 (max), 4 (min) or 5 (mean)");
  if (reduce == 0) return aicpu("aten::scatter.src_out", self, dim, index, src, out);
  return aicpu("aten::scatter_reduce.two_out", self, dim, index, src,
               kWords[static_cast<size_t>(reduce)], include_self, out);
}

}  // namespace

ACLNN_OP(aclnnBucketize,
         (const aclTensor* self, const aclTensor* boundaries, bool outInt32, bool right,
          aclTensor* out),
         (self, boundaries, outInt32, right, out)) {
  return aicpu("aten::bucketize.Tensor_out", self, boundaries, outInt32, right, out);
}
ACLNN_OP(aclnnInplaceMaskedScatter,
         (aclTensor * selfRef, const aclTensor* mask, const aclTensor* source),
         (selfRef, mask, source)) {
  return aicpu("aten::masked_scatter_", selfRef, mask, source);
}
ACLNN_OP(aclnnInplacePut,
         (aclTensor * selfRef, const aclTensor* index, const aclTensor* source, bool accumulate),
         (selfRef, index, source, accumulate)) {
  return aicpu("aten::put_", selfRef, index, source, accumulate);
}
ACLNN_OP(aclnnRepeatInterleave,
         (const aclTensor* self, const aclTensor* repeats, int64_t outputSize, aclTensor* out),
         (self, repeats, outputSize, out)) {
  return aicpu("aten::repeat_interleave.self_Tensor", self, repeats, std::nullopt, outputSize, out);
}
ACLNN_OP(aclnnRepeatInterleaveTensor,
         (const aclTensor* repeats, int64_t outputSize, aclTensor* out),
         (repeats, outputSize, out)) {
  return aicpu("aten::repeat_interleave.Tensor", repeats, outputSize, out);
}
ACLNN_OP(aclnnRepeatInterleaveWithDim,
         (const aclTensor* self, const aclTensor* repeats, int64_t dim, int64_t outputSize,
          aclTensor* out),
         (self, repeats, dim, outputSize, out)) {
  return aicpu("aten::repeat_interleave.self_Tensor", self, repeats, dim, outputSize, out);
}
ACLNN_OP(aclnnScatterReduce,
         (const aclTensor* self, int64_t dim, const aclTensor* index, const aclTensor* src,
          int64_t reduce, bool includeSelf, aclTensor* out),
         (self, dim, index, src, reduce, includeSelf, out)) {
  return scatter_reduce(self, dim, index, src, reduce, includeSelf, out);
}
ACLNN_OP(aclnnInplaceScatterReduce,
         (aclTensor * selfRef, int64_t dim, const aclTensor* index, const aclTensor* src,
          int64_t reduce, bool includeSelf),
         (selfRef, dim, index, src, reduce, includeSelf)) {
  return scatter_reduce(selfRef, dim, index, src, reduce, includeSelf, selfRef);
}
ACLNN_OP(aclnnSearchSorted,
         (const aclTensor* sortedSequence, const aclTensor* self, bool outInt32, bool right,
          const aclTensor* sorter, aclTensor* out),
         (sortedSequence, self, outInt32, right, sorter, out)) {
  return aicpu("aten::searchsorted.Tensor_out", sortedSequence, self, outInt32, right, std::nullopt,
               sorter, out);
}
ACLNN_OP(aclnnSearchSorteds,
         (const aclTensor* sortedSequence, const aclScalar* self, bool outInt32, bool right,
          const aclTensor* sorter, aclTensor* out),
         (sortedSequence, self, outInt32, right, sorter, out)) {
  return aicpu("aten::searchsorted.Scalar_out", sortedSequence, self, outInt32, right, std::nullopt,
               sorter, out);
}
ACLNN_OP(aclnnUnique,
         (const aclTensor* self, bool sorted, bool returnInverse, aclTensor* valueOut,
          aclTensor* inverseOut),
         (self, sorted, returnInverse, valueOut, inverseOut)) {
  return aicpu("aten::_unique", self, sorted, returnInverse, valueOut, inverseOut);
}
ACLNN_OP(aclnnUnique2,
         (const aclTensor* self, bool sorted, bool returnInverse, bool returnCounts,
          aclTensor* valueOut, aclTensor* inverseOut, aclTensor* countsOut),
         (self, sorted, returnInverse, returnCounts, valueOut, inverseOut, countsOut)) {
  return aicpu("aten::_unique2", self, sorted, returnInverse, returnCounts, valueOut, inverseOut,
               countsOut);
}
ACLNN_OP(aclnnUniqueConsecutive,
         (const aclTensor* self, bool returnInverse, bool returnCounts, int64_t dim,
          aclTensor* valueOut, aclTensor* inverseOut, aclTensor* countsOut),
         (self, returnInverse, returnCounts, dim, valueOut, inverseOut, countsOut)) {
  constexpr int64_t kNoDimension = 1000;  // as CANN's clients write "the flattened tensor"
  const aol::Argument along = dim == kNoDimension ? aol::Argument() : aol::Argument(dim);
  return aicpu("aten::unique_consecutive", self, returnInverse, returnCounts, along, valueOut,
               inverseOut, countsOut);
}
ACLNN_OP(aclnnUniqueDim,
         (const aclTensor* self, bool sorted, bool returnInverse, int64_t dim, aclTensor* valueOut,
          aclTensor* inverseOut, aclTensor* countsOut),
         (self, sorted, returnInverse, dim, valueOut, inverseOut, countsOut)) {
  const bool with_counts = countsOut != nullptr;
  return aicpu("aten::unique_dim", self, dim, sorted, returnInverse, with_counts, valueOut,
               inverseOut, countsOut);
}

ACLNN_OP(aclnnUnfoldGrad,
         (const aclTensor* gradOut, const aclIntArray* inputSizes, int64_t dim, int64_t size,
          int64_t step, const aclTensor* gradIn),
         (gradOut, inputSizes, dim, size, step, gradIn)) {
  return aicpu("aten::unfold_backward.out", gradOut, inputSizes, dim, size, step, gradIn);
}

}  // namespace npu::aicpu
