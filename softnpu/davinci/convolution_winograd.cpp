// SPDX-License-Identifier: Apache-2.0
#include "softnpu/davinci/convolution_winograd.h"

#include <cstring>

#include "softnpu/davinci/convolution_tiles.h"
#include "softnpu/davinci/kernel_table.h"

namespace npu::davinci::conv {
namespace {

ConvTiling tiling_of(const ConvProblem& p) {
  const int64_t most =
      std::min(kWinogradMaxSquares, kWinogradFloats / (kWinogradPoints * p.channels));
  ConvTiling t;
  t.width = even_tile(ceil_div(p.out.size[2], 2), 8);
  t.rows = 2 * even_tile(ceil_div(p.out.size[1], 2), most / t.width);
  t.width *= 2;
  t.channels = p.channels;
  t.outputs = padded_outputs(p);
  return t;
}

ConvTiling weight_tiling_of(const ConvProblem& p) {
  ConvTiling t = tiling_of(p);
  t.outputs = std::min(t.outputs, kConvMaxOutputs);
  return t;
}

}  // namespace

bool is_winograd(const ConvProblem& p) {
  for (int dim = 1; dim < 3; ++dim) {
    if (p.kernel[dim] != 3 || p.stride[dim] != 1 || p.dilation[dim] != 1) return false;
    if (p.out.size[dim] < 4) return false;
  }
  return p.kernel[0] == 1 && p.out.dtype != base::DType::kDouble && p.outputs >= 16 &&
         p.channels > 0 && p.channels % 16 == 0 && p.channels <= kWinogradMaxChannels;
}

size_t winograd_forward_bytes(const ConvProblem& p) {
  return static_cast<size_t>(kWinogradPoints * p.groups * p.channels * padded_outputs(p)) * 4 + 64;
}

void winograd_forward(const ConvProblem& p, Workers& workers, std::byte* workspace) {
  const KernelTable& table = kernels();
  float* packed = aligned(workspace);
  const int64_t panels = padded_outputs(p) / kConvOutputStep;
  workers.parallel_for(p.groups * panels, 1, [&](int64_t begin, int64_t end, int) {
    for (int64_t i = begin; i < end; ++i) {
      table.winograd_pack_weights(p, i / panels, i % panels * kConvOutputStep, packed);
    }
  });
  ConvTiling tiling = tiling_of(p);
  // Fewer output channels a tile for more workers; the input is then transformed more than once.
  while (TileGrid(p, tiling).count() < 2 * workers.size() && tiling.outputs > 2 * kConvOutputStep) {
    tiling.outputs = ceil_div(tiling.outputs / 2, kConvOutputStep) * kConvOutputStep;
  }
  const TileGrid grid(p, tiling);
  workers.parallel_for(grid.count(), grain_for(work_of(p), grid.count()),
                       [&](int64_t begin, int64_t end, int) {
                         for (int64_t i = begin; i < end; ++i) {
                           table.winograd_forward_tile(p, tiling, packed, grid.at(i));
                         }
                       });
}

bool is_winograd_weight_gradient(const ConvProblem& p) {
  return is_winograd(p) && p.channels * std::min(padded_outputs(p), kConvMaxOutputs) <= 1 << 14;
}

size_t winograd_weight_gradient_bytes(const ConvProblem& p) {
  return Chunks(p, weight_tiling_of(p), kWinogradPoints).bytes();
}

void winograd_weight_gradient(const ConvProblem& p, const Matrix& bias, Workers& workers,
                              std::byte* workspace) {
  const KernelTable& table = kernels();
  const Chunks chunks(p, weight_tiling_of(p), kWinogradPoints);
  const ConvTiling& tiling = chunks.tiling;
  TileGrid grid(p, tiling);
  const int64_t output_tiles = grid.outputs;
  grid.outputs = grid.groups = 1;  // its numbers are the units of the chunks
  float* partial = aligned(workspace);
  const int64_t tasks = chunks.count * p.groups * output_tiles;
  workers.parallel_for(tasks, grain_for(work_of(p), tasks), [&](int64_t begin, int64_t end, int) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t output = i % output_tiles * tiling.outputs;
      const int64_t group = i / output_tiles % p.groups;
      const int64_t chunk = i / (output_tiles * p.groups);
      float* own = partial + (chunk * p.groups + group) * chunks.rows * chunks.ld;
      const int64_t columns = std::min(tiling.outputs, chunks.ld - output);
      for (int64_t row = 0; row < chunks.rows; ++row) {
        std::memset(own + row * chunks.ld + output, 0, columns * sizeof(float));
      }
      for (int64_t unit = chunks.first(chunk); unit < chunks.first(chunk + 1); ++unit) {
        ConvTile tile = grid.at(unit);
        tile.output = output;
        tile.group = group;
        table.winograd_weight_tile(p, tiling, tile, own, chunks.ld);
      }
    }
  });
  // Its last row is the bias' in a problem with one tap for each point.
  ConvProblem points = p;
  points.kernel[0] = kWinogradPoints;
  points.kernel[1] = points.kernel[2] = 1;
  workers.parallel_for(p.groups * p.channels, 8, [&](int64_t begin, int64_t end, int) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t group = i / p.channels, channel = i % p.channels;
      const float* own = partial + group * chunks.rows * chunks.ld;
      table.winograd_reduce_weights(p, own, chunks.count, chunks.floats, chunks.ld, group, channel);
      if (channel == 0) {
        table.conv_reduce_weights(points, own, chunks.count, chunks.floats, chunks.ld, group,
                                  chunks.rows - 1, chunks.rows, bias);
      }
    }
  });
}

}  // namespace npu::davinci::conv
