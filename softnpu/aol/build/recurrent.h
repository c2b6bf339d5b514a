// SPDX-License-Identifier: Apache-2.0
// Plans of recurrent layers: one product for all steps of the input, then a product and a cell a
// step, layer by layer and direction by direction.
#pragma once

#include "softnpu/aol/build/elementwise.h"

namespace npu::aol {

Plan lstm_cell(const aclTensor* input_gates, const aclTensor* hidden_gates, const aclTensor* cx,
               const aclTensor* input_bias, const aclTensor* hidden_bias, const aclTensor* hy,
               const aclTensor* cy, const aclTensor* storage);
Plan lstm_cell_backward(const aclTensor* grad_hy, const aclTensor* grad_cy, const aclTensor* cx,
                        const aclTensor* cy, const aclTensor* storage, bool has_bias,
                        const aclTensor* grad_gates, const aclTensor* grad_cx,
                        const aclTensor* grad_bias);

/// What the four operators have in common; a null list or handle is not there.
struct RecurrentArgs {
  const aclTensor* input;
  const aclTensorList* params;
  const aclTensor* batch_sizes;
  bool has_bias;
  int64_t layers;
  double dropout;
  bool train;
  bool bidirectional;
  bool batch_first;
};

struct LstmOutputs {
  const aclTensor *output, *hy, *cy;
  const aclTensorList *i, *j, *f, *o, *h, *c, *tanh_c;
};
Plan lstm(const RecurrentArgs& args, const aclTensorList* hx, const LstmOutputs& out);

struct LstmSaved {
  const aclTensorList *i, *g, *f, *o, *h, *c;
};
Plan lstm_backward(const RecurrentArgs& args, const aclTensorList* hx, const aclTensor* dy,
                   const aclTensor* dh, const aclTensor* dc, const LstmSaved& saved,
                   const aclTensor* dx, const aclTensor* dh_prev, const aclTensor* dc_prev,
                   const aclTensorList* dparams);

struct GruGates {
  const aclTensorList *r, *z, *n, *hn, *h;
};
Plan gru(const RecurrentArgs& args, const aclTensor* hx, const aclTensor* output,
         const aclTensor* hy, const GruGates& out);
Plan gru_backward(const RecurrentArgs& args, const aclTensor* hx, const aclTensor* dy,
                  const aclTensor* dh, const GruGates& saved, const aclTensor* dx,
                  const aclTensor* dh_prev, const aclTensorList* dparams);

}  // namespace npu::aol
