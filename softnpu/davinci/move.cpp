// SPDX-License-Identifier: Apache-2.0
// Concatenation, ranges and triangles.
#include <algorithm>
#include <cstring>

#include "softnpu/davinci/commands.h"
#include "softnpu/davinci/copy.h"
#include "softnpu/davinci/indexing.h"
#include "softnpu/davinci/kernel_table.h"
#include "softnpu/davinci/nest.h"

namespace npu::davinci {

void run(const Cat& command, Workers& workers) {
  int64_t begin = 0;
  for (const TensorView& part : command.parts) {
    if (part.rank != command.out.rank || part.numel() == 0) continue;  // PyTorch skips empty parts
    const int64_t length = part.dims[command.dim];
    copy_view(part, slice(command.out, command.dim, begin, length), workers);
    begin += length;
  }
}

void run(const Arange& command, Workers& workers) {
  const TensorView& out = command.out;
  const bool floating = base::is_floating(out.dtype);
  const DType compute = floating ? DType::kDouble : DType::kInt64;
  const ConvertTile convert = kernels().convert_tile(out.dtype, compute);
  const size_t size = base::size_of(out.dtype);
  const int64_t stride = out.rank == 0 ? 1 : out.strides[0];
  workers.parallel_for(out.numel(), 1 << 15, [&](int64_t begin, int64_t end, int) {
    union {
      double reals[kTileElements];
      int64_t integers[kTileElements];
    } values;
    alignas(64) std::byte raw[kTileElements * 8];
    for (int64_t t = begin; t < end; t += kTileElements) {
      const int64_t n = std::min<int64_t>(kTileElements, end - t);
      for (int64_t i = 0; i < n; ++i) {
        if (floating) {
          values.reals[i] = command.start.f + static_cast<double>(t + i) * command.step.f;
        } else {
          values.integers[i] = command.start.i + (t + i) * command.step.i;
        }
      }
      convert(raw, &values, n);
      scatter_run(out.data + t * stride * static_cast<int64_t>(size), raw, stride, n, size);
    }
  });
}

void run(const Triangle& command, Workers& workers) {
  const TensorView &in = command.in, &out = command.out;
  const int64_t columns = out.dims[out.rank - 1];
  TensorView out_rows = out, in_rows = in;
  out_rows.dims[out.rank - 1] = in_rows.dims[out.rank - 1] = 1;
  const TensorView* views[] = {&out_rows, &in_rows};
  const Nest nest = make_nest(views, true);
  const int64_t height = out.dims[out.rank - 2];
  const int64_t so = out.strides[out.rank - 1], si = in.strides[in.rank - 1];
  const size_t size = base::size_of(out.dtype);
  const auto bytes = static_cast<int64_t>(size);
  const std::byte zero[16] = {};
  const int64_t grain = std::max<int64_t>(1, (1 << 15) / std::max<int64_t>(1, columns));
  workers.parallel_for(nest.count, grain, [&](int64_t begin, int64_t end, int) {
    for (int64_t row = begin; row < end; ++row) {
      // Kept columns: [first, last). The nest is in row-major order: row % height is the row.
      const int64_t edge = row % height + command.diagonal;
      const int64_t first = command.upper ? std::clamp<int64_t>(edge, 0, columns) : 0;
      const int64_t last = command.upper ? columns : std::clamp<int64_t>(edge + 1, 0, columns);
      std::byte* dst = out.data + nest.offset(0, row) * bytes;
      const std::byte* src = in.data + nest.offset(1, row) * bytes;
      copy_run(dst, so, zero, 0, first, size);
      copy_run(dst + first * so * bytes, so, src + first * si * bytes, si, last - first, size);
      copy_run(dst + last * so * bytes, so, zero, 0, columns - last, size);
    }
  });
}

}  // namespace npu::davinci
