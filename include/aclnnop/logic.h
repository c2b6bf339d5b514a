// SPDX-License-Identifier: Apache-2.0
// aclnn operators: comparisons, logic, bits and choices.
#pragma once

#include "aclnnop/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACLNN_DECLARE(aclnnEqScalar, const aclTensor* self, const aclScalar* other, aclTensor* out);
ACLNN_DECLARE(aclnnInplaceEqScalar, const aclTensor* selfRef, const aclScalar* other);
ACLNN_DECLARE(aclnnEqTensor, const aclTensor* self, const aclTensor* other, aclTensor* out);
ACLNN_DECLARE(aclnnInplaceEqTensor, const aclTensor* selfRef, const aclTensor* other);
ACLNN_DECLARE(aclnnNeScalar, const aclTensor* self, const aclScalar* other, aclTensor* out);
ACLNN_DECLARE(aclnnInplaceNeScalar, aclTensor* selfRef, const aclScalar* other);
ACLNN_DECLARE(aclnnNeTensor, const aclTensor* self, const aclTensor* other, aclTensor* out);
ACLNN_DECLARE(aclnnInplaceNeTensor, aclTensor* selfRef, const aclTensor* other);
ACLNN_DECLARE(aclnnLtScalar, const aclTensor* self, const aclScalar* other, aclTensor* out);
ACLNN_DECLARE(aclnnInplaceLtScalar, const aclTensor* selfRef, const aclScalar* other);
ACLNN_DECLARE(aclnnLtTensor, const aclTensor* self, const aclTensor* other, aclTensor* out);
ACLNN_DECLARE(aclnnInplaceLtTensor, const aclTensor* selfRef, const aclTensor* other);
ACLNN_DECLARE(aclnnLeScalar, const aclTensor* self, const aclScalar* other, aclTensor* out);
ACLNN_DECLARE(aclnnInplaceLeScalar, aclTensor* selfRef, const aclScalar* other);
ACLNN_DECLARE(aclnnLeTensor, const aclTensor* self, const aclTensor* other, aclTensor* out);
ACLNN_DECLARE(aclnnInplaceLeTensor, aclTensor* selfRef, const aclTensor* other);
ACLNN_DECLARE(aclnnGtScalar, const aclTensor* self, const aclScalar* other, aclTensor* out);
ACLNN_DECLARE(aclnnInplaceGtScalar, aclTensor* selfRef, const aclScalar* other);
ACLNN_DECLARE(aclnnGtTensor, const aclTensor* self, const aclTensor* other, aclTensor* out);
ACLNN_DECLARE(aclnnInplaceGtTensor, const aclTensor* selfRef, const aclTensor* other);
ACLNN_DECLARE(aclnnGeScalar, const aclTensor* self, const aclScalar* other, aclTensor* out);
ACLNN_DECLARE(aclnnInplaceGeScalar, aclTensor* selfRef, const aclScalar* other);
ACLNN_DECLARE(aclnnGeTensor, const aclTensor* self, const aclTensor* other, aclTensor* out);
ACLNN_DECLARE(aclnnInplaceGeTensor, aclTensor* selfRef, const aclTensor* other);
ACLNN_DECLARE(aclnnEqual, const aclTensor* self, const aclTensor* other, aclTensor* out);
ACLNN_DECLARE(aclnnIsClose, const aclTensor* self, const aclTensor* other, double rtol, double atol,
              bool equalNan, aclTensor* out);
ACLNN_DECLARE(aclnnIsFinite, const aclTensor* self, aclTensor* out);
ACLNN_DECLARE(aclnnIsInScalarTensor, const aclScalar* element, const aclTensor* testElements,
              bool assumeUnique, bool invert, aclTensor* out);
ACLNN_DECLARE(aclnnIsInTensorScalar, const aclTensor* element, const aclScalar* testElement,
              bool assumeUnique, bool invert, aclTensor* out);
ACLNN_DECLARE(aclnnIsNegInf, const aclTensor* self, aclTensor* out);
ACLNN_DECLARE(aclnnIsPosInf, const aclTensor* self, aclTensor* out);
ACLNN_DECLARE(aclnnLogicalAnd, const aclTensor* self, const aclTensor* other, aclTensor* out);
ACLNN_DECLARE(aclnnInplaceLogicalAnd, aclTensor* selfRef, const aclTensor* other);
ACLNN_DECLARE(aclnnLogicalNot, const aclTensor* self, aclTensor* out);
ACLNN_DECLARE(aclnnInplaceLogicalNot, aclTensor* selfRef);
ACLNN_DECLARE(aclnnLogicalOr, const aclTensor* self, const aclTensor* other, aclTensor* out);
ACLNN_DECLARE(aclnnInplaceLogicalOr, aclTensor* selfRef, const aclTensor* other);
ACLNN_DECLARE(aclnnLogicalXor, const aclTensor* self, const aclTensor* other, aclTensor* out);
ACLNN_DECLARE(aclnnBitwiseAndScalar, const aclTensor* self, const aclScalar* other, aclTensor* out);
ACLNN_DECLARE(aclnnInplaceBitwiseAndScalar, const aclTensor* selfRef, const aclScalar* other);
ACLNN_DECLARE(aclnnBitwiseAndTensor, const aclTensor* self, const aclTensor* other, aclTensor* out);
ACLNN_DECLARE(aclnnInplaceBitwiseAndTensor, const aclTensor* selfRef, const aclTensor* other);
ACLNN_DECLARE(aclnnBitwiseNot, const aclTensor* self, aclTensor* out);
ACLNN_DECLARE(aclnnBitwiseOrScalar, const aclTensor* self, const aclScalar* other, aclTensor* out);
ACLNN_DECLARE(aclnnBitwiseOrTensor, const aclTensor* self, const aclTensor* other, aclTensor* out);
ACLNN_DECLARE(aclnnBitwiseXorScalar, const aclTensor* self, const aclScalar* other, aclTensor* out);
ACLNN_DECLARE(aclnnInplaceBitwiseXorScalar, aclTensor* selfRef, const aclScalar* other);
ACLNN_DECLARE(aclnnBitwiseXorTensor, const aclTensor* self, const aclTensor* other, aclTensor* out);
ACLNN_DECLARE(aclnnInplaceBitwiseXorTensor, aclTensor* selfRef, const aclTensor* other);
ACLNN_DECLARE(aclnnLeftShift, const aclTensor* self, const aclTensor* shiftBits, aclTensor* out);
ACLNN_DECLARE(aclnnLeftShifts, const aclTensor* self, const aclScalar* shiftBits, aclTensor* out);
ACLNN_DECLARE(aclnnRightShift, const aclTensor* input, const aclTensor* shiftBits, aclTensor* out);
ACLNN_DECLARE(aclnnSWhere, const aclTensor* condition, const aclTensor* self,
              const aclTensor* other, aclTensor* out);

#ifdef __cplusplus
}
#endif
