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

/// A variance's correction. CANN's is a whole number; with any other, the variance without
/// correction is scaled.
class Correction {
 public:
  explicit Correction(const std::optional<at::Scalar>& correction)
      : value_(correction.has_value() ? correction->toDouble() : 1),
        is_whole_(value_ == std::floor(value_)) {}
  int64_t whole() const { return is_whole_ ? static_cast<int64_t>(value_) : 0; }
  at::Tensor variance(const at::Tensor& self, at::Tensor out) const {
    return is_whole_ ? out : out.mul_(factor(self, out));
  }
  at::Tensor deviation(const at::Tensor& self, at::Tensor out) const {
    return is_whole_ ? out : out.mul_(std::sqrt(factor(self, out)));
  }

 private:
  double factor(const at::Tensor& self, const at::Tensor& out) const {
    const double count =
        static_cast<double>(self.numel()) / static_cast<double>(std::max<int64_t>(out.numel(), 1));
    return count / std::max(0., count - value_);
  }
  double value_;
  bool is_whole_;
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
