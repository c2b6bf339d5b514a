// SPDX-License-Identifier: Apache-2.0
// aclnn operators: selecting and writing by index or mask; sorting and searching.
#pragma once

#include "aclnnop/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACLNN_DECLARE(aclnnBucketize, const aclTensor* self, const aclTensor* boundaries, bool outInt32,
              bool right, aclTensor* out);
ACLNN_DECLARE(aclnnEmbedding, const aclTensor* weight, const aclTensor* indices,
              const aclTensor* out);
ACLNN_DECLARE(aclnnEmbeddingBag, const aclTensor* weight, const aclTensor* indices,
              const aclTensor* offsets, bool scaleGradByFreq, int64_t mode, bool sparse,
              const aclTensor* perSampleWeights, bool includeLastOffset, int64_t paddingIdx,
              aclTensor* output, aclTensor* offset2bag, aclTensor* bagSize, aclTensor* maxIndices);
ACLNN_DECLARE(aclnnEmbeddingDenseBackward, const aclTensor* grad, const aclTensor* indices,
              uint64_t numWeights, uint64_t paddingIdx, bool scaleGradByFreq, const aclTensor* out);
ACLNN_DECLARE(aclnnEmbeddingRenorm, aclTensor* selfRef, const aclTensor* indices, double maxNorm,
              double normType);
ACLNN_DECLARE(aclnnGather, const aclTensor* self, int64_t dim, const aclTensor* index,
              aclTensor* out);
ACLNN_DECLARE(aclnnGatherV3, const aclTensor* self, int64_t dim, const aclTensor* index,
              int64_t batchDims, int64_t mode, aclTensor* out);
ACLNN_DECLARE(aclnnIndex, const aclTensor* self, const aclTensorList* indices, aclTensor* out);
ACLNN_DECLARE(aclnnIndexAdd, const aclTensor* self, int64_t dim, const aclTensor* index,
              const aclTensor* source, const aclScalar* alpha, aclTensor* out);
ACLNN_DECLARE(aclnnIndexAddV2, const aclTensor* self, int64_t dim, const aclTensor* index,
              const aclTensor* source, const aclScalar* alpha, int64_t mode, aclTensor* out);
ACLNN_DECLARE(aclnnIndexCopy, aclTensor* selfRef, int64_t dim, const aclTensor* index,
              const aclTensor* source, aclTensor* outRef);
ACLNN_DECLARE(aclnnInplaceIndexCopy, aclTensor* selfRef, int64_t dim, const aclTensor* index,
              const aclTensor* source);
ACLNN_DECLARE(aclnnIndexFill, const aclTensor* self, int64_t dim, const aclTensor* index,
              const aclScalar* value, aclTensor* out);
ACLNN_DECLARE(aclnnInplaceIndexFill, aclTensor* selfRef, int64_t dim, const aclTensor* index,
              const aclScalar* value);
ACLNN_DECLARE(aclnnIndexFillTensor, const aclTensor* self, int64_t dim, const aclIntArray* index,
              const aclScalar* value, aclTensor* out);
ACLNN_DECLARE(aclnnInplaceIndexFillTensor, aclTensor* selfRef, int64_t dim,
              const aclIntArray* index, const aclScalar* value);
ACLNN_DECLARE(aclnnIndexPutImpl, aclTensor* selfRef, const aclTensorList* indices,
              const aclTensor* values, bool accumulate, bool unsafe);
ACLNN_DECLARE(aclnnIndexSelect, const aclTensor* self, int64_t dim, const aclTensor* index,
              aclTensor* out);
ACLNN_DECLARE(aclnnInplaceMaskedFillScalar, aclTensor* selfRef, const aclTensor* mask,
              const aclScalar* value);
ACLNN_DECLARE(aclnnInplaceMaskedFillTensor, aclTensor* selfRef, const aclTensor* mask,
              const aclTensor* value);
ACLNN_DECLARE(aclnnInplaceMaskedScatter, aclTensor* selfRef, const aclTensor* mask,
              const aclTensor* source);
ACLNN_DECLARE(aclnnMaskedSelect, const aclTensor* self, const aclTensor* mask, aclTensor* out);
ACLNN_DECLARE(aclnnMaskedScale, const aclTensor* self, const aclTensor* mask, float scale,
              aclTensor* out);
