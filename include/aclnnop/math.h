// SPDX-License-Identifier: Apache-2.0
// aclnn operators: functions of one tensor, element by element.
#pragma once

#include "aclnnop/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACLNN_DECLARE(aclnnAbs, const aclTensor* self, aclTensor* out);
ACLNN_DECLARE(aclnnAcos, const aclTensor* input, aclTensor* out);
ACLNN_DECLARE(aclnnInplaceAcos, aclTensor* inputRef);
ACLNN_DECLARE(aclnnAcosh, const aclTensor* self, aclTensor* out);
ACLNN_DECLARE(aclnnInplaceAcosh, aclTensor* selfRef);
ACLNN_DECLARE(aclnnAsin, const aclTensor* self, aclTensor* out);
ACLNN_DECLARE(aclnnInplaceAsin, aclTensor* selfRef);
ACLNN_DECLARE(aclnnAsinh, const aclTensor* input, aclTensor* out);
ACLNN_DECLARE(aclnnInplaceAsinh, aclTensor* inputRef);
ACLNN_DECLARE(aclnnAtan, const aclTensor* input, aclTensor* out);
ACLNN_DECLARE(aclnnInplaceAtan, aclTensor* inputRef);
ACLNN_DECLARE(aclnnAtanh, const aclTensor* input, aclTensor* out);
ACLNN_DECLARE(aclnnInplaceAtanh, aclTensor* inputRef);
ACLNN_DECLARE(aclnnCeil, const aclTensor* self, aclTensor* out);
ACLNN_DECLARE(aclnnInplaceCeil, aclTensor* selfRef);
ACLNN_DECLARE(aclnnCos, const aclTensor* input, aclTensor* out);
ACLNN_DECLARE(aclnnInplaceCos, aclTensor* inputRef);
ACLNN_DECLARE(aclnnCosh, const aclTensor* self, aclTensor* out);
ACLNN_DECLARE(aclnnInplaceCosh, aclTensor* selfRef);
ACLNN_DECLARE(aclnnErf, const aclTensor* self, aclTensor* out);
ACLNN_DECLARE(aclnnInplaceErf, aclTensor* selfRef);
ACLNN_DECLARE(aclnnErfc, const aclTensor* self, aclTensor* out);
ACLNN_DECLARE(aclnnInplaceErfc, const aclTensor* selfRef);
ACLNN_DECLARE(aclnnErfinv, const aclTensor* self, aclTensor* out);
ACLNN_DECLARE(aclnnInplaceErfinv, const aclTensor* selfRef);
ACLNN_DECLARE(aclnnExp, const aclTensor* self, aclTensor* out);
ACLNN_DECLARE(aclnnInplaceExp, aclTensor* selfRef);
ACLNN_DECLARE(aclnnExp2, const aclTensor* self, aclTensor* out);
ACLNN_DECLARE(aclnnInplaceExp2, aclTensor* selfRef);
ACLNN_DECLARE(aclnnExpm1, const aclTensor* self, aclTensor* out);
ACLNN_DECLARE(aclnnInplaceExpm1, aclTensor* selfRef);
ACLNN_DECLARE(aclnnFloor, const aclTensor* self, aclTensor* out);
ACLNN_DECLARE(aclnnInplaceFloor, aclTensor* selfRef);
ACLNN_DECLARE(aclnnFrac, const aclTensor* input, aclTensor* out);
ACLNN_DECLARE(aclnnInplaceFrac, aclTensor* inputRef);
ACLNN_DECLARE(aclnnLog, const aclTensor* self, aclTensor* out);
ACLNN_DECLARE(aclnnInplaceLog, aclTensor* selfRef);
ACLNN_DECLARE(aclnnLog10, const aclTensor* self, aclTensor* out);
ACLNN_DECLARE(aclnnInplaceLog10, aclTensor* selfRef);
ACLNN_DECLARE(aclnnLog1p, const aclTensor* self, aclTensor* out);
ACLNN_DECLARE(aclnnInplaceLog1p, aclTensor* selfRef);
ACLNN_DECLARE(aclnnLog2, const aclTensor* self, const aclTensor* out);
ACLNN_DECLARE(aclnnInplaceLog2, const aclTensor* selfRef);
ACLNN_DECLARE(aclnnLogit, const aclTensor* input, double eps, const aclTensor* out);
ACLNN_DECLARE(aclnnLogitGrad, const aclTensor* x, const aclTensor* dy, double eps,
              const aclTensor* out);
ACLNN_DECLARE(aclnnNanToNum, const aclTensor* self, float nan, float posinf, float neginf,
              aclTensor* out);
ACLNN_DECLARE(aclnnInplaceNanToNum, aclTensor* selfRef, float nan, float posinf, float neginf);
ACLNN_DECLARE(aclnnNeg, const aclTensor* self, aclTensor* out);
ACLNN_DECLARE(aclnnReciprocal, const aclTensor* self, aclTensor* out);
ACLNN_DECLARE(aclnnInplaceReciprocal, const aclTensor* selfRef);
ACLNN_DECLARE(aclnnRound, const aclTensor* self, aclTensor* out);
ACLNN_DECLARE(aclnnRoundDecimals, const aclTensor* self, int64_t decimals, aclTensor* out);
ACLNN_DECLARE(aclnnInplaceRoundDecimals, aclTensor* selfRef, int64_t decimals);
ACLNN_DECLARE(aclnnRsqrt, const aclTensor* self, aclTensor* out);
ACLNN_DECLARE(aclnnInplaceRsqrt, aclTensor* selfRef);
ACLNN_DECLARE(aclnnSign, const aclTensor* self, aclTensor* result);
ACLNN_DECLARE(aclnnSignbit, const aclTensor* self, aclTensor* out);
ACLNN_DECLARE(aclnnSin, const aclTensor* self, aclTensor* out);
ACLNN_DECLARE(aclnnInplaceSin, aclTensor* selfRef);
ACLNN_DECLARE(aclnnSinc, const aclTensor* self, aclTensor* out);
ACLNN_DECLARE(aclnnInplaceSinc, aclTensor* selfRef);
ACLNN_DECLARE(aclnnSinh, const aclTensor* self, aclTensor* out);
ACLNN_DECLARE(aclnnInplaceSinh, aclTensor* selfRef);
ACLNN_DECLARE(aclnnSqrt, const aclTensor* self, aclTensor* out);
ACLNN_DECLARE(aclnnInplaceSqrt, aclTensor* self);
ACLNN_DECLARE(aclnnTan, const aclTensor* self, aclTensor* out);
ACLNN_DECLARE(aclnnInplaceTan, const aclTensor* selfRef);
ACLNN_DECLARE(aclnnTrunc, const aclTensor* self, aclTensor* out);

#ifdef __cplusplus
}
#endif
