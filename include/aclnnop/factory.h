// SPDX-License-Identifier: Apache-2.0
// aclnn operators: tensors from numbers.
#pragma once

#include "aclnnop/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACLNN_DECLARE(aclnnArange, const aclScalar* start, const aclScalar* end, const aclScalar* step,
              aclTensor* out);
ACLNN_DECLARE(aclnnEye, int64_t n, int64_t m, aclTensor* out);
ACLNN_DECLARE(aclnnInplaceFillDiagonal, aclTensor* selfRef, const aclScalar* fillValue, bool wrap);
ACLNN_DECLARE(aclnnInplaceFillScalar, aclTensor* selfRef, const aclScalar* value);
ACLNN_DECLARE(aclnnInplaceFillTensor, aclTensor* selfRef, const aclTensor* value);
ACLNN_DECLARE(aclnnLinspace, const aclScalar* start, const aclScalar* end, int64_t steps,
              aclTensor* out);
ACLNN_DECLARE(aclnnLogSpace, const aclScalar* start, const aclScalar* end, int64_t steps,
              double base, const aclTensor* result);
ACLNN_DECLARE(aclnnInplaceOne, const aclTensor* selfRef);
ACLNN_DECLARE(aclnnRange, const aclScalar* start, const aclScalar* end, const aclScalar* step,
              aclTensor* out);
ACLNN_DECLARE(aclnnInplaceZero, aclTensor* selfRef);

#ifdef __cplusplus
}
#endif
