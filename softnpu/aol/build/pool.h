// SPDX-License-Identifier: Apache-2.0
// Pooling plans over [N, C, H, W] or [C, H, W].
#pragma once

#include "softnpu/aol/build/shape.h"
#include "softnpu/aol/build/types.h"

namespace npu::aol {

struct PoolArgs {
  const aclIntArray* kernel;
  const aclIntArray* stride;  // empty: the kernel's size
  const aclIntArray* padding;
  const aclIntArray* dilation;  // null: 1
  bool ceil_mode;
};

/// How a maximum's origin is kept: PyTorch's int32/int64 position in the plane, or CANN's int8
/// mask, whose bytes are the implementation's own.
enum class Positions { kIndices, kMask };

Plan max_pool2d(const aclTensor* self, const PoolArgs& args, Positions kind, const aclTensor* out,
                const aclTensor* positions);
Plan max_pool2d_backward(const aclTensor* grad_out, const aclTensor* self,
                         const aclTensor* positions, const PoolArgs& args, Positions kind,
                         const aclTensor* grad_input);

struct AverageArgs {
  bool count_include_pad;
  int64_t divisor_override;
  int8_t cube_math_type;
};
Plan avg_pool2d(const aclTensor* self, const PoolArgs& args, const AverageArgs& average,
                const aclTensor* out);
Plan avg_pool2d_backward(const aclTensor* grad_out, const aclTensor* self, const PoolArgs& args,
                         const AverageArgs& average, const aclTensor* grad_input);

Plan adaptive_avg_pool2d(const aclTensor* self, const aclIntArray* output_size,
                         const aclTensor* out);
Plan adaptive_avg_pool2d_backward(const aclTensor* grad_out, const aclTensor* self,
                                  const aclTensor* grad_input);

}  // namespace npu::aol
