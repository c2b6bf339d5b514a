// SPDX-License-Identifier: Apache-2.0
// Softmax and log-softmax.
#include "aclnnop/softmax.h"
#include "softnpu/aol/build/loss.h"

namespace npu::aol {

ACLNN_OP(aclnnSoftmax, (const aclTensor* self, int64_t dim, aclTensor* out), (self, dim, out)) {
  return softmax(self, dim, false, out);
}
ACLNN_OP(aclnnSoftmaxBackward,
         (const aclTensor* gradOutput, const aclTensor* output, int64_t dim, aclTensor* out),
         (gradOutput, output, dim, out)) {
  return softmax_backward(gradOutput, output, dim, false, out);
}
ACLNN_OP(aclnnLogSoftmax, (const aclTensor* self, int64_t dim, aclTensor* out), (self, dim, out)) {
  return softmax(self, dim, true, out);
}
ACLNN_OP(aclnnLogSoftmaxBackward,
         (const aclTensor* gradOutput, const aclTensor* output, int64_t dim, aclTensor* out),
         (gradOutput, output, dim, out)) {
  return softmax_backward(gradOutput, output, dim, true, out);
}

}  // namespace npu::aol
