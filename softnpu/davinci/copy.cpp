// SPDX-License-Identifier: Apache-2.0
#include "softnpu/davinci/copy.h"

#include <algorithm>
#include <cstring>

#include "softnpu/davinci/commands.h"
#include "softnpu/davinci/nest.h"

namespace npu::davinci {
namespace {

constexpr int64_t kCopyBytes = 256 * 1024;  // a worker's share of a plain copy
constexpr int kOut = 0, kIn = 1;

void copy_flat(const TensorView& in, const TensorView& out, int64_t bytes, Workers& workers) {
  workers.parallel_for(bytes, kCopyBytes, [&](int64_t begin, int64_t end, int) {
    std::memcpy(out.data + begin, in.data + begin, static_cast<size_t>(end - begin));
  });
}

// Rows of the nest: both sides strided, or short.
void copy_rows(const Nest& nest, const TensorView& in, const TensorView& out, size_t size,
               Workers& workers) {
  const int64_t row = nest.dims[0], rows = nest.count / row;
  const int64_t so = nest.strides[kOut][0], si = nest.strides[kIn][0];
  const auto bytes = static_cast<int64_t>(size);
  // Long rows are cut, so that one row can feed several workers.
  const int64_t piece = std::min<int64_t>(row, 1 << 15), pieces = (row + piece - 1) / piece;
  const int64_t grain = std::max<int64_t>(1, (1 << 15) / piece);
  workers.parallel_for(rows * pieces, grain, [&](int64_t begin, int64_t end, int) {
    for (int64_t t = begin; t < end; ++t) {
      const int64_t first = t % pieces * piece, n = std::min(piece, row - first);
      const int64_t flat = t / pieces * row;
      std::byte* dst = out.data + (nest.offset(kOut, flat) + first * so) * bytes;
      const std::byte* src = in.data + (nest.offset(kIn, flat) + first * si) * bytes;
      if (so == 1) {
        gather_run(dst, src, si, n, size);
      } else if (si == 1) {
        scatter_run(dst, src, so, n, size);
      } else {
        for (int64_t i = 0; i < n; ++i) {
          std::memcpy(dst + i * so * bytes, src + i * si * bytes, size);
        }
      }
    }
  });
}

// out is contiguous along dimension 0, in along dimension d: square blocks of one cache line a side
// go through a buffer, so that every line is read once and written once.
template <class T>
void transpose(const Nest& nest, int d, const TensorView& in, const TensorView& out,
               Workers& workers) {
  constexpr int64_t kBlock = 64 / static_cast<int64_t>(sizeof(T));
  const int64_t width = nest.dims[0], height = nest.dims[d];
  const int64_t in_step = nest.strides[kIn][0], out_step = nest.strides[kOut][d];
  const int64_t strips = (height + kBlock - 1) / kBlock;
  Nest outer = nest;  // the dimensions besides these two
  outer.dims[0] = outer.dims[d] = 1;
  const int64_t planes = nest.count / (width * height);
  const int64_t grain = std::max<int64_t>(1, (1 << 15) / (width * kBlock));
  workers.parallel_for(planes * strips, grain, [&](int64_t begin, int64_t end, int) {
    T block[kBlock][kBlock];
    for (int64_t t = begin; t < end; ++t) {
      const int64_t j0 = t % strips * kBlock, nj = std::min(kBlock, height - j0);
      const T* src = in.as<T>() + outer.offset(kIn, t / strips) + j0;
      T* dst = out.as<T>() + outer.offset(kOut, t / strips) + j0 * out_step;
      for (int64_t i0 = 0; i0 < width; i0 += kBlock) {
        const int64_t ni = std::min(kBlock, width - i0);
        for (int64_t i = 0; i < ni; ++i) {
          const T* line = src + (i0 + i) * in_step;
          for (int64_t j = 0; j < nj; ++j) block[j][i] = line[j];
        }
        for (int64_t j = 0; j < nj; ++j) {
          std::memcpy(dst + j * out_step + i0, block[j], static_cast<size_t>(ni) * sizeof(T));
        }
      }
    }
  });
}

// The dimension along which `in` is contiguous while `out` is contiguous along dimension 0, or 0.
int transposed_dim(const Nest& nest) {
  if (nest.strides[kOut][0] != 1 || nest.strides[kIn][0] == 1) return 0;
  for (int d = 1; d < nest.rank; ++d) {
    if (nest.strides[kIn][d] == 1) return d;
  }
  return 0;
}

}  // namespace

void copy_view(const TensorView& in, const TensorView& out, Workers& workers) {
  if (in.dtype != out.dtype) {
    Elementwise command;
    command.op = VectorOp::kCopy;
    command.compute = copy_compute_type(in.dtype, out.dtype);
    command.num_inputs = 1;
    command.inputs[0] = in;
    command.out = out;
    return run(command, workers);
  }
  const TensorView* views[] = {&out, &in};
  const Nest nest = make_nest(views);
  if (nest.count == 0) return;
  const size_t size = base::size_of(in.dtype);
  if (nest.is_flat(kOut) && nest.is_flat(kIn)) {
    if (in.data == out.data) return;
    return copy_flat(in, out, nest.count * static_cast<int64_t>(size), workers);
  }
  const int d = transposed_dim(nest);
  if (d != 0 && size <= 8) {
    switch (size) {
      case 1:
        return transpose<uint8_t>(nest, d, in, out, workers);
      case 2:
        return transpose<uint16_t>(nest, d, in, out, workers);
      case 4:
        return transpose<uint32_t>(nest, d, in, out, workers);
      default:
        return transpose<uint64_t>(nest, d, in, out, workers);
    }
  }
  copy_rows(nest, in, out, size, workers);
}

TensorView slice(const TensorView& view, int dim, int64_t begin, int64_t length) {
  TensorView part = view;
  part.data += begin * view.strides[dim] * static_cast<int64_t>(base::size_of(view.dtype));
  part.dims[dim] = length;
  return part;
}

TensorView contiguous_view(std::byte* data, DType dtype, const int64_t* dims, int rank) {
  TensorView view;
  view.data = data;
  view.dtype = dtype;
  view.rank = static_cast<int8_t>(rank);
  int64_t stride = 1;
  for (int d = rank - 1; d >= 0; --d) {
    view.dims[d] = dims[d];
    view.strides[d] = stride;
    stride *= dims[d];
  }
  return view;
}

}  // namespace npu::davinci
