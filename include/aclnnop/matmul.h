// SPDX-License-Identifier: Apache-2.0
// aclnn operators: matrix products and linear algebra. `cubeMathType` allows the cube unit a lower
// precision.
#pragma once

#include "aclnnop/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACLNN_DECLARE(aclnnAddbmm, const aclTensor* self, const aclTensor* batch1, const aclTensor* batch2,
              const aclScalar* beta, const aclScalar* alpha, aclTensor* out, int8_t cubeMathType);
ACLNN_DECLARE(aclnnAddmm, const aclTensor* self, const aclTensor* mat1, const aclTensor* mat2,
              const aclScalar* beta, const aclScalar* alpha, aclTensor* out, int8_t cubeMathType);
ACLNN_DECLARE(aclnnInplaceAddmm, const aclTensor* selfRef, const aclTensor* mat1,
              const aclTensor* mat2, const aclScalar* beta, const aclScalar* alpha,
              int8_t cubeMathType);
ACLNN_DECLARE(aclnnAddmv, const aclTensor* self, const aclTensor* mat, const aclTensor* vec,
              const aclScalar* alpha, const aclScalar* beta, aclTensor* out, int8_t cubeMathType);
ACLNN_DECLARE(aclnnAddr, const aclTensor* self, const aclTensor* vec1, const aclTensor* vec2,
              const aclScalar* betaOptional, const aclScalar* alphaOptional, aclTensor* out);
ACLNN_DECLARE(aclnnInplaceAddr, aclTensor* selfRef, const aclTensor* vec1, const aclTensor* vec2,
              const aclScalar* betaOptional, const aclScalar* alphaOptional);
ACLNN_DECLARE(aclnnBaddbmm, const aclTensor* self, const aclTensor* batch1, const aclTensor* batch2,
              const aclScalar* beta, const aclScalar* alpha, aclTensor* out, int8_t cubeMathType);
ACLNN_DECLARE(aclnnBatchMatMul, const aclTensor* self, const aclTensor* mat2, aclTensor* out,
              int8_t cubeMathType);
ACLNN_DECLARE(aclnnDot, const aclTensor* self, const aclTensor* tensor, aclTensor* out);
ACLNN_DECLARE(aclnnMatmul, const aclTensor* self, const aclTensor* mat2, aclTensor* out,
              int8_t cubeMathType);
ACLNN_DECLARE(aclnnMm, const aclTensor* self, const aclTensor* mat2, aclTensor* out,
              int8_t cubeMathType);
ACLNN_DECLARE(aclnnMv, const aclTensor* self, const aclTensor* vec, aclTensor* out,
              int8_t cubeMathType);
ACLNN_DECLARE(aclnnTransposeBatchMatMul, const aclTensor* x1, const aclTensor* x2,
              const aclTensor* bias, const aclTensor* scale, const aclIntArray* permX1,
              const aclIntArray* permX2, const aclIntArray* permY, int8_t cubeMathType,
              const int32_t batchSplitFactor, aclTensor* out);
ACLNN_DECLARE(aclnnCdist, const aclTensor* x1, const aclTensor* x2, float p, int64_t compute_mode,
              aclTensor* out);
ACLNN_DECLARE(aclnnCdistBackward, const aclTensor* grad, const aclTensor* x1, const aclTensor* x2,
              const aclTensor* cdist, float p, aclTensor* out);
ACLNN_DECLARE(aclnnPdist, const aclTensor* self, float p, aclTensor* out);
ACLNN_DECLARE(aclnnInverse, const aclTensor* self, aclTensor* out);
ACLNN_DECLARE(aclnnLinalgCholesky, const aclTensor* self, bool upper, aclTensor* out);
ACLNN_DECLARE(aclnnLinalgCross, const aclTensor* self, const aclTensor* other, int64_t dim,
              aclTensor* out);
ACLNN_DECLARE(aclnnLinalgQr, const aclTensor* self, int64_t mode, aclTensor* Q, aclTensor* R);
ACLNN_DECLARE(aclnnSlogdet, const aclTensor* self, aclTensor* signOut, aclTensor* logOut);
ACLNN_DECLARE(aclnnSvd, const aclTensor* input, bool fullMatrices, bool computeUV, aclTensor* sigma,
              aclTensor* u, aclTensor* v);
ACLNN_DECLARE(aclnnTriangularSolve, const aclTensor* self, const aclTensor* A, bool upper,
              bool transpose, bool unitriangular, aclTensor* xOut, aclTensor* mOut);

#ifdef __cplusplus
}
#endif
