// SPDX-License-Identifier: Apache-2.0
#include <ATen/core/Tensor.h>
// BEGIN ROW HEADERS
#include <ATen/ops/all_meta.h>
#include <ATen/ops/all_ops.h>
#include <ATen/ops/amax_meta.h>
#include <ATen/ops/amax_ops.h>
#include <ATen/ops/amin_meta.h>
#include <ATen/ops/amin_ops.h>
#include <ATen/ops/any_meta.h>
#include <ATen/ops/any_ops.h>
#include <ATen/ops/argmax_meta.h>
#include <ATen/ops/argmax_ops.h>
#include <ATen/ops/argmin_meta.h>
#include <ATen/ops/argmin_ops.h>
#include <ATen/ops/count_nonzero_ops.h>
#include <ATen/ops/cumsum_meta.h>
#include <ATen/ops/cumsum_ops.h>
#include <ATen/ops/linalg_vector_norm_meta.h>
#include <ATen/ops/linalg_vector_norm_ops.h>
#include <ATen/ops/max_meta.h>
#include <ATen/ops/max_ops.h>
#include <ATen/ops/mean_meta.h>
#include <ATen/ops/mean_ops.h>
#include <ATen/ops/min_meta.h>
#include <ATen/ops/min_ops.h>
#include <ATen/ops/norm_meta.h>
#include <ATen/ops/norm_ops.h>
#include <ATen/ops/prod_meta.h>
#include <ATen/ops/prod_ops.h>
#include <ATen/ops/std_mean_ops.h>
#include <ATen/ops/std_ops.h>
#include <ATen/ops/sum_meta.h>
#include <ATen/ops/sum_ops.h>
#include <ATen/ops/var_mean_ops.h>
#include <ATen/ops/var_ops.h>
// END ROW HEADERS

#include <ATen/ops/ne.h>
#include <ATen/ops/sum.h>

#include <algorithm>
#include <cmath>

#include "aclnnop/aclnnop.h"
#include "torchtitan_npu/csrc/aten/factory.h"
#include "torchtitan_npu/csrc/aten/op_row.h"
#include "torchtitan_npu/csrc/aten/rules.h"

namespace torchtitan_npu {
namespace {

at::ScalarType sum_type(const at::Tensor& self) {
  return at::isIntegralType(self.scalar_type(), true) ? at::kLong : self.scalar_type();
}

/// CANN's correction is a whole number: for others it computes the mean square, which is scaled.
struct Correction {
  Correction(const at::Tensor& self, at::OptionalIntArrayRef dims,
             const std::optional<at::Scalar>& given) {
    const double wanted = given.has_value() ? given->toDouble() : 1;
    whole = static_cast<int64_t>(wanted);
    if (static_cast<double>(whole) == wanted) return;
    whole = 0;
    double count = 1;
    for (const int64_t dim : dims_of(self, dims)) count *= static_cast<double>(self.size(dim));
    factor = count / std::max(count - wanted, 0.0);
  }
  void scale(at::Tensor& variance) const {
    if (factor != 1) variance.mul_(factor);
  }
  void scale_root(at::Tensor& deviation) const {
    if (factor != 1) deviation.mul_(std::sqrt(factor));
  }

  int64_t whole;
  double factor = 1;
};

void check_not_empty(const at::Tensor& self, const char* name) {
  TORCH_CHECK(self.numel() > 0, name,
              "(): Expected reduction dim to be specified for input.numel() == 0. Specify the "
              "reduction dim with the 'dim' argument.");
}

}  // namespace

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  constexpr const char* family = "reduce";
#include "torchtitan_npu/csrc/aten/ops_reduce.inc"
}

}  // namespace torchtitan_npu
