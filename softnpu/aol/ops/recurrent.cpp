// SPDX-License-Identifier: Apache-2.0
// Recurrent layers and cells.
#include "aclnnop/recurrent.h"

#include "softnpu/aol/build/recurrent.h"

namespace npu::aol {

ACLNN_OP(aclnnGRU,
         (const aclTensor* input, const aclTensorList* params, const aclTensor* hx,
          const aclTensor* batchSizes, bool hasBias, int64_t numLayers, double dropout, bool train,
          bool bidirection, bool batchFirst, aclTensor* output, aclTensor* hy, aclTensorList* rOut,
          aclTensorList* zOut, aclTensorList* nOut, aclTensorList* hnOut, aclTensorList* hOut),
         (input, params, hx, batchSizes, hasBias, numLayers, dropout, train, bidirection,
          batchFirst, output, hy, rOut, zOut, nOut, hnOut, hOut)) {
  return gru(
      {input, params, batchSizes, hasBias, numLayers, dropout, train, bidirection, batchFirst}, hx,
      output, hy, {rOut, zOut, nOut, hnOut, hOut});
}
ACLNN_OP(aclnnGRUBackward,
         (const aclTensor* input, const aclTensorList* params, const aclTensor* hx,
          const aclTensor* dy, const aclTensor* dh, const aclTensorList* r, const aclTensorList* z,
          const aclTensorList* n, const aclTensorList* hn, const aclTensorList* h,
          const aclTensor* batchSizes, bool hasBias, int64_t numLayers, bool bidirection,
          bool batchFirst, aclTensor* dxOut, aclTensor* dhPrevOut, aclTensorList* dparamsOut),
         (input, params, hx, dy, dh, r, z, n, hn, h, batchSizes, hasBias, numLayers, bidirection,
          batchFirst, dxOut, dhPrevOut, dparamsOut)) {
  return gru_backward(
      {input, params, batchSizes, hasBias, numLayers, 0, true, bidirection, batchFirst}, hx, dy, dh,
      {r, z, n, hn, h}, dxOut, dhPrevOut, dparamsOut);
}
ACLNN_OP(aclnnLSTM,
         (const aclTensor* input, const aclTensorList* params, const aclTensorList* hx,
          const aclTensor* batchSizes, bool hasBias, int64_t numLayers, double dropout, bool train,
          bool bidirectional, bool batchFirst, aclTensor* output, aclTensor* hy, aclTensor* cy,
          aclTensorList* iOut, aclTensorList* jOut, aclTensorList* fOut, aclTensorList* oOut,
          aclTensorList* hOut, aclTensorList* cOut, aclTensorList* tanhCOut),
         (input, params, hx, batchSizes, hasBias, numLayers, dropout, train, bidirectional,
          batchFirst, output, hy, cy, iOut, jOut, fOut, oOut, hOut, cOut, tanhCOut)) {
  return lstm(
      {input, params, batchSizes, hasBias, numLayers, dropout, train, bidirectional, batchFirst},
      hx, {output, hy, cy, iOut, jOut, fOut, oOut, hOut, cOut, tanhCOut});
}
ACLNN_OP(aclnnLstmBackward,
         (const aclTensor* input, const aclTensorList* hx, const aclTensorList* params,
          const aclTensor* dy, const aclTensor* dh, const aclTensor* dc, const aclTensorList* i,
          const aclTensorList* g, const aclTensorList* f, const aclTensorList* o,
          const aclTensorList* h, const aclTensorList* c, const aclTensorList* tanhc,
          const aclTensor* batchSizesOptional, bool hasBias, int64_t numLayers, double dropout,
          bool train, bool bidirectional, bool batchFirst, const aclBoolArray* outputMask,
          aclTensor* dxOut, aclTensor* dhPrevOut, aclTensor* dcPrevOut, aclTensorList* dparamsOut),
         (input, hx, params, dy, dh, dc, i, g, f, o, h, c, tanhc, batchSizesOptional, hasBias,
          numLayers, dropout, train, bidirectional, batchFirst, outputMask, dxOut, dhPrevOut,
          dcPrevOut, dparamsOut)) {
  return lstm_backward({input, params, batchSizesOptional, hasBias, numLayers, dropout, train,
                        bidirectional, batchFirst},
                       hx, dy, dh, dc, {i, g, f, o, h, c}, dxOut, dhPrevOut, dcPrevOut, dparamsOut);
}
ACLNN_OP(aclnnThnnFusedLstmCell,
         (const aclTensor* inputGates, const aclTensor* hiddenGates, const aclTensor* cx,
          const aclTensor* inputBiasOptional, const aclTensor* hiddenBiasOptional, aclTensor* hyOut,
          aclTensor* cyOut, aclTensor* storageOut),
         (inputGates, hiddenGates, cx, inputBiasOptional, hiddenBiasOptional, hyOut, cyOut,
          storageOut)) {
  return lstm_cell(inputGates, hiddenGates, cx, inputBiasOptional, hiddenBiasOptional, hyOut, cyOut,
                   storageOut);
}
ACLNN_OP(aclnnThnnFusedLstmCellBackward,
         (const aclTensor* gradHyOptional, const aclTensor* gradCOptional, const aclTensor* cx,
          const aclTensor* cy, const aclTensor* storage, bool hasBias, aclTensor* gradGatesOut,
          aclTensor* gradCxOut, aclTensor* gradBiasOut),
         (gradHyOptional, gradCOptional, cx, cy, storage, hasBias, gradGatesOut, gradCxOut,
          gradBiasOut)) {
  return lstm_cell_backward(gradHyOptional, gradCOptional, cx, cy, storage, hasBias, gradGatesOut,
                            gradCxOut, gradBiasOut);
}

}  // namespace npu::aol
