// SPDX-License-Identifier: Apache-2.0
// What the indexing commands share: reading indices of any integer type, reporting the first bad
// one, and moving or accumulating runs of elements.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <optional>
#include <type_traits>

#include "softnpu/base/tensor.h"

namespace npu::davinci {

/// Element `offset` of an integer view.
int64_t index_at(const base::TensorView& view, int64_t offset);

/// Calls f with a null pointer to the C type that stores integer indices of `dtype`.
template <class F>
void with_index_type(base::DType dtype, F f) {
  switch (dtype) {
    case base::DType::kInt64:
      return f(static_cast<const int64_t*>(nullptr));
    case base::DType::kInt32:
      return f(static_cast<const int32_t*>(nullptr));
    case base::DType::kInt16:
      return f(static_cast<const int16_t*>(nullptr));
    case base::DType::kInt8:
      return f(static_cast<const int8_t*>(nullptr));
    default:
      return f(static_cast<const uint8_t*>(nullptr));
  }
}

/// Calls f with a null pointer to the C type of `dtype`'s elements and returns true; false for
/// types that C does not have: halves and complex numbers.
template <class F>
bool with_number_type(base::DType dtype, F f) {
  switch (dtype) {
#define NPU_NUMBER(name, type)            \
  case base::DType::name:                 \
    f(static_cast<const type*>(nullptr)); \
    return true;
    NPU_NUMBER(kFloat, float)
    NPU_NUMBER(kDouble, double)
    NPU_NUMBER(kInt64, int64_t)
    NPU_NUMBER(kUInt64, uint64_t)
    NPU_NUMBER(kInt32, int32_t)
    NPU_NUMBER(kUInt32, uint32_t)
    NPU_NUMBER(kInt16, int16_t)
    NPU_NUMBER(kUInt16, uint16_t)
    NPU_NUMBER(kInt8, int8_t)
    NPU_NUMBER(kUInt8, uint8_t)
    NPU_NUMBER(kBool, bool)
#undef NPU_NUMBER
    default:
      return false;
  }
}

/// a + b and a * b as PyTorch's integers: they wrap; bools are "or" and "and".
template <class T>
T wrapping_sum(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return a + b;
  } else if constexpr (std::is_same_v<T, bool>) {
    return a || b;
  } else {
    return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  }
}
template <class T>
T wrapping_product(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return a * b;
  } else if constexpr (std::is_same_v<T, bool>) {
    return a && b;
  } else {
    return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  }
}

/// Calls f with a value of an unsigned type of that size, for moving elements; 16-byte elements
/// give a pair.
struct WideElement {
  uint64_t parts[2];
};
template <class F>
void with_element(size_t size, F f) {
  switch (size) {
    case 1:
      return f(uint8_t{});
    case 2:
      return f(uint16_t{});
    case 4:
      return f(uint32_t{});
    case 8:
      return f(uint64_t{});
    default:
      return f(WideElement{});
  }
}

/// Remembers the bad index with the smallest position, so that the message does not depend on the
/// order in which workers met them. note() may be called from any worker.
class IndexCheck {
 public:
  /// True when 0 <= value < bound; wraps a negative value first if `wrap`.
  bool accept(int64_t position, int64_t& value, int64_t bound, bool wrap) {
    const int64_t given = value;
    if (wrap && value < 0) value += bound;
    if (value >= 0 && value < bound) [[likely]]
      return true;
    note(position, given, bound);
    return false;
  }
  void note(int64_t position, int64_t value, int64_t bound);
  /// Throws base::Error naming index, position and bound if one was bad. `what` says what the index
  /// selects: "dimension 1 of the input".
  void finish(const char* what) const;

  struct Bad {
    int64_t position, value, bound;
  };
  /// The bad index that finish() would name.
  std::optional<Bad> first() const {
    if (position_ == std::numeric_limits<int64_t>::max()) return std::nullopt;
    return Bad{position_, value_, bound_};
  }

 private:
  std::atomic_flag busy_ = ATOMIC_FLAG_INIT;
  int64_t position_ = std::numeric_limits<int64_t>::max();
  int64_t value_ = 0, bound_ = 0;
};

/// dst[i] = src[i] for n elements of `size` bytes, strides in elements.
void copy_run(std::byte* dst, int64_t dst_stride, const std::byte* src, int64_t src_stride,
              int64_t n, size_t size);

enum class Combine : uint8_t { kAdd, kMultiply };
/// dst[i] = dst[i] + src[i] or dst[i] * src[i] in dtype (halves through float, bool as "or"/"and").
void combine_run(base::DType dtype, Combine combine, std::byte* dst, int64_t dst_stride,
                 const std::byte* src, int64_t src_stride, int64_t n);

}  // namespace npu::davinci
