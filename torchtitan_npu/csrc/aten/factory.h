// SPDX-License-Identifier: Apache-2.0
// New tensors on the current device, from the caching allocator and without a trip through the
// dispatcher.
#pragma once

#include <ATen/core/Tensor.h>

#include <optional>

namespace torchtitan_npu {

/// Uninitialised tensor; contiguous (or in `format`) when `strides` is empty.
at::Tensor new_tensor(at::IntArrayRef sizes, at::IntArrayRef strides, at::ScalarType dtype,
                      std::optional<at::MemoryFormat> format = std::nullopt);

/// Contiguous, with the element type of `like` or another one.
inline at::Tensor new_like(const at::Tensor& like, at::IntArrayRef sizes) {
  return new_tensor(sizes, {}, like.scalar_type());
}
inline at::Tensor new_like(const at::Tensor& like, at::IntArrayRef sizes, at::ScalarType dtype) {
  return new_tensor(sizes, {}, dtype);
}
/// Same sizes, element type and memory format as `like`.
inline at::Tensor new_like(const at::Tensor& like) {
  return new_tensor(like.sizes(), {}, like.scalar_type(), like.suggest_memory_format());
}

}  // namespace torchtitan_npu
