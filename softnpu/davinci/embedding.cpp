// SPDX-License-Identifier: Apache-2.0
// Embedding gradient: occurrences are grouped by vocabulary row (a stable counting sort), then each
// row is summed in order, in the compute type, and stored once.
#include <algorithm>
#include <cstring>
#include <vector>

#include "softnpu/base/error.h"
#include "softnpu/davinci/commands.h"
#include "softnpu/davinci/indexing.h"
#include "softnpu/davinci/kernel_table.h"
#include "softnpu/davinci/nest.h"

namespace npu::davinci {
namespace {

// Positions of the index, grouped by the row that they name: row r owns [first[r], first[r + 1]).
struct Occurrences {
  std::vector<int64_t> first, positions;
};

Occurrences group(const EmbeddingBackward& command) {
  const int64_t rows = command.grad_weight.dims[0];
  const TensorView* views[] = {&command.index};
  const Nest nest = make_nest(views, true);
  std::vector<int64_t> row_of;
  row_of.reserve(static_cast<size_t>(nest.count));
  IndexCheck check;
  Occurrences found;
  found.first.assign(static_cast<size_t>(rows) + 1, 0);
  for_each_run(nest, 0, 0, nest.count, [&](int64_t offset, int64_t stride, int64_t run) {
    for (int64_t i = 0; i < run; ++i) {
      int64_t row = index_at(command.index, offset + i * stride);
      if (!check.accept(static_cast<int64_t>(row_of.size()), row, rows, false)) row = -1;
      row_of.push_back(row == command.padding_idx ? -1 : row);
      if (row_of.back() >= 0) ++found.first[static_cast<size_t>(row) + 1];
    }
  });
  check.finish("the embedding's rows");
  for (size_t r = 1; r < found.first.size(); ++r) found.first[r] += found.first[r - 1];
  found.positions.resize(static_cast<size_t>(found.first.back()));
  std::vector<int64_t> next(found.first.begin(), found.first.end() - 1);
  for (size_t p = 0; p < row_of.size(); ++p) {
    if (row_of[p] < 0) continue;
    found.positions[static_cast<size_t>(next[static_cast<size_t>(row_of[p])]++)] =
        static_cast<int64_t>(p);
  }
  return found;
}

}  // namespace

void run(const EmbeddingBackward& command, Workers& workers) {
  const TensorView& out = command.grad_weight;
  const int64_t rows = out.dims[0], width = out.dims[1];
  const DType compute = compute_type(out.dtype);
  const Occurrences found = group(command);
  TensorView lines = command.grad_out;  // one element of each gradient row
  const int64_t grad_stride = lines.strides[lines.rank - 1];
  lines.dims[lines.rank - 1] = 1;
  const TensorView* views[] = {&lines};
  const Nest nest = make_nest(views, true);
  const auto grad_size = static_cast<int64_t>(base::size_of(command.grad_out.dtype));
  const auto out_size = static_cast<int64_t>(base::size_of(out.dtype));
  const VectorTile add = kernels().vector_tile(VectorOp::kAdd, compute);
  const VectorTile scale = kernels().vector_tile(VectorOp::kMul, compute);
  const ConvertTile widen = kernels().convert_tile(compute, command.grad_out.dtype);
  const ConvertTile narrow = kernels().convert_tile(out.dtype, compute);
  const ConvertTile from_double = kernels().convert_tile(compute, DType::kDouble);
  const int64_t grain = std::max<int64_t>(1, (1 << 13) / std::max<int64_t>(1, width));
  workers.parallel_for(rows, grain, [&](int64_t begin, int64_t end, int) {
    alignas(64) std::byte raw[kTileElements * 8], part[kTileElements * 8], sum[kTileElements * 8];
    const double one_value = 1;
    ComputeScalar one[4] = {};
    from_double(&one[0], &one_value, 1);
    for (int64_t r = begin; r < end; ++r) {
      const int64_t first = found.first[static_cast<size_t>(r)];
      const int64_t last = found.first[static_cast<size_t>(r) + 1];
      for (int64_t j = 0; j < width; j += kTileElements) {
        const int64_t n = std::min<int64_t>(kTileElements, width - j);
        std::memset(sum, 0, sizeof(sum));
        for (int64_t k = first; k < last; ++k) {
          const int64_t position = found.positions[static_cast<size_t>(k)];
          const int64_t offset = nest.offset(0, position) + j * grad_stride;
          gather_run(raw, command.grad_out.data + offset * grad_size, grad_stride, n,
                     static_cast<size_t>(grad_size));
          widen(part, raw, n);
          add(sum, sum, part, nullptr, one, n);
        }
        if (command.scale_by_frequency && last > first) {
          const double inverse = 1.0 / static_cast<double>(last - first);
          std::vector<double> factors(static_cast<size_t>(n), inverse);
          from_double(part, factors.data(), n);
          scale(sum, sum, part, nullptr, one, n);
        }
        narrow(raw, sum, n);
        scatter_run(out.data + (r * out.strides[0] + j * out.strides[1]) * out_size, raw,
                    out.strides[1], n, static_cast<size_t>(out_size));
      }
    }
  });
}

}  // namespace npu::davinci
