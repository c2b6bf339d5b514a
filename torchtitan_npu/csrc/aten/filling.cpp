// SPDX-License-Identifier: Apache-2.0
#include <ATen/core/Tensor.h>
// BEGIN ROW HEADERS
#include <ATen/ops/arange_ops.h>
#include <ATen/ops/eye_ops.h>
#include <ATen/ops/fill_ops.h>
#include <ATen/ops/linspace_ops.h>
#include <ATen/ops/logspace_ops.h>
#include <ATen/ops/zero_ops.h>
// END ROW HEADERS

#include <ATen/AccumulateType.h>
#include <ATen/Dispatch.h>
#include <ATen/native/RangeUtils.h>

#include "aclnnop/aclnnop.h"
#include "torchtitan_npu/csrc/aten/factory.h"
#include "torchtitan_npu/csrc/aten/op_row.h"
#include "torchtitan_npu/csrc/aten/rules.h"

namespace torchtitan_npu {
namespace {

int64_t arange_size(const at::Scalar& start, const at::Scalar& end, const at::Scalar& step,
                    at::ScalarType type) {
  return AT_DISPATCH_ALL_TYPES_AND2(at::kHalf, at::kBFloat16, type, "arange", [&] {
    return at::native::compute_arange_size<scalar_t>(start, end, step);
  });
}

}  // namespace

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  constexpr const char* family = "filling";
#include "torchtitan_npu/csrc/aten/ops_filling.inc"
}

}  // namespace torchtitan_npu
