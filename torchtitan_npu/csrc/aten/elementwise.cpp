// SPDX-License-Identifier: Apache-2.0
#include <ATen/core/Tensor.h>
// BEGIN ROW HEADERS
#include <ATen/ops/abs_ops.h>
#include <ATen/ops/acos_meta.h>
#include <ATen/ops/acos_ops.h>
#include <ATen/ops/acosh_meta.h>
#include <ATen/ops/acosh_ops.h>
#include <ATen/ops/add_meta.h>
#include <ATen/ops/add_ops.h>
#include <ATen/ops/addcdiv_meta.h>
#include <ATen/ops/addcdiv_ops.h>
#include <ATen/ops/addcmul_meta.h>
#include <ATen/ops/addcmul_ops.h>
#include <ATen/ops/asin_meta.h>
#include <ATen/ops/asin_ops.h>
#include <ATen/ops/asinh_meta.h>
#include <ATen/ops/asinh_ops.h>
#include <ATen/ops/atan2_meta.h>
#include <ATen/ops/atan2_ops.h>
#include <ATen/ops/atan_meta.h>
#include <ATen/ops/atan_ops.h>
#include <ATen/ops/atanh_meta.h>
#include <ATen/ops/atanh_ops.h>
#include <ATen/ops/ceil_meta.h>
#include <ATen/ops/ceil_ops.h>
#include <ATen/ops/clamp_max_meta.h>
#include <ATen/ops/clamp_max_ops.h>
#include <ATen/ops/clamp_meta.h>
#include <ATen/ops/clamp_min_meta.h>
#include <ATen/ops/clamp_min_ops.h>
#include <ATen/ops/clamp_ops.h>
#include <ATen/ops/complex_ops.h>
#include <ATen/ops/cos_meta.h>
#include <ATen/ops/cos_ops.h>
#include <ATen/ops/cosh_meta.h>
#include <ATen/ops/cosh_ops.h>
#include <ATen/ops/div_meta.h>
#include <ATen/ops/div_ops.h>
#include <ATen/ops/erf_meta.h>
#include <ATen/ops/erf_ops.h>
#include <ATen/ops/erfc_meta.h>
#include <ATen/ops/erfc_ops.h>
#include <ATen/ops/erfinv_meta.h>
#include <ATen/ops/erfinv_ops.h>
#include <ATen/ops/exp2_meta.h>
#include <ATen/ops/exp2_ops.h>
#include <ATen/ops/exp_meta.h>
#include <ATen/ops/exp_ops.h>
#include <ATen/ops/expm1_meta.h>
#include <ATen/ops/expm1_ops.h>
#include <ATen/ops/floor_divide_ops.h>
#include <ATen/ops/floor_meta.h>
#include <ATen/ops/floor_ops.h>
#include <ATen/ops/fmod_meta.h>
#include <ATen/ops/fmod_ops.h>
#include <ATen/ops/frac_meta.h>
#include <ATen/ops/frac_ops.h>
#include <ATen/ops/gcd_meta.h>
#include <ATen/ops/gcd_ops.h>
#include <ATen/ops/lerp_meta.h>
#include <ATen/ops/lerp_ops.h>
#include <ATen/ops/log10_meta.h>
#include <ATen/ops/log10_ops.h>
#include <ATen/ops/log1p_meta.h>
#include <ATen/ops/log1p_ops.h>
#include <ATen/ops/log2_meta.h>
#include <ATen/ops/log2_ops.h>
#include <ATen/ops/log_meta.h>
#include <ATen/ops/log_ops.h>
#include <ATen/ops/logaddexp2_meta.h>
#include <ATen/ops/logaddexp2_ops.h>
#include <ATen/ops/logaddexp_meta.h>
#include <ATen/ops/logaddexp_ops.h>
#include <ATen/ops/logit_backward_meta.h>
#include <ATen/ops/logit_backward_ops.h>
#include <ATen/ops/logit_ops.h>
#include <ATen/ops/maximum_meta.h>
#include <ATen/ops/maximum_ops.h>
#include <ATen/ops/minimum_meta.h>
#include <ATen/ops/minimum_ops.h>
#include <ATen/ops/mul_meta.h>
#include <ATen/ops/mul_ops.h>
#include <ATen/ops/nan_to_num_ops.h>
#include <ATen/ops/neg_meta.h>
#include <ATen/ops/neg_ops.h>
#include <ATen/ops/polar_ops.h>
#include <ATen/ops/pow_meta.h>
#include <ATen/ops/pow_ops.h>
#include <ATen/ops/reciprocal_meta.h>
#include <ATen/ops/reciprocal_ops.h>
#include <ATen/ops/remainder_meta.h>
#include <ATen/ops/remainder_ops.h>
#include <ATen/ops/round_meta.h>
#include <ATen/ops/round_ops.h>
#include <ATen/ops/rsqrt_meta.h>
#include <ATen/ops/rsqrt_ops.h>
#include <ATen/ops/rsub_ops.h>
#include <ATen/ops/sgn_meta.h>
#include <ATen/ops/sgn_ops.h>
#include <ATen/ops/sigmoid_meta.h>
#include <ATen/ops/sigmoid_ops.h>
#include <ATen/ops/sign_meta.h>
#include <ATen/ops/sign_ops.h>
#include <ATen/ops/signbit_meta.h>
#include <ATen/ops/signbit_ops.h>
#include <ATen/ops/sin_meta.h>
#include <ATen/ops/sin_ops.h>
#include <ATen/ops/sinc_meta.h>
#include <ATen/ops/sinc_ops.h>
#include <ATen/ops/sinh_meta.h>
#include <ATen/ops/sinh_ops.h>
#include <ATen/ops/sqrt_meta.h>
#include <ATen/ops/sqrt_ops.h>
#include <ATen/ops/sub_meta.h>
#include <ATen/ops/sub_ops.h>
#include <ATen/ops/tan_meta.h>
#include <ATen/ops/tan_ops.h>
#include <ATen/ops/tanh_meta.h>
#include <ATen/ops/tanh_ops.h>
#include <ATen/ops/trunc_meta.h>
#include <ATen/ops/trunc_ops.h>
#include <ATen/ops/where_ops.h>
#include <ATen/ops/xlogy_meta.h>
#include <ATen/ops/xlogy_ops.h>
// END ROW HEADERS

