// SPDX-License-Identifier: Apache-2.0
// Results whose size an operator learns while it runs: aclGetViewShape tells it once the stream is
// synchronised.
#pragma once

#include "softnpu/aol/meta/objects.h"
#include "softnpu/davinci/select.h"

namespace npu::aol {

/// A size that a command will report, or a known one.
inline davinci::Selected make_selected(int64_t count = -1) {
  return std::make_shared<std::atomic<int64_t>>(count);
}

/// Dimension `dim` of `out` has this size; null is passed over.
inline void tie_size(const aclTensor* out, int dim, davinci::Selected selected) {
  if (out == nullptr) return;
  auto* object = const_cast<aclTensor*>(out);  // its shape is part of the result
  object->selected = std::move(selected);
  object->selected_dim = static_cast<int8_t>(dim);
}

}  // namespace npu::aol
