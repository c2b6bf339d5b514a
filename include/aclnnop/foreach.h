// SPDX-License-Identifier: Apache-2.0
// aclnn operators: one function over lists of tensors.
#pragma once

#include "aclnnop/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACLNN_DECLARE(aclnnForeachAbs, const aclTensorList* x, const aclTensorList* out);
ACLNN_DECLARE(aclnnForeachAcos, const aclTensorList* x, const aclTensorList* out);
ACLNN_DECLARE(aclnnForeachAddList, const aclTensorList* x1, const aclTensorList* x2,
              const aclTensor* alpha, aclTensorList* out);
ACLNN_DECLARE(aclnnForeachAddListV2, const aclTensorList* x1, const aclTensorList* x2,
              const aclScalar* alpha, aclTensorList* out);
ACLNN_DECLARE(aclnnForeachAddScalar, const aclTensorList* x, const aclTensor* scalar,
              const aclTensorList* out);
ACLNN_DECLARE(aclnnForeachAddScalarList, const aclTensorList* x, const aclScalarList* scalars,
              const aclTensorList* out);
ACLNN_DECLARE(aclnnForeachAddScalarV2, const aclTensorList* x, const aclScalar* scalar,
              aclTensorList* out);
ACLNN_DECLARE(aclnnForeachAddcdivScalar, const aclTensorList* x1, const aclTensorList* x2,
              const aclTensorList* x3, const aclTensor* scalar, aclTensorList* out);
ACLNN_DECLARE(aclnnForeachAddcdivScalarList, const aclTensorList* x1, const aclTensorList* x2,
              const aclTensorList* x3, const aclTensor* scalars, aclTensorList* out);
ACLNN_DECLARE(aclnnForeachAddcdivScalarV2, const aclTensorList* x1, const aclTensorList* x2,
              const aclTensorList* x3, const aclScalar* scalar, aclTensorList* out);
ACLNN_DECLARE(aclnnForeachAddcmulScalar, const aclTensorList* x1, const aclTensorList* x2,
              const aclTensorList* x3, const aclTensor* scalar, const aclTensorList* out);
ACLNN_DECLARE(aclnnForeachAddcmulScalarList, const aclTensorList* x1, const aclTensorList* x2,
              const aclTensorList* x3, const aclTensor* scalars, const aclTensorList* out);
ACLNN_DECLARE(aclnnForeachAddcmulScalarV2, const aclTensorList* x1, const aclTensorList* x2,
              const aclTensorList* x3, const aclScalar* scalar, aclTensorList* out);
ACLNN_DECLARE(aclnnForeachAsin, const aclTensorList* x, const aclTensorList* out);
ACLNN_DECLARE(aclnnForeachAtan, const aclTensorList* x, const aclTensorList* out);
ACLNN_DECLARE(aclnnForeachCopy, const aclTensorList* x, aclTensorList* out);
ACLNN_DECLARE(aclnnForeachCos, const aclTensorList* x, const aclTensorList* out);
ACLNN_DECLARE(aclnnForeachCosh, const aclTensorList* x, const aclTensorList* out);
ACLNN_DECLARE(aclnnForeachDivList, const aclTensorList* x1, const aclTensorList* x2,
              aclTensorList* out);
ACLNN_DECLARE(aclnnForeachDivScalar, const aclTensorList* x, const aclTensor* scalar,
              aclTensorList* out);
ACLNN_DECLARE(aclnnForeachDivScalarList, const aclTensorList* x, const aclScalarList* scalars,
              const aclTensorList* out);
ACLNN_DECLARE(aclnnForeachDivScalarV2, const aclTensorList* x, const aclScalar* scalar,
              aclTensorList* out);
ACLNN_DECLARE(aclnnForeachErf, const aclTensorList* x, const aclTensorList* out);
ACLNN_DECLARE(aclnnForeachErfc, const aclTensorList* x, const aclTensorList* out);
ACLNN_DECLARE(aclnnForeachExp, const aclTensorList* x, const aclTensorList* out);
ACLNN_DECLARE(aclnnForeachExpm1, const aclTensorList* x, const aclTensorList* out);
ACLNN_DECLARE(aclnnForeachLerpList, const aclTensorList* x1, const aclTensorList* x2,
              const aclTensorList* weight, aclTensorList* out);
ACLNN_DECLARE(aclnnForeachLerpScalar, const aclTensorList* x1, const aclTensorList* x2,
              const aclScalar* weight, aclTensorList* out);
ACLNN_DECLARE(aclnnForeachLog, const aclTensorList* x, const aclTensorList* out);
ACLNN_DECLARE(aclnnForeachLog10, const aclTensorList* x, const aclTensorList* out);
ACLNN_DECLARE(aclnnForeachLog1p, const aclTensorList* x, const aclTensorList* out);
ACLNN_DECLARE(aclnnForeachLog2, const aclTensorList* x, const aclTensorList* out);
ACLNN_DECLARE(aclnnForeachMaximumList, const aclTensorList* x1, const aclTensorList* x2,
              const aclTensorList* out);
