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

namespace {

// Elements [first, first + n) of `count` neighbouring lines, between memory and line-major buffers.
template <class T>
void gather_together(const std::byte* lines, int64_t stride, int64_t count, int64_t n,
                     std::byte* buffer, size_t line_bytes) {
  for (int64_t i = 0; i < n; ++i) {
    const T* from = reinterpret_cast<const T*>(lines) + i * stride;
    for (int64_t l = 0; l < count; ++l) {
      reinterpret_cast<T*>(buffer + static_cast<size_t>(l) * line_bytes)[i] = from[l];
    }
  }
}
template <class T>
void scatter_together(std::byte* lines, int64_t stride, int64_t count, int64_t n,
                      const std::byte* buffer, size_t line_bytes) {
  for (int64_t i = 0; i < n; ++i) {
    T* to = reinterpret_cast<T*>(lines) + i * stride;
    for (int64_t l = 0; l < count; ++l) {
      to[l] = reinterpret_cast<const T*>(buffer + static_cast<size_t>(l) * line_bytes)[i];
    }
  }
}

// Calls f with a value of the unsigned type of that size.
template <class F>
void with_size(int64_t size, F f) {
  switch (size) {
    case 1:
      return f(uint8_t{});
    case 2:
      return f(uint16_t{});
    case 4:
      return f(uint32_t{});
    default:
      return f(uint64_t{});
  }
}

constexpr int64_t kPiece = 64;  // elements of a line that are converted at once

}  // namespace

void LineView::load_together(int64_t offset, int64_t count, std::byte* buffer) const {
  const std::byte* lines = data_ + offset * size_;
  if (to_compute_ == nullptr) {
    return with_size(size_, [&]<class T>(T) {
      gather_together<T>(lines, stride_, count, length_, buffer, line_bytes());
    });
  }
  alignas(64) std::byte raw[kLinesTogether * kPiece * 8];
  for (int64_t i = 0; i < length_; i += kPiece) {
    const int64_t n = std::min(kPiece, length_ - i);
    with_size(size_, [&]<class T>(T) {
      gather_together<T>(lines + i * stride_ * size_, stride_, count, n, raw, kPiece * 8);
    });
    for (int64_t l = 0; l < count; ++l) {
      std::byte* line = buffer + static_cast<size_t>(l) * line_bytes();
      to_compute_(line + i * compute_size_, raw + l * kPiece * 8, n);
    }
  }
}

void LineView::store_together(int64_t offset, int64_t count, const std::byte* buffer) const {
  std::byte* lines = data_ + offset * size_;
  if (from_compute_ == nullptr) {
    return with_size(size_, [&]<class T>(T) {
      scatter_together<T>(lines, stride_, count, length_, buffer, line_bytes());
    });
  }
  alignas(64) std::byte raw[kLinesTogether * kPiece * 8];
  for (int64_t i = 0; i < length_; i += kPiece) {
    const int64_t n = std::min(kPiece, length_ - i);
    for (int64_t l = 0; l < count; ++l) {
      const std::byte* line = buffer + static_cast<size_t>(l) * line_bytes();
      from_compute_(raw + l * kPiece * 8, line + i * compute_size_, n);
    }
    with_size(size_, [&]<class T>(T) {
      scatter_together<T>(lines + i * stride_ * size_, stride_, count, n, raw, kPiece * 8);
    });
  }
}

LineLoop::LineLoop(const TensorView& out, std::initializer_list<const TensorView*> ins, int dim,
                   DType compute) {
  std::vector<const TensorView*> all{&out};
  all.insert(all.end(), ins.begin(), ins.end());
  nest_ = nest_of_lines(all, dim);
  length_ = out.rank == 0 ? 1 : out.dims[dim];
  together_ = nest_.dims[0] > 1;
  for (size_t i = 0; i < all.size(); ++i) {
    const int64_t stride = out.rank == 0 ? 1 : all[i]->strides[dim];
    views_.emplace_back(*all[i], length_, stride, compute);
    together_ = together_ && stride != 1 && nest_.strides[i][0] == 1;
  }
  row_ = together_ ? nest_.dims[0] : std::max<int64_t>(1, nest_.count);
  groups_per_row_ = (row_ + lines_in_group() - 1) / lines_in_group();
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
