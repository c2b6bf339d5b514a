// SPDX-License-Identifier: Apache-2.0
#include "softnpu/aol/build/types.h"

namespace npu::aol {
namespace {

enum Kind { kBoolKind, kIntegerKind, kFloatingKind, kComplexKind };

Kind kind_of(DType dtype) {
  if (dtype == DType::kBool) return kBoolKind;
  if (base::is_complex(dtype)) return kComplexKind;
  return base::is_floating(dtype) ? kFloatingKind : kIntegerKind;
}

bool is_signed(DType dtype) {
  return dtype == DType::kInt8 || dtype == DType::kInt16 || dtype == DType::kInt32 ||
         dtype == DType::kInt64;
}

DType signed_integer(size_t bytes) {
  return bytes == 1   ? DType::kInt8
         : bytes == 2 ? DType::kInt16
         : bytes == 4 ? DType::kInt32
                      : DType::kInt64;
}

DType promote_integers(DType a, DType b) {
  const size_t size_a = base::size_of(a), size_b = base::size_of(b);
  if (is_signed(a) == is_signed(b)) return size_a >= size_b ? a : b;
  const size_t with_sign = is_signed(a) ? size_a : size_b;
  const size_t without = is_signed(a) ? size_b : size_a;
  if (with_sign > without) return signed_integer(with_sign);
  expect(without < 8, "no type holds values of both ", base::name_of(a), " and ", base::name_of(b));
  return signed_integer(2 * without);
}

DType promote_floating(DType a, DType b) {
  if (a == DType::kDouble || b == DType::kDouble) return DType::kDouble;
  return DType::kFloat;  // two different ones below double: float32 holds both
}

DType promote_complex(DType a, DType b) {
  const auto wide = [](DType t) { return t == DType::kDouble || t == DType::kComplex128; };
  if (wide(a) || wide(b)) return DType::kComplex128;
  const auto narrow = [](DType t) { return t == DType::kComplex32 || t == DType::kHalf; };
  return narrow(a) && narrow(b) ? DType::kComplex32 : DType::kComplex64;
}

}  // namespace

DType promote(DType a, DType b) {
  if (a == b) return a;
  const Kind kind_a = kind_of(a), kind_b = kind_of(b);
  const Kind kind = std::max(kind_a, kind_b);
  if (kind == kComplexKind) return promote_complex(a, b);
  if (kind_a != kind_b) return kind_a > kind_b ? a : b;
  return kind == kFloatingKind ? promote_floating(a, b) : promote_integers(a, b);
}

DType promote(DType tensor, const Scalar& number) {
  const Kind kind = kind_of(number.dtype);
  if (kind <= kind_of(tensor)) return tensor;
  if (kind == kComplexKind) {
    return tensor == DType::kDouble ? DType::kComplex128 : DType::kComplex64;
  }
  return kind == kFloatingKind ? DType::kFloat : DType::kInt64;
}

bool can_store(DType from, DType to) {
  return kind_of(from) <= kind_of(to) ||
         (kind_of(to) == kIntegerKind && kind_of(from) == kIntegerKind);
}

void expect_storable(DType from, const TensorView& out, const char* role) {
  expect(can_store(from, out.dtype), role, " is ", base::name_of(out.dtype),
         ", which cannot hold the result of type ", base::name_of(from));
}

void expect_type(const TensorView& view, std::initializer_list<DType> allowed, const char* role) {
  std::string names;
  for (const DType dtype : allowed) {
    if (view.dtype == dtype) return;
    names += names.empty() ? "" : ", ";
    names += base::name_of(dtype);
  }
  expect(false, role, " is ", base::name_of(view.dtype), "; allowed: ", names);
}

void expect_same_type(const TensorView& a, const char* a_role, const TensorView& b,
                      const char* b_role) {
  expect(a.dtype == b.dtype, a_role, " is ", base::name_of(a.dtype), " and ", b_role, " is ",
         base::name_of(b.dtype), "; they must be of one type");
}

void expect_floating(const TensorView& view, const char* role) {
  if (base::is_complex(view.dtype)) expect_native(view, role);
  expect(base::is_floating(view.dtype), role, " is ", base::name_of(view.dtype),
         "; allowed: float32, float16, bfloat16, float64");
}

void expect_index(const TensorView& view, const char* role) {
  expect_type(view, {DType::kInt64, DType::kInt32}, role);
}

void expect_native(const TensorView& view, const char* role, bool has_double) {
  if (base::is_complex(view.dtype) || (!has_double && view.dtype == DType::kDouble)) {
    throw NoNativeKernel(ACLNN_ERR_PARAM_INVALID,
                         base::message(role, " is ", base::name_of(view.dtype),
                                       ", which softnpu does not support here"));
  }
}

}  // namespace npu::aol
