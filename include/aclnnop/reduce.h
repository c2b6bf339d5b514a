// SPDX-License-Identifier: Apache-2.0
// aclnn operators: reductions and scans.
#pragma once

#include "aclnnop/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACLNN_DECLARE(aclnnAll, const aclTensor* self, const aclIntArray* dim, bool keepdim,
              aclTensor* out);
ACLNN_DECLARE(aclnnAmax, const aclTensor* self, const aclIntArray* dim, bool keepDim,
              aclTensor* out);
ACLNN_DECLARE(aclnnAmin, const aclTensor* self, const aclIntArray* dim, bool keepDim,
              aclTensor* out);
ACLNN_DECLARE(aclnnAminmax, const aclTensor* self, const aclIntArray* dim, bool keepDim,
              aclTensor* minOut, aclTensor* maxOut);
ACLNN_DECLARE(aclnnAminmaxAll, const aclTensor* self, aclTensor* minOut, aclTensor* maxOut);
ACLNN_DECLARE(aclnnAminmaxDim, const aclTensor* self, int64_t dim, bool keepDim, aclTensor* minOut,
              aclTensor* maxOut);
ACLNN_DECLARE(aclnnAny, const aclTensor* self, const aclIntArray* dim, bool keepdim,
              aclTensor* out);
ACLNN_DECLARE(aclnnArgMax, const aclTensor* self, int64_t dim, bool keepdim, aclTensor* out);
ACLNN_DECLARE(aclnnArgMin, const aclTensor* self, int64_t dim, bool keepdim, aclTensor* out);
ACLNN_DECLARE(aclnnBincount, const aclTensor* self, const aclTensor* weights, int64_t minlength,
              aclTensor* out);
ACLNN_DECLARE(aclnnCummax, const aclTensor* self, int64_t dim, aclTensor* valuesOut,
              aclTensor* indicesOut);
ACLNN_DECLARE(aclnnCummin, const aclTensor* self, int64_t dim, aclTensor* valuesOut,
              aclTensor* indicesOut);
ACLNN_DECLARE(aclnnCumprod, const aclTensor* input, const aclScalar* dim, const aclDataType dtype,
              aclTensor* out);
ACLNN_DECLARE(aclnnCumsum, const aclTensor* self, int64_t dim, aclDataType dtype, aclTensor* out);
ACLNN_DECLARE(aclnnHistc, const aclTensor* self, int64_t bins, const aclScalar* min,
              const aclScalar* max, aclTensor* out);
ACLNN_DECLARE(aclnnKthvalue, const aclTensor* self, int64_t k, int64_t dim, bool keepdim,
              aclTensor* valuesOut, aclTensor* indicesOut);
ACLNN_DECLARE(aclnnLinalgVectorNorm, const aclTensor* self, const aclScalar* ord,
              const aclIntArray* dims, bool keepDims, const aclDataType dtype, aclTensor* out);
ACLNN_DECLARE(aclnnLogSumExp, const aclTensor* self, const aclIntArray* dim, bool keepDim,
              aclTensor* out);
ACLNN_DECLARE(aclnnMax, const aclTensor* self, aclTensor* out);
ACLNN_DECLARE(aclnnMaxDim, const aclTensor* self, int64_t dim, bool keepdim, aclTensor* out,
              aclTensor* indices);
ACLNN_DECLARE(aclnnMean, const aclTensor* self, const aclIntArray* dim, bool keepDim,
              aclDataType dtype, aclTensor* out);
ACLNN_DECLARE(aclnnMedian, const aclTensor* self, aclTensor* valuesOut);
ACLNN_DECLARE(aclnnMedianDim, const aclTensor* self, int64_t dim, bool keepDim,
              aclTensor* valuesOut, aclTensor* indicesOut);
ACLNN_DECLARE(aclnnMin, const aclTensor* self, aclTensor* out);
ACLNN_DECLARE(aclnnMinDim, const aclTensor* self, int64_t dim, bool keepdim, aclTensor* out,
              aclTensor* indices);
ACLNN_DECLARE(aclnnNanMedian, const aclTensor* self, aclTensor* out);
ACLNN_DECLARE(aclnnNanMedianDim, const aclTensor* self, int64_t dim, bool keepDim,
              aclTensor* valuesOut, aclTensor* indicesOut);
ACLNN_DECLARE(aclnnNorm, const aclTensor* self, const aclScalar* pScalar, const aclIntArray* dim,
              bool keepdim, aclTensor* out);
ACLNN_DECLARE(aclnnProd, const aclTensor* self, const aclDataType dtype, aclTensor* out);
ACLNN_DECLARE(aclnnProdDim, const aclTensor* self, int64_t dim, bool keepDim,
              const aclDataType dtype, aclTensor* out);
ACLNN_DECLARE(aclnnReduceNansum, const aclTensor* self, const aclIntArray* dim, bool keepDim,
              aclDataType dtype, aclTensor* out);
ACLNN_DECLARE(aclnnReduceSum, const aclTensor* self, const aclIntArray* dims, bool keepDims,
              aclDataType dtype, aclTensor* out);
ACLNN_DECLARE(aclnnRenorm, const aclTensor* self, const aclScalar* p, int64_t dim,
              const aclScalar* maxNorm, aclTensor* out);
ACLNN_DECLARE(aclnnInplaceRenorm, aclTensor* selfRef, const aclScalar* p, int64_t dim,
              const aclScalar* maxNorm);
ACLNN_DECLARE(aclnnStd, const aclTensor* self, const aclIntArray* dim, int64_t correction,
              bool keepdim, aclTensor* out);
ACLNN_DECLARE(aclnnStdMeanCorrection, const aclTensor* self, const aclIntArray* dim,
              int64_t correction, bool keepdim, aclTensor* stdOut, aclTensor* meanOut);
ACLNN_DECLARE(aclnnTrace, const aclTensor* self, aclTensor* out);
ACLNN_DECLARE(aclnnVarCorrection, const aclTensor* self, const aclIntArray* dim, int64_t correction,
              bool keepdim, aclTensor* out);
ACLNN_DECLARE(aclnnVarMean, const aclTensor* self, const aclIntArray* dim, int64_t correction,
              bool keepdim, aclTensor* varOut, aclTensor* meanOut);

#ifdef __cplusplus
}
#endif
