// SPDX-License-Identifier: Apache-2.0
#include "softnpu/davinci/nest.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace npu::davinci {

bool Nest::is_flat(int operand) const {
  int64_t expected = 1;
  for (int d = 0; d < rank; ++d) {
    if (dims[d] != 1 && strides[operand][d] != expected) return false;
    expected *= dims[d];
  }
  return true;
}

bool Nest::is_constant(int operand) const {
  for (int d = 0; d < rank; ++d) {
    if (dims[d] != 1 && strides[operand][d] != 0) return false;
  }
  return true;
}

int64_t Nest::offset(int operand, int64_t flat) const {
  int64_t sum = 0;
  for (int d = 0; d < rank; ++d) {
    sum += flat % dims[d] * strides[operand][d];
    flat /= dims[d];
  }
  return sum;
}

namespace {

// Whether dimension a should lie inside dimension b: the first view whose strides differ decides.
bool lies_inside(const Nest& nest, int a, int b) {
  for (int v = 0; v < nest.operands; ++v) {
    const int64_t sa = nest.strides[v][a], sb = nest.strides[v][b];
    if (sa != sb && sa != 0 && sb != 0) return sa < sb;
  }
  return false;
}

void swap_dims(Nest& nest, int a, int b) {
  std::swap(nest.dims[a], nest.dims[b]);
  for (int v = 0; v < nest.operands; ++v) std::swap(nest.strides[v][a], nest.strides[v][b]);
}

bool can_merge(const Nest& nest, int inner, int outer) {
  for (int v = 0; v < nest.operands; ++v) {
    if (nest.strides[v][outer] != nest.strides[v][inner] * nest.dims[inner]) return false;
  }
  return true;
}

template <class T>
void gather(std::byte* dst, const std::byte* src, int64_t stride, int64_t n) {
  T* to = reinterpret_cast<T*>(dst);
  const T* from = reinterpret_cast<const T*>(src);
  if (stride == 0) {
    std::fill_n(to, n, *from);
    return;
  }
  for (int64_t i = 0; i < n; ++i) to[i] = from[i * stride];
}

template <class T>
void scatter(std::byte* dst, const std::byte* src, int64_t stride, int64_t n) {
  T* to = reinterpret_cast<T*>(dst);
  const T* from = reinterpret_cast<const T*>(src);
  for (int64_t i = 0; i < n; ++i) to[i * stride] = from[i];
}

}  // namespace

Nest make_nest(std::span<const base::TensorView* const> views, bool keep_order) {
  Nest nest;
  nest.operands = static_cast<int>(views.size());
  nest.rank = 0;
  const base::TensorView& shape = *views[0];
  for (int d = shape.rank - 1; d >= 0; --d) {
    nest.count *= shape.dims[d];
    if (shape.dims[d] == 1) continue;
    nest.dims[nest.rank] = shape.dims[d];
    for (int v = 0; v < nest.operands; ++v) nest.strides[v][nest.rank] = views[v]->strides[d];
    ++nest.rank;
  }
  for (int i = 1; i < nest.rank && !keep_order; ++i) {
    for (int j = i; j > 0 && lies_inside(nest, j, j - 1); --j) swap_dims(nest, j, j - 1);
  }
  int last = 0;
  for (int d = 1; d < nest.rank; ++d) {
    if (can_merge(nest, last, d)) {
      nest.dims[last] *= nest.dims[d];
    } else {
      swap_dims(nest, ++last, d);
    }
  }
  if (nest.rank == 0) {  // one element
    nest.dims[0] = 1;
    for (int v = 0; v < nest.operands; ++v) nest.strides[v][0] = 1;
  }
  nest.rank = last + 1;
  return nest;
}

void gather_run(std::byte* dst, const std::byte* src, int64_t stride, int64_t n, size_t size) {
  if (stride == 1) {
    std::memcpy(dst, src, static_cast<size_t>(n) * size);
    return;
  }
  switch (size) {
    case 1:
      return gather<uint8_t>(dst, src, stride, n);
    case 2:
      return gather<uint16_t>(dst, src, stride, n);
    case 4:
      return gather<uint32_t>(dst, src, stride, n);
    case 8:
      return gather<uint64_t>(dst, src, stride, n);
    default:
      for (int64_t i = 0; i < n; ++i) {
        std::memcpy(dst + i * static_cast<int64_t>(size),
                    src + i * stride * static_cast<int64_t>(size), size);
      }
  }
}

void scatter_run(std::byte* dst, const std::byte* src, int64_t stride, int64_t n, size_t size) {
  if (stride == 1) {
    std::memcpy(dst, src, static_cast<size_t>(n) * size);
    return;
  }
  switch (size) {
    case 1:
      return scatter<uint8_t>(dst, src, stride, n);
    case 2:
      return scatter<uint16_t>(dst, src, stride, n);
    case 4:
      return scatter<uint32_t>(dst, src, stride, n);
    case 8:
      return scatter<uint64_t>(dst, src, stride, n);
    default:
      for (int64_t i = 0; i < n; ++i) {
        std::memcpy(dst + i * stride * static_cast<int64_t>(size),
                    src + i * static_cast<int64_t>(size), size);
      }
  }
}

}  // namespace npu::davinci