ACLNN_DECLARE(aclnnForeachMaximumScalar, const aclTensorList* x, const aclTensor* scalar,
              const aclTensorList* out);
ACLNN_DECLARE(aclnnForeachMaximumScalarList, const aclTensorList* x, const aclScalarList* scalars,
              const aclTensorList* out);
ACLNN_DECLARE(aclnnForeachMaximumScalarV2, const aclTensorList* x, const aclScalar* scalar,
              aclTensorList* out);
ACLNN_DECLARE(aclnnForeachMinimumList, const aclTensorList* x1, const aclTensorList* x2,
              const aclTensorList* out);
ACLNN_DECLARE(aclnnForeachMinimumScalar, const aclTensorList* x, const aclTensor* scalar,
              const aclTensorList* out);
ACLNN_DECLARE(aclnnForeachMinimumScalarList, const aclTensorList* x, const aclScalarList* scalars,
              const aclTensorList* out);
ACLNN_DECLARE(aclnnForeachMinimumScalarV2, const aclTensorList* x, const aclScalar* scalar,
              aclTensorList* out);
ACLNN_DECLARE(aclnnForeachMulList, const aclTensorList* x1, const aclTensorList* x2,
              aclTensorList* out);
ACLNN_DECLARE(aclnnForeachMulScalar, const aclTensorList* x, const aclTensor* scalar,
              const aclTensorList* out);
ACLNN_DECLARE(aclnnForeachMulScalarList, const aclTensorList* x, const aclScalarList* scalars,
              const aclTensorList* out);
ACLNN_DECLARE(aclnnForeachMulScalarV2, const aclTensorList* x, const aclScalar* scalar,
              aclTensorList* out);
ACLNN_DECLARE(aclnnForeachNeg, const aclTensorList* x, const aclTensorList* out);
ACLNN_DECLARE(aclnnForeachNorm, const aclTensorList* x, const aclScalar* scalar,
              const aclTensorList* out);
ACLNN_DECLARE(aclnnForeachPowList, const aclTensorList* x1, const aclTensorList* x2,
              const aclTensorList* out);
ACLNN_DECLARE(aclnnForeachPowScalar, const aclTensorList* x, const aclTensor* scalar,
              const aclTensorList* out);
ACLNN_DECLARE(aclnnForeachPowScalarAndTensor, const aclScalar* scalar, const aclTensorList* x,
              const aclTensorList* out);
ACLNN_DECLARE(aclnnForeachPowScalarList, const aclTensorList* x, const aclScalarList* scalars,
              const aclTensorList* out);
ACLNN_DECLARE(aclnnForeachPowScalarV2, const aclTensorList* x, const aclScalar* scalar,
              aclTensorList* out);
ACLNN_DECLARE(aclnnForeachReciprocal, const aclTensorList* x, const aclTensorList* out);
ACLNN_DECLARE(aclnnForeachRoundOffNumber, const aclTensorList* x, const aclTensor* roundMode,
              const aclTensorList* out);
ACLNN_DECLARE(aclnnForeachRoundOffNumberV2, const aclTensorList* x, const aclScalar* roundMode,
              aclTensorList* out);
ACLNN_DECLARE(aclnnForeachSigmoid, const aclTensorList* x, const aclTensorList* out);
ACLNN_DECLARE(aclnnForeachSign, const aclTensorList* x, const aclTensorList* out);
ACLNN_DECLARE(aclnnForeachSin, const aclTensorList* x, const aclTensorList* out);
ACLNN_DECLARE(aclnnForeachSinh, const aclTensorList* x, const aclTensorList* out);
ACLNN_DECLARE(aclnnForeachSqrt, const aclTensorList* x, aclTensorList* out);
ACLNN_DECLARE(aclnnForeachSubList, const aclTensorList* x1, const aclTensorList* x2,
              const aclTensor* alpha, const aclTensorList* out);
ACLNN_DECLARE(aclnnForeachSubListV2, const aclTensorList* x1, const aclTensorList* x2,
              const aclScalar* alpha, aclTensorList* out);
ACLNN_DECLARE(aclnnForeachSubScalar, const aclTensorList* x, const aclTensor* scalar,
              const aclTensorList* out);
ACLNN_DECLARE(aclnnForeachSubScalarList, const aclTensorList* x, const aclScalarList* scalars,
              const aclTensorList* out);
ACLNN_DECLARE(aclnnForeachSubScalarV2, const aclTensorList* x, const aclScalar* scalar,
              aclTensorList* out);
ACLNN_DECLARE(aclnnForeachTan, const aclTensorList* x, const aclTensorList* out);
ACLNN_DECLARE(aclnnForeachTanh, const aclTensorList* x, const aclTensorList* out);
ACLNN_DECLARE(aclnnForeachZeroInplace, const aclTensorList* x);

#ifdef __cplusplus
}
#endif
