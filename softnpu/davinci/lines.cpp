// SPDX-License-Identifier: Apache-2.0
#include "softnpu/davinci/lines.h"

#include <algorithm>

namespace npu::davinci {

LineView::LineView(const TensorView& view, int64_t length, int64_t stride, DType compute)
    : data_(view.data),
      length_(length),
      stride_(stride),
      size_(static_cast<int64_t>(base::size_of(view.dtype))),
      compute_size_(static_cast<int64_t>(base::size_of(compute))) {
  if (view.dtype != compute) {
    to_compute_ = kernels().convert_tile(compute, view.dtype);
    from_compute_ = kernels().convert_tile(view.dtype, compute);
  }
}

const std::byte* LineView::load(int64_t offset, std::byte* buffer) const {
  const std::byte* line = data_ + offset * size_;
  if (in_place()) return line;
  alignas(64) std::byte raw[kTileElements * 8];
  for (int64_t i = 0; i < length_; i += kTileElements) {
    const int64_t n = std::min<int64_t>(kTileElements, length_ - i);
    std::byte* to = buffer + i * compute_size_;
    const std::byte* from = line + i * stride_ * size_;
    if (to_compute_ == nullptr) {
      gather_run(to, from, stride_, n, static_cast<size_t>(size_));
    } else if (stride_ == 1) {
      to_compute_(to, from, n);
    } else {
      gather_run(raw, from, stride_, n, static_cast<size_t>(size_));
      to_compute_(to, raw, n);
    }
  }
  return buffer;
}

std::byte* LineView::target(int64_t offset, std::byte* buffer) const {
  return in_place() ? data_ + offset * size_ : buffer;
}

void LineView::store(int64_t offset, const std::byte* source) const {
  if (in_place()) return;
  std::byte* line = data_ + offset * size_;
  alignas(64) std::byte raw[kTileElements * 8];
  for (int64_t i = 0; i < length_; i += kTileElements) {
    const int64_t n = std::min<int64_t>(kTileElements, length_ - i);
    const std::byte* from = source + i * compute_size_;
    std::byte* to = line + i * stride_ * size_;
    if (from_compute_ == nullptr) {
      scatter_run(to, from, stride_, n, static_cast<size_t>(size_));
    } else if (stride_ == 1) {
      from_compute_(to, from, n);
    } else {
      from_compute_(raw, from, n);
      scatter_run(to, raw, stride_, n, static_cast<size_t>(size_));
    }
  }
}

double load_number(const TensorView& view, int64_t offset) {
  const auto size = static_cast<int64_t>(base::size_of(view.dtype));
  double value = 0;
  kernels().convert_tile(DType::kDouble, view.dtype)(&value, view.data + offset * size, 1);
  return value;
}

void store_number(const TensorView& view, int64_t offset, double value) {
  const auto size = static_cast<int64_t>(base::size_of(view.dtype));
  kernels().convert_tile(view.dtype, DType::kDouble)(view.data + offset * size, &value, 1);
}

Nest nest_of_lines(std::span<const TensorView* const> views, int dim) {
  std::array<TensorView, kMaxOperands> copies;
  std::array<const TensorView*, kMaxOperands> pointers{};
  for (size_t i = 0; i < views.size(); ++i) {
    copies[i] = *views[i];
    if (copies[i].rank > 0) copies[i].dims[dim] = 1;
    pointers[i] = &copies[i];
  }
  return make_nest({pointers.data(), views.size()});
}

}  // namespace npu::davinci
