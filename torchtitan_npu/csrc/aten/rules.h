// SPDX-License-Identifier: Apache-2.0
// What rows of several families need: numbers among tensors, given outputs, reduced dimensions.
#pragma once

#include <ATen/WrapDimUtils.h>
#include <ATen/core/Tensor.h>
#include <ATen/native/Resize.h>
#include <c10/util/accumulate.h>

#include <optional>

#include "torchtitan_npu/csrc/aten/op_call.h"

namespace torchtitan_npu {

/// A CPU tensor without dimensions: `x * 2` and `x * torch.tensor(2.)` both pass one.
inline bool is_number(const at::Tensor& tensor) {
  return tensor.defined() && tensor.dim() == 0 && tensor.is_cpu();
}
/// Its value; only to be called on a number.
at::Scalar number_of(const at::Tensor& number);

/// The call for two tensors, or the one that takes the second as a scalar when it is a number.
template <class TensorCall, class ScalarCall>
struct NumberForm {
  template <class... Rest>
  void operator()(const at::Tensor& self, const at::Tensor& other, const Rest&... rest) const {
    if (is_number(other) && !is_number(self)) {
      ScalarCall{}(self, number_of(other), rest...);
    } else {
      TensorCall{}(self, other, rest...);
    }
  }
};
template <class TensorCall, class ScalarCall>
NumberForm<TensorCall, ScalarCall> number_form(TensorCall, ScalarCall) {
  return {};
}

/// A given output, resized to `sizes` the way PyTorch does (with its warning).
inline const at::Tensor& fit(const at::Tensor& out, at::IntArrayRef sizes) {
  at::native::resize_output(out, sizes);
  return out;
}

inline int64_t product(at::IntArrayRef sizes) { return c10::multiply_integers(sizes); }

/// The reduced dimensions, none meaning all; not negative.
c10::DimVector dims_of(const at::Tensor& self, at::OptionalIntArrayRef dims);
inline c10::DimVector dims_of(const at::Tensor& self, int64_t dim) {
  return dims_of(self, at::IntArrayRef(dim));
}
inline c10::DimVector all_dims(const at::Tensor& self) {
  return dims_of(self, at::OptionalIntArrayRef());
}
c10::DimVector reduced_sizes(const at::Tensor& self, at::OptionalIntArrayRef dims, bool keepdim);

}  // namespace torchtitan_npu
