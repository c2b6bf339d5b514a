// SPDX-License-Identifier: Apache-2.0
// aclnn operators: arithmetic on one or two tensors, with numbers, and in place; broadcasting as in
// PyTorch.
#pragma once

#include "aclnnop/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACLNN_DECLARE(aclnnAdd, const aclTensor* self, const aclTensor* other, const aclScalar* alpha,
              aclTensor* out);
ACLNN_DECLARE(aclnnInplaceAdd, const aclTensor* selfRef, const aclTensor* other,
              const aclScalar* alpha);
ACLNN_DECLARE(aclnnAdds, const aclTensor* self, const aclScalar* other, const aclScalar* alpha,
              aclTensor* out);
ACLNN_DECLARE(aclnnInplaceAdds, const aclTensor* selfRef, const aclScalar* other,
              const aclScalar* alpha);
ACLNN_DECLARE(aclnnAddV3, const aclScalar* self, const aclTensor* other, const aclScalar* alpha,
              aclTensor* out);
ACLNN_DECLARE(aclnnAddRelu, const aclTensor* self, const aclTensor* other, aclScalar* alpha,
              aclTensor* out);
ACLNN_DECLARE(aclnnInplaceAddRelu, aclTensor* selfRef, const aclTensor* other, aclScalar* alpha);
ACLNN_DECLARE(aclnnAddcdiv, const aclTensor* self, const aclTensor* tensor1,
              const aclTensor* tensor2, const aclScalar* value, const aclTensor* out);
ACLNN_DECLARE(aclnnInplaceAddcdiv, const aclTensor* selfRef, const aclTensor* tensor1,
              const aclTensor* tensor2, const aclScalar* value);
ACLNN_DECLARE(aclnnAddcmul, const aclTensor* self, const aclTensor* tensor1,
              const aclTensor* tensor2, const aclScalar* value, aclTensor* out);
ACLNN_DECLARE(aclnnInplaceAddcmul, const aclTensor* selfRef, const aclTensor* tensor1,
              const aclTensor* tensor2, const aclScalar* value);
ACLNN_DECLARE(aclnnSub, const aclTensor* self, const aclTensor* other, const aclScalar* alpha,
              aclTensor* out);
ACLNN_DECLARE(aclnnInplaceSub, aclTensor* selfRef, const aclTensor* other, const aclScalar* alpha);
ACLNN_DECLARE(aclnnSubs, const aclTensor* self, const aclScalar* other, const aclScalar* alpha,
              aclTensor* out);
ACLNN_DECLARE(aclnnInplaceSubs, aclTensor* selfRef, const aclScalar* other, const aclScalar* alpha);
ACLNN_DECLARE(aclnnRsub, const aclTensor* self, const aclTensor* other, const aclScalar* alpha,
              aclTensor* out);
ACLNN_DECLARE(aclnnRsubs, const aclTensor* self, const aclScalar* other, const aclScalar* alpha,
              aclTensor* out);
ACLNN_DECLARE(aclnnMul, const aclTensor* self, const aclTensor* other, aclTensor* out);
ACLNN_DECLARE(aclnnInplaceMul, aclTensor* selfRef, const aclTensor* other);
ACLNN_DECLARE(aclnnMuls, const aclTensor* self, const aclScalar* other, aclTensor* out);
ACLNN_DECLARE(aclnnInplaceMuls, aclTensor* selfRef, const aclScalar* other);
ACLNN_DECLARE(aclnnDiv, const aclTensor* self, const aclTensor* other, aclTensor* out);
ACLNN_DECLARE(aclnnInplaceDiv, aclTensor* selfRef, const aclTensor* other);
ACLNN_DECLARE(aclnnDivs, const aclTensor* self, const aclScalar* other, aclTensor* out);
ACLNN_DECLARE(aclnnInplaceDivs, aclTensor* selfRef, const aclScalar* other);
ACLNN_DECLARE(aclnnDivMod, const aclTensor* self, const aclTensor* other, int mode, aclTensor* out);
ACLNN_DECLARE(aclnnInplaceDivMod, aclTensor* selfRef, const aclTensor* other, int mode);
ACLNN_DECLARE(aclnnDivMods, const aclTensor* self, const aclScalar* other, int mode,
              aclTensor* out);
ACLNN_DECLARE(aclnnInplaceDivMods, aclTensor* selfRef, const aclScalar* other, int mode);
ACLNN_DECLARE(aclnnFloorDivide, const aclTensor* self, const aclTensor* other, aclTensor* out);
ACLNN_DECLARE(aclnnInplaceFloorDivide, aclTensor* selfRef, const aclTensor* other);
ACLNN_DECLARE(aclnnFloorDivides, const aclTensor* self, const aclScalar* other, aclTensor* out);
ACLNN_DECLARE(aclnnInplaceFloorDivides, aclTensor* selfRef, const aclScalar* other);
ACLNN_DECLARE(aclnnFmodScalar, const aclTensor* self, const aclScalar* other, aclTensor* out);
ACLNN_DECLARE(aclnnInplaceFmodScalar, aclTensor* selfRef, const aclScalar* other);
ACLNN_DECLARE(aclnnFmodTensor, const aclTensor* self, const aclTensor* other, aclTensor* out);
ACLNN_DECLARE(aclnnInplaceFmodTensor, aclTensor* selfRef, const aclTensor* other);
ACLNN_DECLARE(aclnnRemainderScalarTensor, const aclScalar* self, const aclTensor* other,
              aclTensor* out);
