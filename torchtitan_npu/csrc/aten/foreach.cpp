// SPDX-License-Identifier: Apache-2.0
#include <ATen/core/Tensor.h>
// BEGIN ROW HEADERS
#include <ATen/ops/_amp_foreach_non_finite_check_and_unscale_ops.h>
#include <ATen/ops/_amp_update_scale_ops.h>
#include <ATen/ops/_foreach_add_ops.h>
#include <ATen/ops/_foreach_addcdiv_ops.h>
#include <ATen/ops/_foreach_addcmul_ops.h>
#include <ATen/ops/_foreach_div_ops.h>
#include <ATen/ops/_foreach_lerp_ops.h>
#include <ATen/ops/_foreach_mul_ops.h>
#include <ATen/ops/_foreach_neg_ops.h>
#include <ATen/ops/_foreach_norm_ops.h>
#include <ATen/ops/_foreach_sqrt_ops.h>
#include <ATen/ops/_foreach_sub_ops.h>
#include <ATen/ops/_foreach_zero_ops.h>
// END ROW HEADERS

#include <ATen/native/ForeachUtils.h>
#include <ATen/ops/_foreach_add_native.h>
#include <ATen/ops/_foreach_addcdiv_native.h>
#include <ATen/ops/_foreach_addcmul_native.h>
#include <ATen/ops/_foreach_div_native.h>
#include <ATen/ops/_foreach_lerp_native.h>
#include <ATen/ops/_foreach_mul_native.h>
#include <ATen/ops/_foreach_neg_native.h>
#include <ATen/ops/_foreach_norm_native.h>
#include <ATen/ops/_foreach_sqrt_native.h>
#include <ATen/ops/_foreach_sub_native.h>
#include <ATen/ops/_foreach_zero_native.h>

#include <map>

#include "aclnnop/aclnnop.h"
#include "torchtitan_npu/csrc/aten/factory.h"
#include "torchtitan_npu/csrc/aten/op_row.h"

namespace torchtitan_npu {
namespace {

// Whether one call takes the lists: one type, one device, pairwise same shapes, floating point.
bool whole(at::ArrayRef<at::TensorList> lists, at::ArrayRef<at::Scalar> scalars = {}) {
  for (const at::TensorList& list : lists) {
    if (list.empty() || list.size() != lists[0].size()) return false;  // the slow way says why
  }
  return at::isFloatingType(lists[0][0].scalar_type()) &&
         !(scalars.size() != 0 && std::any_of(scalars.begin(), scalars.end(),
                                              [](const auto& s) { return s.isComplex(); })) &&
         at::native::can_use_fast_route(lists, scalars);
}

// New tensors like those of `self`, filled by `fill`.
template <class Fill>
std::vector<at::Tensor> made_list(at::TensorList self, Fill fill) {
  std::vector<at::Tensor> out;
  out.reserve(self.size());
  for (const at::Tensor& tensor : self) {
    out.push_back(new_tensor(tensor.sizes(), tensor.strides(), tensor.scalar_type()));
  }
  fill(out);
  return out;
}

bool cann_takes_norm(const at::Scalar& ord) {
  const double value = ord.toDouble();
  return value == 1 || value == 2;
}

std::map<at::ScalarType, std::vector<at::Tensor>> by_type(at::TensorList tensors) {
  std::map<at::ScalarType, std::vector<at::Tensor>> groups;
  for (const at::Tensor& tensor : tensors) groups[tensor.scalar_type()].push_back(tensor);
  return groups;
}

}  // namespace

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  constexpr const char* family = "foreach";
#include "torchtitan_npu/csrc/aten/ops_foreach.inc"
}

}  // namespace torchtitan_npu
