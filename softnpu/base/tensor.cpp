// SPDX-License-Identifier: Apache-2.0
#include "softnpu/base/tensor.h"

#include <algorithm>

namespace npu::base {

std::string to_string(const TensorView& view) {
  std::string text = name_of(view.dtype);
  text += '[';
  for (int i = 0; i < view.rank; ++i) {
    if (i > 0) text += ", ";
    text += std::to_string(view.dims[i]);
  }
  text += ']';
  return text;
}

ByteExtent extent_of(const TensorView& view) {
  int64_t low = 0, high = 0;  // first and last element, in elements
  for (int i = 0; i < view.rank; ++i) {
    if (view.dims[i] == 0) return {};
    const int64_t reach = (view.dims[i] - 1) * view.strides[i];
    low += std::min<int64_t>(reach, 0);
    high += std::max<int64_t>(reach, 0);
  }
  if (view.dtype == DType::kUInt1) return {low / 8, high / 8 + 1};  // eight elements a byte
  const auto bytes = static_cast<int64_t>(size_of(view.dtype));
  return {low * bytes, (high + 1) * bytes};
}

}  // namespace npu::base
