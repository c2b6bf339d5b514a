// SPDX-License-Identifier: Apache-2.0
// Matmul: brings the problem into one shape (columns of out contiguous, batches merged into rows
// where b is shared), cuts it into tiles and hands them to the workers. No workspace: packing
// scratch is the worker's stack.
#include <algorithm>
#include <utility>

#include "softnpu/davinci/commands.h"
#include "softnpu/davinci/kernel_table.h"

namespace npu::davinci {
namespace {

constexpr int64_t kSerialWork = 1 << 15;  // multiply-adds: below, waking a worker costs more

struct Batched {
  Matrix matrix;
  int64_t batch_stride = 0;

  Matrix at(int64_t batch, int64_t row, int64_t column) const {
    Matrix m = matrix;
    if (m.data != nullptr) {
      const int64_t offset = batch * batch_stride + row * m.row_stride + column * m.column_stride;
      m.data =
          static_cast<std::byte*>(m.data) + offset * static_cast<int64_t>(base::size_of(m.dtype));
    }
    return m;
  }
};

struct Problem {
  Batched a, b, c, out;
  int64_t batches, rows, columns, depth;
};

Batched batched(const TensorView& view, const TensorView& shape) {
  if (!view.defined()) return {};
  const auto stride = [&](int dim) {
    return view.dims[dim] == shape.dims[dim] ? view.strides[dim] : 0;
  };
  return {{view.data, view.dtype, stride(1), stride(2)}, stride(0)};
}

Batched operand(const TensorView& view, int64_t batches) {
  return {{view.data, view.dtype, view.strides[1], view.strides[2]},
          view.dims[0] == batches ? view.strides[0] : 0};
}

void transpose(Batched& m) { std::swap(m.matrix.row_stride, m.matrix.column_stride); }

Problem normalize(const Matmul& command) {
  const TensorView& out = command.out;
  Problem p{operand(command.a, out.dims[0]),
            operand(command.b, out.dims[0]),
            command.beta != 0 ? batched(command.c, out) : Batched{},
            batched(out, out),
            out.dims[0],
            out.dims[1],
            out.dims[2],
            command.a.dims[2]};
  const bool transposed_out =
      p.out.matrix.column_stride != 1 && p.columns > 1 && p.out.matrix.row_stride == 1;
  // A column vector is a row vector of the transposed problem: the kernels like long rows.
  const bool vector = p.columns == 1 && p.rows > 1;
  if (transposed_out || vector) {
    std::swap(p.a, p.b);
    for (Batched* m : {&p.a, &p.b, &p.c, &p.out}) transpose(*m);
    std::swap(p.rows, p.columns);
  }
  const auto merges = [&](const Batched& m) {
    return m.matrix.data == nullptr || m.batch_stride == p.rows * m.matrix.row_stride;
  };
  if (p.batches > 1 && p.b.batch_stride == 0 && merges(p.a) && merges(p.out) && merges(p.c)) {
    p.rows *= p.batches;
    p.batches = 1;
  }
  return p;
}

int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// The largest even split of `size` into pieces of at most `most`, a multiple of `step`.
int64_t even_tile(int64_t size, int64_t most, int64_t step) {
  const int64_t pieces = ceil_div(size, most);
  return std::min(most, ceil_div(ceil_div(size, pieces), step) * step);
}

/// c may share out's memory (self += a @ b): then partial sums must not be kept in out.
bool may_overlap(const TensorView& a, const TensorView& b) {
  if (!a.defined()) return false;
  const base::ByteExtent x = base::extent_of(a), y = base::extent_of(b);
  return a.data + x.begin < b.data + y.end && b.data + y.begin < a.data + x.end;
}

using TileKernel = void (*)(const GemmTile&);

TileKernel choose_kernel(const Problem& p) {
  const KernelTable& table = kernels();
  const DType dtype = p.a.matrix.dtype;
  if (!base::is_floating(dtype) || dtype == DType::kDouble) return table.gemm_exact_tile;
  const bool dot = p.rows <= kGemmDotMaxRows && p.b.matrix.row_stride == 1 &&
                   (p.b.matrix.column_stride != 1 || p.columns == 1);
  return dot ? table.gemm_dot_tile : table.gemm_tile;
}

}  // namespace

size_t workspace_bytes(const Matmul&) { return 0; }

void run(const Matmul& command, Workers& workers, std::byte*) {
  if (command.out.numel() == 0) return;
  const Problem p = normalize(command);
  const TileKernel kernel = choose_kernel(p);
  const bool in_place = command.beta == 0 || !may_overlap(command.c, command.out);
  const int64_t work = p.batches * p.rows * p.columns * std::max<int64_t>(p.depth, 1);

  int64_t tile_rows = even_tile(p.rows, kGemmMaxRows, kGemmRowStep);
  int64_t tile_columns = even_tile(p.columns, kGemmMaxColumns, kGemmColumnStep);
  const auto tiles = [&] {
    return p.batches * ceil_div(p.rows, tile_rows) * ceil_div(p.columns, tile_columns);
  };
  // Where the cuts lie does not change any element's sum, so they may depend on the workers.
  const int64_t wanted = work <= kSerialWork || workers.size() == 1 ? 1 : 4 * workers.size();
  while (tiles() < wanted && tile_columns > 2 * kGemmColumnStep) {
    tile_columns = even_tile(tile_columns, tile_columns / 2, kGemmColumnStep);
  }
  while (tiles() < wanted && tile_rows > kGemmRowStep && tile_rows > tile_columns) {
    tile_rows = even_tile(tile_rows, tile_rows / 2, kGemmRowStep);
  }
  const int64_t row_tiles = ceil_div(p.rows, tile_rows);
  const int64_t column_tiles = ceil_div(p.columns, tile_columns);

  const auto run_tiles = [&](int64_t begin, int64_t end, int) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t row = i % row_tiles * tile_rows;
      const int64_t column = i / row_tiles % column_tiles * tile_columns;
      const int64_t batch = i / (row_tiles * column_tiles);
      kernel({p.a.at(batch, row, 0), p.b.at(batch, 0, column), p.c.at(batch, row, column),
              p.out.at(batch, row, column), std::min(tile_rows, p.rows - row),
              std::min(tile_columns, p.columns - column), p.depth, command.alpha, command.beta,
              in_place});
    }
  };
  if (work <= kSerialWork) return run_tiles(0, tiles(), 0);
  const int64_t tile_work = std::max<int64_t>(1, work / tiles());
  workers.parallel_for(tiles(), std::max<int64_t>(1, kSerialWork / tile_work), run_tiles);
}

}  // namespace npu::davinci
