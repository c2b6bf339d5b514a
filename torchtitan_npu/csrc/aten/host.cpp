// SPDX-License-Identifier: Apache-2.0
// Operators that CANN has no function for and that training uses rarely: PyTorch's CPU kernels
// compute them on copies. TORCHTITAN_NPU_FALLBACK is about operators that have no row at all.
#include <ATen/native/CPUFallback.h>
#include <torch/library.h>

#include <optional>
#include <string>
#include "torchtitan_npu/csrc/aten/fallback.h"

#include "torchtitan_npu/csrc/aten/op_table.h"

namespace torchtitan_npu {
namespace {

struct HostRow {
  const char* name;
  const char* overload;
};

constexpr HostRow kRows[] = {
    {"aten::_cholesky_solve_helper", ""},
    {"aten::_fft_c2c", ""},
    {"aten::_fft_c2r", ""},
    {"aten::_fft_r2c", ""},
    {"aten::_fused_adagrad_", ""},
    {"aten::_fused_adagrad_", "tensor_lr"},
    {"aten::_histogramdd_bin_edges", ""},
    {"aten::_histogramdd_from_bin_cts", ""},
    {"aten::_histogramdd_from_bin_tensors", ""},
    {"aten::_linalg_det", "result"},
    {"aten::_linalg_eigh", "eigenvalues"},
    {"aten::_linalg_eigvals", ""},
    {"aten::_linalg_slogdet", "sign"},
    {"aten::_linalg_solve_ex", "result"},
    {"aten::_linalg_svd", "U"},
    {"aten::_logcumsumexp", ""},
    {"aten::_pdist_backward", ""},
    {"aten::_pdist_forward", ""},
    {"aten::_segment_reduce_backward", ""},
    {"aten::angle", ""},
    {"aten::angle", "out"},
    {"aten::cholesky", ""},
    {"aten::cholesky_inverse", ""},
    {"aten::copysign", "out"},
    {"aten::digamma", "out"},
    {"aten::fmax", "out"},
    {"aten::fmin", "out"},
    {"aten::fractional_max_pool2d", ""},
    {"aten::fractional_max_pool2d_backward", ""},
    {"aten::fractional_max_pool3d", ""},
    {"aten::fractional_max_pool3d_backward", ""},
    {"aten::frexp", "Tensor_out"},
    {"aten::geqrf", ""},
    {"aten::hash_tensor", "out"},
    {"aten::heaviside", "out"},
    {"aten::histogram", "bin_ct"},
    {"aten::histogram", "bins_tensor"},
    {"aten::hypot", "out"},
    {"aten::i0", "out"},
    {"aten::igamma", "out"},
    {"aten::igammac", "out"},
    {"aten::index_reduce", "out"},
    {"aten::lcm", "out"},
    {"aten::lgamma", "out"},
    {"aten::linalg_cholesky_ex", "L"},
    {"aten::linalg_eig", ""},
    {"aten::linalg_eig", "out"},
    {"aten::linalg_householder_product", ""},
    {"aten::linalg_inv_ex", "inverse"},
    {"aten::linalg_ldl_factor_ex", "out"},
    {"aten::linalg_ldl_solve", "out"},
    {"aten::linalg_lstsq", "out"},
    {"aten::linalg_lu", "out"},
    {"aten::linalg_lu_factor_ex", "out"},
    {"aten::linalg_lu_solve", "out"},
    {"aten::linalg_matrix_exp", ""},
    {"aten::linalg_qr", "out"},
    {"aten::linalg_solve_triangular", ""},
    {"aten::linalg_solve_triangular", "out"},
    {"aten::lu_unpack", "out"},
    {"aten::mode", ""},
    {"aten::multi_margin_loss", ""},
    {"aten::multi_margin_loss_backward", ""},
    {"aten::multilabel_margin_loss_backward", ""},
    {"aten::nextafter", "out"},
    {"aten::nonzero_static", ""},
    {"aten::ormqr", ""},
    {"aten::polygamma", "out"},
    {"aten::segment_reduce", ""},
    {"aten::special_airy_ai", "out"},
    {"aten::special_bessel_j0", "out"},
    {"aten::special_bessel_j1", "out"},
    {"aten::special_bessel_y0", "out"},
    {"aten::special_bessel_y1", "out"},
    {"aten::special_chebyshev_polynomial_t", "out"},
    {"aten::special_chebyshev_polynomial_u", "out"},
    {"aten::special_chebyshev_polynomial_v", "out"},
    {"aten::special_chebyshev_polynomial_w", "out"},
    {"aten::special_entr", "out"},
    {"aten::special_erfcx", "out"},
    {"aten::special_hermite_polynomial_h", "out"},
    {"aten::special_hermite_polynomial_he", "out"},
    {"aten::special_i0e", "out"},
    {"aten::special_i1", "out"},
    {"aten::special_i1e", "out"},
    {"aten::special_laguerre_polynomial_l", "out"},
    {"aten::special_legendre_polynomial_p", "out"},
    {"aten::special_log_ndtr", "out"},
    {"aten::special_modified_bessel_i0", "out"},
    {"aten::special_modified_bessel_i1", "out"},
    {"aten::special_modified_bessel_k0", "out"},
    {"aten::special_modified_bessel_k1", "out"},
    {"aten::special_ndtri", "out"},
    {"aten::special_scaled_modified_bessel_k0", "out"},
    {"aten::special_scaled_modified_bessel_k1", "out"},
    {"aten::special_shifted_chebyshev_polynomial_t", "out"},
    {"aten::special_shifted_chebyshev_polynomial_u", "out"},
    {"aten::special_shifted_chebyshev_polynomial_v", "out"},
    {"aten::special_shifted_chebyshev_polynomial_w", "out"},
    {"aten::special_spherical_bessel_j0", "out"},
    {"aten::special_xlog1py", "out"},
    {"aten::special_zeta", "out"},
    {"aten::triangular_solve", "X"},
    {"aten::tril_indices", ""},
    {"aten::triu_indices", ""},
};

/// Not all of these kernels take half precision: float32 computes it, and is rounded once.
void compute_on_host(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  warn_of_cpu(full_name(op.operator_name()), "has no CANN function");
  std::optional<at::ScalarType> half;
  const bool writes = op.schema().is_mutable();  // into its arguments, which cannot be exchanged
  for (size_t i = stack->size() - op.schema().arguments().size(); !writes && i < stack->size();
       ++i) {
    c10::IValue& value = (*stack)[i];
    if (!value.isTensor() || !value.toTensor().defined()) continue;
    const at::ScalarType type = value.toTensor().scalar_type();
    if (!at::isReducedFloatingType(type)) continue;
    half = type;
    value = value.toTensor().to(at::kFloat);
  }
  at::native::cpu_fallback(op, stack);
  if (!half.has_value()) return;
  for (size_t i = stack->size() - op.schema().returns().size(); i < stack->size(); ++i) {
    c10::IValue& value = (*stack)[i];
    if (value.isTensor() && value.toTensor().scalar_type() == at::kFloat) {
      value = value.toTensor().to(*half);
    }
  }
}

}  // namespace

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  for (const HostRow& row : kRows) {
    std::string name = row.name;
    if (*row.overload != '\0') name.append(".").append(row.overload);
    m.impl(name.c_str(), torch::CppFunction::makeFromBoxedFunction<&compute_on_host>());
    add_operator_row({row.name, row.overload, "", "host", kFloats});
  }
}

}  // namespace torchtitan_npu