#include <ATen/ExpandUtils.h>
#include <ATen/ops/result_type.h>
#include <ATen/ops/sub.h>

#include <limits>
#include <utility>

#include "aclnnop/aclnnop.h"
#include "torchtitan_npu/csrc/aten/factory.h"
#include "torchtitan_npu/csrc/aten/op_row.h"
#include "torchtitan_npu/csrc/aten/rules.h"

namespace torchtitan_npu {
namespace {

at::Tensor in_floats(const at::Tensor& self) {
  return at::isIntegralType(self.scalar_type(), true)
             ? self.to(at::get_default_dtype_as_scalartype())
             : self;
}

/// Two parts of complex numbers, and where these go.
void check_parts(const at::Tensor& first, const at::Tensor& second, const at::Tensor& out) {
  TORCH_CHECK(at::isFloatingType(first.scalar_type()),
              "Expected both inputs to be Half, Float or Double tensors but got ",
              first.scalar_type(), " and ", second.scalar_type());
  TORCH_CHECK(first.scalar_type() == second.scalar_type(), "Expected object of scalar type ",
              first.scalar_type(), " but got scalar type ", second.scalar_type(),
              " for second argument");
  const at::ScalarType type = c10::toComplexType(first.scalar_type());
  TORCH_CHECK(out.scalar_type() == type, "Expected object of scalar type ", type,
              " but got scalar type ", out.scalar_type(), " for argument 'out'");
}

template <class T>
std::pair<double, double> limits() {
  return {std::numeric_limits<T>::lowest(), std::numeric_limits<T>::max()};
}

std::pair<double, double> bounds_of(at::ScalarType type) {
  if (type == at::kHalf) return limits<at::Half>();
  if (type == at::kBFloat16) return limits<at::BFloat16>();
  return limits<float>();
}

void check_subtraction(const at::Tensor& self, const at::Tensor& other) {
  TORCH_CHECK(self.scalar_type() != at::kBool && other.scalar_type() != at::kBool,
              "Subtraction, the `-` operator, with a bool tensor is not supported. If you are "
              "trying to invert a mask, use the `~` or `logical_not()` operator instead.");
}

at::DimVector where_sizes(const at::Tensor& condition, const at::Tensor& self,
                          const at::Tensor& other) {
  return at::infer_size_dimvector(at::infer_size_dimvector(condition.sizes(), self.sizes()),
                                  other.sizes());
}

// CANN's where takes two values of one type.
void select_where(const at::Tensor& condition, const at::Tensor& self, const at::Tensor& other,
                  const at::Tensor& out) {
  const at::ScalarType type = at::result_type(self, other);
  TORCH_CHECK(condition.scalar_type() == at::kBool || condition.scalar_type() == at::kByte,
              "where expected condition to be a boolean tensor, but got a tensor with dtype ",
              condition.scalar_type());
  TORCH_CHECK(out.scalar_type() == type, "Expected out type to be ", type, " but got ",
              out.scalar_type());
  ACLNN(SWhere)(condition, self.to(type), other.to(type), out);
}

}  // namespace

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  constexpr const char* family = "elementwise";
#include "torchtitan_npu/csrc/aten/ops_elementwise.inc"
}

}  // namespace torchtitan_npu
