// SPDX-License-Identifier: Apache-2.0
// How convolutions are cut into tiles and shared out among workers and partial results.
#pragma once

#include <algorithm>
#include <cstddef>

#include "softnpu/davinci/cube_types.h"

namespace npu::davinci::conv {

constexpr int64_t kSerialWork = 1 << 15;  // multiply-adds not worth a worker of their own
constexpr int64_t kMaxChunks = 16;        // partial weight gradients
constexpr int64_t kMaxPartialBytes = int64_t{64} << 20;

inline int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }
inline int64_t even_tile(int64_t size, int64_t most) {
  return ceil_div(size, ceil_div(size, most));
}
inline int64_t padded_outputs(const ConvProblem& p) {
  return ceil_div(p.outputs, kConvOutputStep) * kConvOutputStep;
}
inline int64_t positions(const ConvMap& m) { return m.size[0] * m.size[1] * m.size[2]; }
inline int64_t work_of(const ConvProblem& p) {
  return p.batches * p.groups * p.outputs * positions(p.out) * p.taps() *
         std::max<int64_t>(p.channels, 1);
}

/// The tiles of a tiling, numbered: output channels fastest, so that neighbours share their input.
struct TileGrid {
  ConvTiling tiling;
  int64_t outputs, columns, rows, depths, groups, batches;

  TileGrid(const ConvProblem& p, const ConvTiling& t)
      : tiling(t),
        outputs(ceil_div(p.outputs, t.outputs)),
        columns(ceil_div(p.out.size[2], t.width)),
        rows(ceil_div(p.out.size[1], t.rows)),
        depths(p.out.size[0]),
        groups(p.groups),
        batches(p.batches) {}
  int64_t count() const { return outputs * columns * rows * depths * groups * batches; }
  ConvTile at(int64_t i) const {
    ConvTile t;
    const auto next = [&i](int64_t size) {
      const int64_t digit = i % size;
      i /= size;
      return digit;
    };
    t.output = next(outputs) * tiling.outputs;
    t.column = next(columns) * tiling.width;
    t.row = next(rows) * tiling.rows;
    t.depth = next(depths);
    t.group = next(groups);
    t.batch = i;
    return t;
  }
};

inline float* aligned(std::byte* workspace) {
  return reinterpret_cast<float*>((reinterpret_cast<uintptr_t>(workspace) + 63) & ~uintptr_t{63});
}

inline int64_t grain_for(int64_t work, int64_t count) {
  return std::max<int64_t>(1,
                           kSerialWork / std::max<int64_t>(1, work / std::max<int64_t>(count, 1)));
}

/// How the positions of a weight gradient are shared out among partial results, which depends on
/// the problem alone. One partial result is [group][points * channels + 1][ld], the last row the
/// bias'.
struct Chunks {
  ConvTiling tiling;
  int64_t units, rows, ld, floats, count;

  Chunks(const ConvProblem& p, const ConvTiling& t, int64_t points) : tiling(t) {
    const TileGrid grid(p, t);
    units = grid.columns * grid.rows * grid.depths * grid.batches;
    rows = points * p.channels + 1;
    ld = padded_outputs(p);
    floats = p.groups * rows * ld;
    count = std::min(units, std::clamp<int64_t>(kMaxPartialBytes / 4 / std::max<int64_t>(1, floats),
                                                1, kMaxChunks));
  }
  size_t bytes() const { return static_cast<size_t>(count * floats) * 4 + 64; }
  /// Units [first(chunk), first(chunk + 1)) belong to a chunk.
  int64_t first(int64_t chunk) const { return chunk * units / count; }
};

}  // namespace npu::davinci::conv
