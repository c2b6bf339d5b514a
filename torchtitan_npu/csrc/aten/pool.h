// SPDX-License-Identifier: Apache-2.0
// Parameters of pools as CANN takes them: always one number a dimension.
#pragma once

#include <c10/util/ArrayRef.h>
#include <c10/util/DimVector.h>

namespace torchtitan_npu {

/// (k) -> (k, k)
inline c10::DimVector pair(c10::IntArrayRef values) {
  return values.size() == 1 ? c10::DimVector{values[0], values[0]} : c10::DimVector(values);
}
/// (k) -> (k, k, k)
inline c10::DimVector triple(c10::IntArrayRef values) {
  return values.size() == 1 ? c10::DimVector(3, values[0]) : c10::DimVector(values);
}
inline c10::DimVector stride3_of(c10::IntArrayRef stride, c10::IntArrayRef kernel) {
  return triple(stride.empty() ? kernel : stride);
}
/// Windows touch where no stride is given.
inline c10::DimVector stride_of(c10::IntArrayRef stride, c10::IntArrayRef kernel) {
  return pair(stride.empty() ? kernel : stride);
}

}  // namespace torchtitan_npu
