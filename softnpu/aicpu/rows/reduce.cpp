// SPDX-License-Identifier: Apache-2.0
// Reductions and scans without a native kernel.
#include "aclnnop/reduce.h"
#include "aclnnop/arithmetic.h"
#include "softnpu/aicpu/aten_call.h"

namespace npu::aicpu {

ACLNN_OP(aclnnBincount,
         (const aclTensor* self, const aclTensor* weights, int64_t minlength, aclTensor* out),
         (self, weights, minlength, out)) {
  return aicpu("aten::bincount", self, weights, minlength, out);
}
ACLNN_OP(aclnnComplex, (const aclTensor* real, const aclTensor* imag, aclTensor* out),
         (real, imag, out)) {
  return aicpu("aten::complex.out", real, imag, out);
}
ACLNN_OP(aclnnCummax,
         (const aclTensor* self, int64_t dim, aclTensor* valuesOut, aclTensor* indicesOut),
         (self, dim, valuesOut, indicesOut)) {
  return aicpu("aten::cummax.out", self, dim, valuesOut, indicesOut);
}
ACLNN_OP(aclnnCummin,
         (const aclTensor* self, int64_t dim, aclTensor* valuesOut, aclTensor* indicesOut),
         (self, dim, valuesOut, indicesOut)) {
  return aicpu("aten::cummin.out", self, dim, valuesOut, indicesOut);
}
ACLNN_OP(aclnnCumprod,
         (const aclTensor* input, const aclScalar* dim, const aclDataType dtype, aclTensor* out),
         (input, dim, dtype, out)) {
  return aicpu("aten::cumprod.out", input, dim, dtype, out);
}
ACLNN_OP(aclnnHistc,
         (const aclTensor* self, int64_t bins, const aclScalar* min, const aclScalar* max,
          aclTensor* out),
         (self, bins, min, max, out)) {
  return aicpu("aten::histc.out", self, bins, min, max, out);
}
ACLNN_OP(aclnnInplaceRenorm,
         (aclTensor * selfRef, const aclScalar* p, int64_t dim, const aclScalar* maxNorm),
         (selfRef, p, dim, maxNorm)) {
  return aicpu("aten::renorm_", selfRef, p, dim, maxNorm);
}
ACLNN_OP(aclnnKthvalue,
         (const aclTensor* self, int64_t k, int64_t dim, bool keepdim, aclTensor* valuesOut,
          aclTensor* indicesOut),
         (self, k, dim, keepdim, valuesOut, indicesOut)) {
  return aicpu("aten::kthvalue.values", self, k, dim, keepdim, valuesOut, indicesOut);
}
ACLNN_OP(aclnnMedian, (const aclTensor* self, aclTensor* valuesOut), (self, valuesOut)) {
  return aicpu("aten::median", self, valuesOut);
}
ACLNN_OP(aclnnMedianDim,
         (const aclTensor* self, int64_t dim, bool keepDim, aclTensor* valuesOut,
          aclTensor* indicesOut),
         (self, dim, keepDim, valuesOut, indicesOut)) {
  return aicpu("aten::median.dim_values", self, dim, keepDim, valuesOut, indicesOut);
}
ACLNN_OP(aclnnNanMedian, (const aclTensor* self, aclTensor* out), (self, out)) {
  return aicpu("aten::nanmedian", self, out);
}
ACLNN_OP(aclnnNanMedianDim,
         (const aclTensor* self, int64_t dim, bool keepDim, aclTensor* valuesOut,
          aclTensor* indicesOut),
         (self, dim, keepDim, valuesOut, indicesOut)) {
  return aicpu("aten::nanmedian.dim_values", self, dim, keepDim, valuesOut, indicesOut);
}
ACLNN_OP(aclnnPolar, (const aclTensor* input, const aclTensor* angle, aclTensor* out),
         (input, angle, out)) {
  return aicpu("aten::polar.out", input, angle, out);
}
ACLNN_OP(aclnnRenorm,
         (const aclTensor* self, const aclScalar* p, int64_t dim, const aclScalar* maxNorm,
          aclTensor* out),
         (self, p, dim, maxNorm, out)) {
  return aicpu("aten::renorm.out", self, p, dim, maxNorm, out);
}

}  // namespace npu::aicpu
