// SPDX-License-Identifier: Apache-2.0
// aclnn operators: recurrent layers.
#pragma once

#include "aclnnop/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACLNN_DECLARE(aclnnGRU, const aclTensor* input, const aclTensorList* params, const aclTensor* hx,
              const aclTensor* batchSizes, bool hasBias, int64_t numLayers, double dropout,
              bool train, bool bidirection, bool batchFirst, aclTensor* output, aclTensor* hy,
              aclTensorList* rOut, aclTensorList* zOut, aclTensorList* nOut, aclTensorList* hnOut,
              aclTensorList* hOut);
ACLNN_DECLARE(aclnnGRUBackward, const aclTensor* input, const aclTensorList* params,
              const aclTensor* hx, const aclTensor* dy, const aclTensor* dh, const aclTensorList* r,
              const aclTensorList* z, const aclTensorList* n, const aclTensorList* hn,
              const aclTensorList* h, const aclTensor* batchSizes, bool hasBias, int64_t numLayers,
              bool bidirection, bool batchFirst, aclTensor* dxOut, aclTensor* dhPrevOut,
              aclTensorList* dparamsOut);
ACLNN_DECLARE(aclnnLSTM, const aclTensor* input, const aclTensorList* params,
              const aclTensorList* hx, const aclTensor* batchSizes, bool hasBias, int64_t numLayers,
              double dropout, bool train, bool bidirectional, bool batchFirst, aclTensor* output,
              aclTensor* hy, aclTensor* cy, aclTensorList* iOut, aclTensorList* jOut,
              aclTensorList* fOut, aclTensorList* oOut, aclTensorList* hOut, aclTensorList* cOut,
              aclTensorList* tanhCOut);
ACLNN_DECLARE(aclnnLstmBackward, const aclTensor* input, const aclTensorList* hx,
              const aclTensorList* params, const aclTensor* dy, const aclTensor* dh,
              const aclTensor* dc, const aclTensorList* i, const aclTensorList* g,
              const aclTensorList* f, const aclTensorList* o, const aclTensorList* h,
              const aclTensorList* c, const aclTensorList* tanhc,
              const aclTensor* batchSizesOptional, bool hasBias, int64_t numLayers, double dropout,
              bool train, bool bidirectional, bool batchFirst, const aclBoolArray* outputMask,
              aclTensor* dxOut, aclTensor* dhPrevOut, aclTensor* dcPrevOut,
              aclTensorList* dparamsOut);
ACLNN_DECLARE(aclnnThnnFusedLstmCell, const aclTensor* inputGates, const aclTensor* hiddenGates,
              const aclTensor* cx, const aclTensor* inputBiasOptional,
              const aclTensor* hiddenBiasOptional, aclTensor* hyOut, aclTensor* cyOut,
              aclTensor* storageOut);
ACLNN_DECLARE(aclnnThnnFusedLstmCellBackward, const aclTensor* gradHyOptional,
              const aclTensor* gradCOptional, const aclTensor* cx, const aclTensor* cy,
              const aclTensor* storage, bool hasBias, aclTensor* gradGatesOut, aclTensor* gradCxOut,
              aclTensor* gradBiasOut);

#ifdef __cplusplus
}
#endif
