// SPDX-License-Identifier: Apache-2.0
#include "softnpu/aicpu/library/values.h"

#include <ATen/ScalarOps.h>
#include <ATen/ops/from_blob.h>

#include <vector>

namespace npu::aicpu {
namespace {

using Kind = AtenValue::Kind;

c10::Scalar as_scalar(const base::Scalar& scalar) {
  if (scalar.dtype == base::DType::kBool) return scalar.i != 0;
  if (base::is_integral(scalar.dtype)) return scalar.i;
  if (base::is_complex(scalar.dtype)) return c10::complex<double>(scalar.f, scalar.imag);
  return scalar.f;
}

c10::IValue as_number(const base::Scalar& scalar, const c10::Type& type) {
  switch (type.kind()) {
    case c10::TypeKind::IntType:
    case c10::TypeKind::SymIntType:
      return scalar.i;
    case c10::TypeKind::FloatType:
      return scalar.f;
    case c10::TypeKind::BoolType:
      return scalar.i != 0;
    case c10::TypeKind::TensorType:
      return c10::scalar_to_tensor(as_scalar(scalar));
    default:
      return as_scalar(scalar);
  }
}

c10::IValue as_list(const AtenValue& value, const c10::Type& type) {
  const bool optional_elements =
      type.kind() == c10::TypeKind::ListType &&
      type.castRaw<c10::ListType>()->getElementType()->kind() == c10::TypeKind::OptionalType;
  if (optional_elements) {
    c10::List<std::optional<at::Tensor>> list;
    for (size_t i = 0; i < value.count; ++i) {
      const base::TensorView& view = value.tensors[i];
      // Adapters write an absent index as an empty tensor.
      const bool absent = !view.defined() || (view.rank == 1 && view.dims[0] == 0);
      list.push_back(absent ? std::nullopt : std::make_optional(as_tensor(view)));
    }
    return list;
  }
  c10::List<at::Tensor> list;
  for (size_t i = 0; i < value.count; ++i) list.push_back(as_tensor(value.tensors[i]));
  return list;
}

}  // namespace

c10::ScalarType scalar_type(base::DType dtype) {
  using base::DType;
  switch (dtype) {
    case DType::kFloat:
      return c10::kFloat;
    case DType::kHalf:
      return c10::kHalf;
    case DType::kBFloat16:
      return c10::kBFloat16;
    case DType::kDouble:
      return c10::kDouble;
    case DType::kInt8:
      return c10::kChar;
    case DType::kUInt8:
      return c10::kByte;
    case DType::kInt16:
      return c10::kShort;
    case DType::kUInt16:
      return c10::kUInt16;
    case DType::kInt32:
      return c10::kInt;
    case DType::kUInt32:
      return c10::kUInt32;
    case DType::kInt64:
      return c10::kLong;
    case DType::kUInt64:
      return c10::kUInt64;
    case DType::kBool:
      return c10::kBool;
    case DType::kComplex32:
      return c10::kComplexHalf;
    case DType::kComplex64:
      return c10::kComplexFloat;
    case DType::kComplex128:
      return c10::kComplexDouble;
    default:
      TORCH_CHECK(false, "element type ", base::name_of(dtype), " has no counterpart");
  }
}

at::Tensor as_tensor(const base::TensorView& view) {
  const auto rank = static_cast<size_t>(view.rank);
  return at::for_blob(view.data, at::IntArrayRef(view.dims.data(), rank))
      .strides(at::IntArrayRef(view.strides.data(), rank))
      .options(at::TensorOptions(scalar_type(view.dtype)).device(at::kCPU))
      .target_device(at::Device(at::kCPU))
      .make_tensor();
}

c10::IValue as_ivalue(const AtenValue& value, const c10::Argument& argument) {
  const c10::Type* type = argument.type().get();
  if (type->kind() == c10::TypeKind::OptionalType) {
    if (value.kind == Kind::kNone) return {};
    type = type->castRaw<c10::OptionalType>()->getElementType().get();
  }
  switch (value.kind) {
    case Kind::kTensor: {
      const at::Tensor tensor = as_tensor(value.tensors[0]);
      if (type->kind() == c10::TypeKind::ListType) return c10::List<at::Tensor>({tensor});
      return tensor;
    }
    case Kind::kTensors:
      return as_list(value, *type);
    case Kind::kScalar: {
      if (type->kind() != c10::TypeKind::ListType) return as_number(value.scalar, *type);
      return c10::List<int64_t>({value.scalar.i});
    }
    case Kind::kInts:
      return c10::List<int64_t>(at::IntArrayRef(value.integers, value.count));
    case Kind::kFloats: {
      c10::List<double> list;
      for (size_t i = 0; i < value.count; ++i) list.push_back(value.floats[i]);
      return list;
    }
    case Kind::kBools: {
      c10::List<bool> list;
      for (size_t i = 0; i < value.count; ++i) list.push_back(value.bools[i] != 0);
      return list;
    }
    case Kind::kText:
      return std::string(value.text);
    case Kind::kDtype:
      return static_cast<int64_t>(scalar_type(value.dtype));
    case Kind::kNone:
      break;
  }
  if (argument.default_value()) return *argument.default_value();
  TORCH_CHECK(type->kind() == c10::TypeKind::TensorType, argument.name(), " is missing");
  return at::Tensor();
}

void store_result(const at::Tensor& result, AtenValue& value) {
  base::TensorView& view = value.tensors[0];
  const auto sizes = result.sizes();
  if (at::IntArrayRef(view.dims.data(), static_cast<size_t>(view.rank)) != sizes) {
    const int64_t bytes = result.numel() * static_cast<int64_t>(base::size_of(view.dtype));
    TORCH_CHECK(bytes <= value.capacity_bytes && sizes.size() <= base::kMaxRank,
                "the result has shape ", sizes, " and needs ", bytes, " bytes; the output has ",
                value.capacity_bytes);
    view.rank = static_cast<int8_t>(sizes.size());
    view.dims = {};
    view.strides = {};
    int64_t stride = 1;
    for (int i = view.rank - 1; i >= 0; --i) {
      view.dims[i] = sizes[i];
      view.strides[i] = stride;
      stride *= sizes[i];
    }
  }
  if (result.numel() != 0) as_tensor(view).copy_(result);
}

}  // namespace npu::aicpu
