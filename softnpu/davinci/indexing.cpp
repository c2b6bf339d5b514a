// SPDX-License-Identifier: Apache-2.0
#include "softnpu/davinci/indexing.h"

#include <algorithm>
#include <cstring>

#include "acl/acl_error.h"
#include "softnpu/base/error.h"
#include "softnpu/davinci/kernel_table.h"

namespace npu::davinci {

int64_t index_at(const base::TensorView& view, int64_t offset) {
  switch (view.dtype) {
    case DType::kInt64:
      return view.as<int64_t>()[offset];
    case DType::kInt32:
      return view.as<int32_t>()[offset];
    case DType::kInt16:
      return view.as<int16_t>()[offset];
    case DType::kInt8:
      return view.as<int8_t>()[offset];
    default:
      return view.as<uint8_t>()[offset];
  }
}

void IndexCheck::note(int64_t position, int64_t value, int64_t bound) {
  while (busy_.test_and_set(std::memory_order_acquire)) {
  }
  if (position < position_) {
    position_ = position;
    value_ = value;
    bound_ = bound;
  }
  busy_.clear(std::memory_order_release);
}

void IndexCheck::finish(const char* what) const {
  base::require(position_ == std::numeric_limits<int64_t>::max(),
                ACL_ERROR_RT_VECTOR_CORE_EXCEPTION, "index ", value_, " at position ", position_,
                " is out of bounds for ", what, " with size ", bound_);
}

namespace {

template <class T>
void copy_elements(std::byte* dst, int64_t dst_stride, const std::byte* src, int64_t src_stride,
                   int64_t n) {
  T* to = reinterpret_cast<T*>(dst);
  const T* from = reinterpret_cast<const T*>(src);
  for (int64_t i = 0; i < n; ++i) to[i * dst_stride] = from[i * src_stride];
}

template <class T>
void combine_elements(Combine combine, std::byte* dst, int64_t dst_stride, const std::byte* src,
                      int64_t src_stride, int64_t n) {
  T* to = reinterpret_cast<T*>(dst);
  const T* from = reinterpret_cast<const T*>(src);
  if (combine == Combine::kAdd) {
    for (int64_t i = 0; i < n; ++i) {
      to[i * dst_stride] = static_cast<T>(to[i * dst_stride] + from[i * src_stride]);
    }
  } else {
    for (int64_t i = 0; i < n; ++i) {
      to[i * dst_stride] = static_cast<T>(to[i * dst_stride] * from[i * src_stride]);
    }
  }
}

// Types without arithmetic of their own.
void combine_halves(DType dtype, Combine combine, std::byte* dst, int64_t dst_stride,
                    const std::byte* src, int64_t src_stride, int64_t n) {
  const ConvertTile widen = kernels().convert_tile(DType::kFloat, dtype);
  const ConvertTile narrow = kernels().convert_tile(dtype, DType::kFloat);
  constexpr int64_t kTile = 128;
  uint16_t raw[kTile];
  float a[kTile], b[kTile];
  for (int64_t i = 0; i < n; i += kTile) {
    const int64_t count = std::min(kTile, n - i);
    auto* to = reinterpret_cast<uint16_t*>(dst) + i * dst_stride;
    const auto* from = reinterpret_cast<const uint16_t*>(src) + i * src_stride;
    for (int64_t j = 0; j < count; ++j) raw[j] = to[j * dst_stride];
    widen(a, raw, count);
    for (int64_t j = 0; j < count; ++j) raw[j] = from[j * src_stride];
    widen(b, raw, count);
    for (int64_t j = 0; j < count; ++j) a[j] = combine == Combine::kAdd ? a[j] + b[j] : a[j] * b[j];
    narrow(raw, a, count);
    for (int64_t j = 0; j < count; ++j) to[j * dst_stride] = raw[j];
  }
}

}  // namespace

void copy_run(std::byte* dst, int64_t dst_stride, const std::byte* src, int64_t src_stride,
              int64_t n, size_t size) {
  switch (size) {
    case 1:
      return copy_elements<uint8_t>(dst, dst_stride, src, src_stride, n);
    case 2:
      return copy_elements<uint16_t>(dst, dst_stride, src, src_stride, n);
    case 4:
      return copy_elements<uint32_t>(dst, dst_stride, src, src_stride, n);
    case 8:
      return copy_elements<uint64_t>(dst, dst_stride, src, src_stride, n);
    default:
      break;
  }
  const auto bytes = static_cast<int64_t>(size);
  for (int64_t i = 0; i < n; ++i) {
    std::memcpy(dst + i * dst_stride * bytes, src + i * src_stride * bytes, size);
  }
}

void combine_run(DType dtype, Combine combine, std::byte* dst, int64_t dst_stride,
                 const std::byte* src, int64_t src_stride, int64_t n) {
  switch (dtype) {
#define NPU_COMBINE(name, type) \
  case DType::name:             \
    return combine_elements<type>(combine, dst, dst_stride, src, src_stride, n);
    NPU_COMBINE(kFloat, float)
    NPU_COMBINE(kDouble, double)
    // Unsigned arithmetic: the same bits as signed, and wrapping is defined.
    NPU_COMBINE(kInt64, uint64_t)
    NPU_COMBINE(kUInt64, uint64_t)
    NPU_COMBINE(kInt32, uint32_t)
    NPU_COMBINE(kUInt32, uint32_t)
    NPU_COMBINE(kInt16, uint16_t)
    NPU_COMBINE(kUInt16, uint16_t)
    NPU_COMBINE(kInt8, uint8_t)
    NPU_COMBINE(kUInt8, uint8_t)
    NPU_COMBINE(kBool, bool)
#undef NPU_COMBINE
    default:
      return combine_halves(dtype, combine, dst, dst_stride, src, src_stride, n);
  }
}

}  // namespace npu::davinci
