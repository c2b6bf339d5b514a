// SPDX-License-Identifier: Apache-2.0
// Linear algebra.
#include "aclnnop/matmul.h"
#include "softnpu/aicpu/aten_call.h"

namespace npu::aicpu {

ACLNN_OP(aclnnCdist,
         (const aclTensor* x1, const aclTensor* x2, float p, int64_t compute_mode, aclTensor* out),
         (x1, x2, p, compute_mode, out)) {
  return aicpu("aten::cdist", x1, x2, p, compute_mode, out);
}
ACLNN_OP(aclnnCdistBackward,
         (const aclTensor* grad, const aclTensor* x1, const aclTensor* x2, const aclTensor* cdist,
          float p, aclTensor* out),
         (grad, x1, x2, cdist, p, out)) {
  return aicpu("aten::_cdist_backward", grad, x1, x2, p, cdist, out);
}
ACLNN_OP(aclnnInverse, (const aclTensor* self, aclTensor* out), (self, out)) {
  return aicpu("aten::linalg_inv.out", self, out);
}
ACLNN_OP(aclnnLinalgCholesky, (const aclTensor* self, bool upper, aclTensor* out),
         (self, upper, out)) {
  return aicpu("aten::linalg_cholesky.out", self, upper, out);
}
ACLNN_OP(aclnnLinalgCross,
         (const aclTensor* self, const aclTensor* other, int64_t dim, aclTensor* out),
         (self, other, dim, out)) {
  return aicpu("aten::linalg_cross.out", self, other, dim, out);
}
ACLNN_OP(aclnnPdist, (const aclTensor* self, float p, aclTensor* out), (self, p, out)) {
  return aicpu("aten::pdist", self, p, out);
}
ACLNN_OP(aclnnSlogdet, (const aclTensor* self, aclTensor* signOut, aclTensor* logOut),
         (self, signOut, logOut)) {
  return aicpu("aten::slogdet", self, signOut, logOut);
}
ACLNN_OP(aclnnTriangularSolve,
         (const aclTensor* self, const aclTensor* A, bool upper, bool transpose, bool unitriangular,
          aclTensor* xOut, aclTensor* mOut),
         (self, A, upper, transpose, unitriangular, xOut, mOut)) {
  return aicpu("aten::triangular_solve.X", self, A, upper, transpose, unitriangular, xOut, mOut);
}

}  // namespace npu::aicpu
