// SPDX-License-Identifier: Apache-2.0
// Element types of results, as PyTorch promotes them.
#pragma once

#include "softnpu/aol/build/args.h"

namespace npu::aol {

/// Type that holds values of both. Throws when there is none (two unsigned types and a signed one).
DType promote(DType a, DType b);
/// A tensor of type `tensor` with a number: the number counts only if its kind (bool, integer,
/// floating, complex) is higher.
DType promote(DType tensor, const Scalar& number);
/// Result of a function that has no integer form: float32 for integers.
constexpr DType floating_of(DType dtype) {
  return base::is_integral(dtype) ? DType::kFloat : dtype;
}
/// Type of intermediate results: float64 for float64, else float32.
constexpr DType working_type(DType dtype) {
  return dtype == DType::kDouble ? DType::kDouble : DType::kFloat;
}
/// Whether results of type `from` may be stored as `to`: not from complex to real, floating to
/// integer, or a number to bool.
bool can_store(DType from, DType to);

/// Throws unless a result of type `from` may be stored in `out`.
void expect_storable(DType from, const TensorView& out, const char* role);
/// Throws unless `view` has one of the types.
void expect_type(const TensorView& view, std::initializer_list<DType> allowed, const char* role);
void expect_same_type(const TensorView& a, const char* a_role, const TensorView& b,
                      const char* b_role);
void expect_floating(const TensorView& view, const char* role);
/// int64 or int32 indices.
void expect_index(const TensorView& view, const char* role);
/// Throws NoNativeKernel for complex types (and, unless `has_double`, float64).
void expect_native(const TensorView& view, const char* role, bool has_double = true);

}  // namespace npu::aol
