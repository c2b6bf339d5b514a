// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "softnpu/aol/meta/handles.h"
#include "softnpu/aol/meta/trace.h"
#include "softnpu/base/half.h"

namespace npu::aol {
namespace {

template <class T>
T load(const void* value) {
  T result;
  std::memcpy(&result, value, sizeof result);
  return result;
}

base::Scalar floating(double value, double imag = 0) {
  // Out-of-range doubles have no integer value; nothing reads `i` of a floating scalar then.
  const bool fits = value >= -0x1p63 && value < 0x1p63;
  return {base::DType::kDouble, value, fits ? static_cast<int64_t>(value) : 0, imag};
}

base::Scalar integer(int64_t value) { return base::Scalar::of_int(value); }

base::Scalar read_scalar(const void* value, base::DType dtype) {
  using base::DType;
  switch (dtype) {
    case DType::kFloat:
      return floating(load<float>(value));
    case DType::kDouble:
      return floating(load<double>(value));
    case DType::kHalf:
      return floating(base::half_to_float(load<uint16_t>(value)));
    case DType::kBFloat16:
      return floating(base::bfloat16_to_float(load<uint16_t>(value)));
    case DType::kBool:
      return integer(load<uint8_t>(value) != 0);
    case DType::kInt8:
      return integer(load<int8_t>(value));
    case DType::kUInt8:
      return integer(load<uint8_t>(value));
    case DType::kInt16:
      return integer(load<int16_t>(value));
    case DType::kUInt16:
      return integer(load<uint16_t>(value));
    case DType::kInt32:
      return integer(load<int32_t>(value));
    case DType::kUInt32:
      return integer(load<uint32_t>(value));
    case DType::kInt64:
      return integer(load<int64_t>(value));
    case DType::kUInt64: {
      const auto number = load<uint64_t>(value);
      return {dtype, static_cast<double>(number), static_cast<int64_t>(number), 0};
    }
    case DType::kComplex64:
      return floating(load<float>(value), load<std::array<float, 2>>(value)[1]);
    case DType::kComplex128:
      return floating(load<double>(value), load<std::array<double, 2>>(value)[1]);
    default:
      base::fail(ACLNN_ERR_PARAM_INVALID, "dataType ", static_cast<int>(dtype),
                 " is not supported for a scalar");
  }
}

}  // namespace
}  // namespace npu::aol

aclScalar* aclCreateScalar(void* value, aclDataType dataType) {
  aclScalar* scalar = nullptr;
  npu::base::guard("aclCreateScalar", [&] {
    npu::aol::require_pointer(value, "value");
    const auto dtype = static_cast<npu::base::DType>(dataType);
    npu::base::Scalar number = npu::aol::read_scalar(value, dtype);
    number.dtype = dtype;
    scalar = npu::aol::create<aclScalar>();
    scalar->value = number;
  });
  return scalar;
}

aclnnStatus aclDestroyScalar(const aclScalar* scalar) {
  return npu::aol::destroy_handle("aclDestroyScalar", scalar);
}