ACLNN_DECLARE(aclnnRemainderTensorScalar, const aclTensor* self, const aclScalar* other,
              aclTensor* out);
ACLNN_DECLARE(aclnnInplaceRemainderTensorScalar, aclTensor* selfRef, const aclScalar* other);
ACLNN_DECLARE(aclnnRemainderTensorTensor, const aclTensor* self, const aclTensor* other,
              aclTensor* out);
ACLNN_DECLARE(aclnnInplaceRemainderTensorTensor, aclTensor* selfRef, const aclTensor* other);
ACLNN_DECLARE(aclnnPowScalarTensor, const aclScalar* self, const aclTensor* exponent,
              const aclTensor* out);
ACLNN_DECLARE(aclnnPowTensorScalar, const aclTensor* self, const aclScalar* exponent,
              const aclTensor* out);
ACLNN_DECLARE(aclnnInplacePowTensorScalar, const aclTensor* self, const aclScalar* exponent);
ACLNN_DECLARE(aclnnPowTensorTensor, const aclTensor* self, const aclTensor* exponent,
              aclTensor* out);
ACLNN_DECLARE(aclnnInplacePowTensorTensor, const aclTensor* self, const aclTensor* exponent);
ACLNN_DECLARE(aclnnLerp, const aclTensor* self, const aclTensor* end, const aclTensor* weight,
              aclTensor* out);
ACLNN_DECLARE(aclnnInplaceLerp, aclTensor* selfRef, const aclTensor* end, const aclTensor* weight);
ACLNN_DECLARE(aclnnLerps, const aclTensor* self, const aclTensor* end, const aclScalar* weight,
              aclTensor* out);
ACLNN_DECLARE(aclnnInplaceLerps, aclTensor* selfRef, const aclTensor* end, const aclScalar* weight);
ACLNN_DECLARE(aclnnMaximum, const aclTensor* self, const aclTensor* other, aclTensor* out);
ACLNN_DECLARE(aclnnMinimum, const aclTensor* self, const aclTensor* other, aclTensor* out);
ACLNN_DECLARE(aclnnClamp, const aclTensor* self, const aclScalar* clipValueMin,
              const aclScalar* clipValueMax, aclTensor* out);
ACLNN_DECLARE(aclnnClampMax, const aclTensor* self, const aclScalar* clipValueMax, aclTensor* out);
ACLNN_DECLARE(aclnnInplaceClampMax, const aclTensor* selfRef, const aclScalar* clipValueMax);
ACLNN_DECLARE(aclnnClampMaxTensor, const aclTensor* self, const aclTensor* max, aclTensor* out);
ACLNN_DECLARE(aclnnInplaceClampMaxTensor, aclTensor* selfRef, const aclTensor* max);
ACLNN_DECLARE(aclnnClampMin, const aclTensor* self, const aclScalar* clipValueMin, aclTensor* out);
ACLNN_DECLARE(aclnnClampMinTensor, const aclTensor* self, const aclTensor* clipValueMin,
              aclTensor* out);
ACLNN_DECLARE(aclnnInplaceClampMinTensor, aclTensor* selfRef, const aclTensor* clipValueMin);
ACLNN_DECLARE(aclnnClampTensor, const aclTensor* self, const aclTensor* clipValueMin,
              const aclTensor* clipValueMax, aclTensor* out);
ACLNN_DECLARE(aclnnAtan2, const aclTensor* self, const aclTensor* other, aclTensor* out);
ACLNN_DECLARE(aclnnInplaceAtan2, aclTensor* selfRef, aclTensor* other);
ACLNN_DECLARE(aclnnGcd, const aclTensor* self, const aclTensor* other, aclTensor* out);
ACLNN_DECLARE(aclnnLogAddExp, const aclTensor* self, const aclTensor* other, aclTensor* out);
ACLNN_DECLARE(aclnnLogAddExp2, const aclTensor* self, const aclTensor* other, aclTensor* out);
ACLNN_DECLARE(aclnnXLogYScalarOther, const aclTensor* self, const aclScalar* other, aclTensor* out);
ACLNN_DECLARE(aclnnInplaceXLogYScalarOther, aclTensor* selfRef, const aclScalar* other);
ACLNN_DECLARE(aclnnXLogYScalarSelf, const aclScalar* self, const aclTensor* other, aclTensor* out);
ACLNN_DECLARE(aclnnXLogYTensor, const aclTensor* self, const aclTensor* other, aclTensor* out);
ACLNN_DECLARE(aclnnComplex, const aclTensor* real, const aclTensor* imag, aclTensor* out);
ACLNN_DECLARE(aclnnPolar, const aclTensor* input, const aclTensor* angle, aclTensor* out);

#ifdef __cplusplus
}
#endif
