// SPDX-License-Identifier: Apache-2.0
// Searching, selecting, and results whose shape depends on the data: these are written in the
// client's memory, and its handle has their shape once the stream is synchronised.
#include "aclnnop/index.h"
#include "aclnnop/move.h"
#include "softnpu/aicpu/aten_call.h"

namespace npu::aicpu {
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
