// SPDX-License-Identifier: Apache-2.0
#include <ATen/core/Tensor.h>
// BEGIN ROW HEADERS
#include <ATen/ops/cat_meta.h>
#include <ATen/ops/cat_ops.h>
#include <ATen/ops/conj_physical_ops.h>
#include <ATen/ops/flip_ops.h>
#include <ATen/ops/roll_ops.h>
#include <ATen/ops/tril_meta.h>
#include <ATen/ops/tril_ops.h>
#include <ATen/ops/triu_meta.h>
#include <ATen/ops/triu_ops.h>
// END ROW HEADERS

#include <ATen/WrapDimUtils.h>
#include <ATen/WrapDimUtilsMulti.h>
#include <ATen/native/TensorShape.h>
#include <ATen/ops/view_as_real.h>

#include "aclnnop/aclnnop.h"
#include "torchtitan_npu/csrc/aten/factory.h"
#include "torchtitan_npu/csrc/aten/op_row.h"
#include "torchtitan_npu/csrc/aten/rules.h"

namespace torchtitan_npu {
namespace {

// Tensors of shape (0,) join anything and add nothing; empty ones add nothing either.
std::vector<at::Tensor> cat_parts(const at::ITensorListRef& tensors) {
  std::vector<at::Tensor> parts;
  for (const at::Tensor& tensor : tensors) {
    if (tensor.numel() != 0) parts.push_back(tensor);
  }
  return parts;
}

c10::DimVector flip_dims(const at::Tensor& self, at::IntArrayRef dims) {
  at::dim_list_to_bitset(dims, self.dim());  // refuses what is out of range or named twice
  c10::DimVector wrapped(dims);
  at::maybe_wrap_dims(wrapped, self.dim());
  return wrapped;
}

}  // namespace

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  constexpr const char* family = "move";
#include "torchtitan_npu/csrc/aten/ops_move.inc"
}

}  // namespace torchtitan_npu
