// SPDX-License-Identifier: Apache-2.0
// Moves without a native kernel.
#include "aclnnop/move.h"
#include "softnpu/aicpu/aten_call.h"

namespace npu::aicpu {

ACLNN_OP(aclnnUnfoldGrad,
         (const aclTensor* gradOut, const aclIntArray* inputSizes, int64_t dim, int64_t size,
          int64_t step, const aclTensor* gradIn),
         (gradOut, inputSizes, dim, size, step, gradIn)) {
  return aicpu("aten::unfold_backward.out", gradOut, inputSizes, dim, size, step, gradIn);
}

}  // namespace npu::aicpu
