// SPDX-License-Identifier: Apache-2.0
// TensorView: a strided view of host-addressable memory. A plain value, owned by whoever holds it;
// it does not keep the memory alive. Kernels see these; device addresses were resolved before.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "softnpu/base/dtype.h"

namespace npu::base {

constexpr int kMaxRank = 8;  // as CANN

struct TensorView {
  std::byte* data = nullptr;  // address of the first element (storage offset applied)
  DType dtype = DType::kUndefined;
  int8_t rank = 0;
  int16_t format = 2;  // aclFormat; 2 = ACL_FORMAT_ND
  std::array<int64_t, kMaxRank> dims{};
  std::array<int64_t, kMaxRank> strides{};  // in elements

  bool defined() const { return dtype != DType::kUndefined; }
  int64_t numel() const {
    int64_t n = 1;
    for (int i = 0; i < rank; ++i) n *= dims[i];
    return n;
  }
  /// Row-major without gaps (dims of size 1 may have any stride).
  bool is_contiguous() const {
    int64_t expected = 1;
    for (int i = rank - 1; i >= 0; --i) {
      if (dims[i] != 1 && strides[i] != expected) return false;
      expected *= dims[i];
    }
    return true;
  }
  template <class T>
  T* as() const {
    return reinterpret_cast<T*>(data);
  }
};

/// "float32[2, 3]" for messages.
std::string to_string(const TensorView& view);

/// Byte range [begin, end) that a view can touch, relative to data.
struct ByteExtent {
  int64_t begin = 0;
  int64_t end = 0;
};
ByteExtent extent_of(const TensorView& view);

}  // namespace npu::base