ACLNN_DECLARE(aclnnNonzero, const aclTensor* self, aclTensor* out);
ACLNN_DECLARE(aclnnNonzeroV2, const aclTensor* self, aclTensor* out);
ACLNN_DECLARE(aclnnOneHot, const aclTensor* self, int numClasses, const aclTensor* onValue,
              const aclTensor* offValue, int64_t axis, aclTensor* out);
ACLNN_DECLARE(aclnnInplacePut, aclTensor* selfRef, const aclTensor* index, const aclTensor* source,
              bool accumulate);
ACLNN_DECLARE(aclnnScatter, const aclTensor* self, int64_t dim, const aclTensor* index,
              const aclTensor* src, int64_t reduce, aclTensor* out);
ACLNN_DECLARE(aclnnInplaceScatter, aclTensor* selfRef, int64_t dim, const aclTensor* index,
              const aclTensor* src, int64_t reduce);
ACLNN_DECLARE(aclnnScatterAdd, const aclTensor* self, int64_t dim, const aclTensor* index,
              const aclTensor* src, aclTensor* out);
ACLNN_DECLARE(aclnnScatterNdUpdate, aclTensor* varRef, const aclTensor* indices,
              const aclTensor* updates);
ACLNN_DECLARE(aclnnScatterReduce, const aclTensor* self, int64_t dim, const aclTensor* index,
              const aclTensor* src, int64_t reduce, bool includeSelf, aclTensor* out);
ACLNN_DECLARE(aclnnInplaceScatterReduce, aclTensor* selfRef, int64_t dim, const aclTensor* index,
              const aclTensor* src, int64_t reduce, bool includeSelf);
ACLNN_DECLARE(aclnnInplaceScatterUpdate, aclTensor* data, const aclTensor* indices,
              const aclTensor* updates, int64_t axis);
ACLNN_DECLARE(aclnnScatterValue, const aclTensor* self, int64_t dim, const aclTensor* index,
              const aclScalar* value, int64_t reduce, aclTensor* out);
ACLNN_DECLARE(aclnnInplaceScatterValue, aclTensor* selfRef, int64_t dim, const aclTensor* index,
              const aclScalar* value, int64_t reduce);
ACLNN_DECLARE(aclnnSearchSorted, const aclTensor* sortedSequence, const aclTensor* self,
              bool outInt32, bool right, const aclTensor* sorter, aclTensor* out);
ACLNN_DECLARE(aclnnSearchSorteds, const aclTensor* sortedSequence, const aclScalar* self,
              bool outInt32, bool right, const aclTensor* sorter, aclTensor* out);
ACLNN_DECLARE(aclnnSort, const aclTensor* self, bool stable, int64_t dim, bool descending,
              aclTensor* valuesOut, aclTensor* indicesOut);
ACLNN_DECLARE(aclnnTake, const aclTensor* self, const aclTensor* index, aclTensor* out);
ACLNN_DECLARE(aclnnTopk, const aclTensor* self, int64_t k, int64_t dim, bool largest, bool sorted,
              aclTensor* valuesOut, aclTensor* indicesOut);
// Not publicly documented: seen as what torch_npu 2.13 calls. The last flag before the outputs is
// always true there.
ACLNN_DECLARE(aclnnTopkV2, const aclTensor* self, int64_t k, int64_t dim, bool largest, bool sorted,
              bool stable, aclTensor* valuesOut, aclTensor* indicesOut);
ACLNN_DECLARE(aclnnUnique, const aclTensor* self, bool sorted, bool returnInverse,
              aclTensor* valueOut, aclTensor* inverseOut);
ACLNN_DECLARE(aclnnUnique2, const aclTensor* self, bool sorted, bool returnInverse,
              bool returnCounts, aclTensor* valueOut, aclTensor* inverseOut, aclTensor* countsOut);
ACLNN_DECLARE(aclnnUniqueConsecutive, const aclTensor* self, bool returnInverse, bool returnCounts,
              int64_t dim, aclTensor* valueOut, aclTensor* inverseOut, aclTensor* countsOut);
ACLNN_DECLARE(aclnnUniqueDim, const aclTensor* self, bool sorted, bool returnInverse, int64_t dim,
              aclTensor* valueOut, aclTensor* inverseOut, aclTensor* countsOut);

#ifdef __cplusplus
}
#endif
