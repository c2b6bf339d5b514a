// SPDX-License-Identifier: Apache-2.0
// Reductions and scans without a native kernel.
#include "aclnnop/reduce.h"
#include "aclnnop/arithmetic.h"
#include "softnpu/aicpu/aten_call.h"

namespace npu::aicpu {

ACLNN_OP(aclnnComplex, (const aclTensor* real, const aclTensor* imag, aclTensor* out),
         (real, imag, out)) {
  return aicpu("aten::complex.out", real, imag, out);
}
ACLNN_OP(aclnnPolar, (const aclTensor* input, const aclTensor* angle, aclTensor* out),
         (input, angle, out)) {
  return aicpu("aten::polar.out", input, angle, out);
}

}  // namespace npu::aicpu
