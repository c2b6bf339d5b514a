// SPDX-License-Identifier: Apache-2.0
#include <ATen/core/Tensor.h>
// BEGIN ROW HEADERS
#include <ATen/ops/bitwise_and_meta.h>
#include <ATen/ops/bitwise_and_ops.h>
#include <ATen/ops/bitwise_left_shift_meta.h>
#include <ATen/ops/bitwise_left_shift_ops.h>
#include <ATen/ops/bitwise_not_meta.h>
#include <ATen/ops/bitwise_not_ops.h>
#include <ATen/ops/bitwise_or_meta.h>
#include <ATen/ops/bitwise_or_ops.h>
#include <ATen/ops/bitwise_right_shift_meta.h>
#include <ATen/ops/bitwise_right_shift_ops.h>
#include <ATen/ops/bitwise_xor_meta.h>
#include <ATen/ops/bitwise_xor_ops.h>
#include <ATen/ops/eq_meta.h>
#include <ATen/ops/eq_ops.h>
#include <ATen/ops/equal_ops.h>
#include <ATen/ops/ge_meta.h>
#include <ATen/ops/ge_ops.h>
#include <ATen/ops/gt_meta.h>
#include <ATen/ops/gt_ops.h>
#include <ATen/ops/isnan_ops.h>
#include <ATen/ops/isneginf_meta.h>
#include <ATen/ops/isneginf_ops.h>
#include <ATen/ops/isposinf_meta.h>
#include <ATen/ops/isposinf_ops.h>
#include <ATen/ops/le_meta.h>
#include <ATen/ops/le_ops.h>
#include <ATen/ops/logical_and_ops.h>
#include <ATen/ops/logical_not_ops.h>
#include <ATen/ops/logical_or_ops.h>
#include <ATen/ops/logical_xor_ops.h>
#include <ATen/ops/lt_meta.h>
#include <ATen/ops/lt_ops.h>
#include <ATen/ops/ne_meta.h>
#include <ATen/ops/ne_ops.h>
// END ROW HEADERS

#include <ATen/ExpandUtils.h>

#include "aclnnop/aclnnop.h"
#include "torchtitan_npu/csrc/aten/copy.h"
#include "torchtitan_npu/csrc/aten/factory.h"
#include "torchtitan_npu/csrc/aten/op_row.h"
#include "torchtitan_npu/csrc/aten/rules.h"

namespace torchtitan_npu {

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  constexpr const char* family = "compare";
#include "torchtitan_npu/csrc/aten/ops_compare.inc"
}

}  // namespace torchtitan_npu
