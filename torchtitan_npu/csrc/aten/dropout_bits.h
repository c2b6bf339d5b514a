// SPDX-License-Identifier: Apache-2.0
// Dropout's mask as the chip keeps it: one bit an element, 1 where the element stays.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/DeviceGuard.h>

#include "aclnnop/random.h"
#include "torchtitan_npu/csrc/aten/factory.h"
#include "torchtitan_npu/csrc/aten/op_call.h"
#include "torchtitan_npu/csrc/core/generator.h"

namespace torchtitan_npu {

/// Bits for `count` elements of what `input` is part of, each kept with probability 1 - p.
inline at::Tensor dropout_bits(const at::Tensor& input, int64_t count, double p) {
  constexpr int64_t kUnit = 128;  // the chip draws so many at a time
  const c10::DeviceGuard guard(input.device());
  at::Tensor mask = new_tensor((count + kUnit - 1) / kUnit * kUnit / 8, {}, at::kByte);
  const auto [seed, offset] = generator_or_default(std::nullopt, input.device().index())
                                  ->philox(static_cast<uint64_t>(count));
  ACLNN(DropoutGenMaskV2)
  (at::IntArrayRef(count), p, static_cast<int64_t>(seed), static_cast<int64_t>(offset),
   input.scalar_type(), mask);
  return mask;
}

}  // namespace torchtitan_npu
