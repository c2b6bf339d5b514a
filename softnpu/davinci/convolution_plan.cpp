// SPDX-License-Identifier: Apache-2.0
#include "softnpu/davinci/convolution_plan.h"

#include <algorithm>
#include <cstring>

#include "softnpu/davinci/convolution_tiles.h"
#include "softnpu/davinci/convolution_winograd.h"

namespace npu::davinci::conv {
namespace {

constexpr int64_t kPanelDepth = 1152;  // weights of a channel block that stay in the caches

ConvMap map_of(const TensorView& view) {
  ConvMap m{view.data, view.dtype, view.strides[0], view.strides[1]};
  for (int dim = 0; dim < 3; ++dim) {
    const int from = view.rank - 3 + dim;  // leading spatial dimensions may be left out
    m.size[dim] = from < 2 ? 1 : view.dims[from];
    m.stride[dim] = from < 2 ? 0 : view.strides[from];
  }
  return m;
}

/// Channels that can be staged at once for this tile; 0: not even one.
int64_t channels_that_fit(const ConvProblem& p, const ConvTiling& t) {
  const int64_t rows = (t.rows - 1) * p.stride[1] + (p.kernel[1] - 1) * p.dilation[1] + 1;
  const int64_t width = (t.width - 1) * p.stride[2] + (p.kernel[2] - 1) * p.dilation[2] + 1;
  return kConvStageFloats / (p.kernel[0] * rows * width);
}

/// Depends on the problem alone: channel blocks decide the order of sums.
ConvTiling tiling_of(const ConvProblem& p) {
  ConvTiling t;
  t.width = even_tile(std::max<int64_t>(p.out.size[2], 1), 64);
  t.rows = even_tile(std::max<int64_t>(p.out.size[1], 1), kConvMaxPositions / t.width);
  const int64_t enough = std::min<int64_t>(p.channels, 16);
  while (channels_that_fit(p, t) < enough && t.rows * t.width > 8) {
    (t.rows > 1 ? t.rows : t.width) /= 2;
  }
  int64_t most = std::min(channels_that_fit(p, t), std::max<int64_t>(16, kPanelDepth / p.taps()));
  if (most > 16) most -= most % 16;
  t.channels = std::clamp<int64_t>(p.channels, 1, std::max<int64_t>(most, 1));
  t.outputs = std::min(padded_outputs(p), kConvMaxOutputs);
  return t;
}

/// Few channels a group: no matrix product pays.
bool is_narrow(const ConvProblem& p) { return p.groups > 1 && p.outputs <= 4 && p.channels > 0; }

/// Bands depend on the problem alone: they decide the order of a weight gradient's sums.
DepthwiseBand depthwise_band(const ConvProblem& p) {
  constexpr int64_t kWidth = 512, kSlack = 16;  // a whole vector is read at the end of a row
  DepthwiseBand band;
  band.width = even_tile(std::max<int64_t>(p.out.size[2], 1), kWidth);
  band.phase_width =
      ceil_div(band.width, kSlack) * kSlack + (p.kernel[2] - 1) * p.dilation[2] / p.stride[2];
  band.pitch = p.stride[2] * band.phase_width;
  const int64_t window = (p.kernel[1] - 1) * p.dilation[1] + 1;
  const int64_t in_rows = kDepthwiseFloats / (p.kernel[0] * band.pitch);
  band.rows = in_rows < window ? 0 : (in_rows - window) / p.stride[1] + 1;
  band.rows = std::min({band.rows, std::max<int64_t>(p.out.size[1], 1),
                        kDepthwiseFloats / (ceil_div(band.width, kSlack) * kSlack)});
  band.plane = ((band.rows - 1) * p.stride[1] + window) * band.pitch;
  return band;
}

bool is_depthwise(const ConvProblem& p) {
  return is_narrow(p) && p.out.dtype != DType::kDouble && p.taps() <= kConvMaxPieces &&
         depthwise_band(p).rows > 0;
}

bool is_direct(const ConvProblem& p) {
  if (p.out.dtype == DType::kDouble) return true;
  if (p.channels == 0) return false;
  return is_narrow(p) || p.taps() > kConvMaxPieces ||
         channels_that_fit(p, tiling_of(p)) < std::min<int64_t>(p.channels, 16);
}

bool collapses(const ConvMap& m) {
  const auto follows = [&](int dim) {
    return m.size[dim] == 1 || m.stride[dim] == m.size[dim + 1] * m.stride[dim + 1];
  };
  return follows(1) && (m.size[0] == 1 || m.stride[0] == m.size[1] * m.size[2] * m.stride[2]);
}

/// A 1x1 convolution is a matrix product an image: [O, C] @ [C, positions].
bool is_matmul(const ConvProblem& p) {
  for (int dim = 0; dim < 3; ++dim) {
    if (p.kernel[dim] != 1 || p.stride[dim] != 1 || p.padding[dim] != 0) return false;
    if (p.in.size[dim] != p.out.size[dim]) return false;
  }
  return p.groups == 1 && p.channels > 0 && collapses(p.in) && collapses(p.out);
}

TensorView matrix_view(void* data, DType dtype, std::array<int64_t, 3> dims,
                       std::array<int64_t, 3> strides) {
  TensorView v;
  v.data = static_cast<std::byte*>(data);
  v.dtype = dtype;
  v.rank = 3;
  for (int i = 0; i < 3; ++i) {
    v.dims[i] = dims[i];
    v.strides[i] = strides[i];
  }
  return v;
}

void forward_as_matmul(const ConvProblem& p, Workers& workers) {
  const int64_t n = positions(p.out);
  const auto spatial = [&](const ConvMap& m) {
    return m.size[2] > 1 ? m.stride[2] : m.size[1] > 1 ? m.stride[1] : m.stride[0];
  };
  Matmul product;
  product.a = matrix_view(p.weight, p.weight_dtype, {1, p.outputs, p.channels},
                          {0, p.weight_out_stride, p.weight_in_stride});
  product.b = matrix_view(p.in.data, p.in.dtype, {p.batches, p.channels, n},
                          {p.in.batch_stride, p.in.channel_stride, spatial(p.in)});
  product.out = matrix_view(p.out.data, p.out.dtype, {p.batches, p.outputs, n},
                            {p.out.batch_stride, p.out.channel_stride, spatial(p.out)});
  if (p.bias != nullptr) {
    product.c = matrix_view(const_cast<void*>(p.bias), p.bias_dtype, {1, p.outputs, 1},
                            {0, p.bias_stride, 0});
    product.beta = 1;
  }
  run(product, workers, nullptr);
}

}  // namespace

ConvProblem problem_of(const TensorView& in, const TensorView& weight, const TensorView& out,
                       const ConvolutionShape& shape) {
  ConvProblem p;
  p.in = map_of(in);
  p.out = map_of(out);
  const ConvMap w = map_of(weight);
  p.weight = weight.data;
  p.weight_dtype = weight.dtype;
  p.weight_out_stride = weight.strides[0];
  p.weight_in_stride = weight.strides[1];
  p.batches = in.dims[0];
  p.groups = shape.groups;
  p.outputs = weight.dims[0] / shape.groups;
  p.channels = weight.dims[1];
  p.weight_group_stride = p.outputs * p.weight_out_stride;
  for (int dim = 0; dim < 3; ++dim) {
    p.kernel[dim] = w.size[dim];
    p.weight_stride[dim] = w.stride[dim];
    p.stride[dim] = shape.stride[dim];
    p.padding[dim] = shape.padding[dim];
    p.dilation[dim] = shape.dilation[dim];
  }
  return p;
}

void set_bias(ConvProblem& problem, const TensorView& bias) {
  if (!bias.defined()) return;
  problem.bias = bias.data;
  problem.bias_dtype = bias.dtype;
  problem.bias_stride = bias.strides[0];
}

size_t forward_bytes(const ConvProblem& p) {
  if (is_direct(p) || is_matmul(p)) return 0;
  if (is_winograd(p)) return winograd_forward_bytes(p);
  return static_cast<size_t>(p.groups * p.taps() * p.channels * padded_outputs(p)) * 4 + 64;
}

void forward(const ConvProblem& p, Workers& workers, std::byte* workspace) {
  if (p.batches * p.groups * p.outputs * positions(p.out) == 0) return;
  const KernelTable& table = kernels();
  if (is_direct(p)) {
    const int64_t planes = p.batches * p.groups * p.outputs;
    const bool depthwise = is_depthwise(p);
    const DepthwiseBand band = depthwise ? depthwise_band(p) : DepthwiseBand{};
    workers.parallel_for(planes, grain_for(work_of(p), planes),
                         [&](int64_t begin, int64_t end, int) {
                           for (int64_t i = begin; i < end; ++i) {
                             const int64_t batch = i / (p.groups * p.outputs);
                             const int64_t group = i / p.outputs % p.groups, output = i % p.outputs;
                             depthwise ? table.conv_depthwise_plane(p, band, batch, group, output)
                                       : table.conv_direct_plane(p, batch, group, output);
                           }
                         });
    return;
  }
  if (is_matmul(p)) return forward_as_matmul(p, workers);
  if (is_winograd(p)) return winograd_forward(p, workers, workspace);

  ConvTiling tiling = tiling_of(p);
  float* packed = aligned(workspace);
  const int64_t panels = padded_outputs(p) / kConvOutputStep;
  workers.parallel_for(p.groups * panels, 1, [&](int64_t begin, int64_t end, int) {
    for (int64_t i = begin; i < end; ++i) {
      table.conv_pack_weights(p, tiling, i / panels, i % panels * kConvOutputStep, packed);
    }
  });
  // Smaller tiles for more workers: no element's sum changes.
  const int64_t wanted = 2 * workers.size();
  while (TileGrid(p, tiling).count() < wanted && tiling.outputs > kConvOutputStep) {
    tiling.outputs =
        std::max(kConvOutputStep, tiling.outputs / 2 / kConvOutputStep * kConvOutputStep);
  }
  while (TileGrid(p, tiling).count() < wanted && tiling.rows > 1) {
    tiling.rows = ceil_div(tiling.rows, 2);
  }
  const TileGrid grid(p, tiling);
  workers.parallel_for(grid.count(), grain_for(work_of(p), grid.count()),
                       [&](int64_t begin, int64_t end, int) {
                         for (int64_t i = begin; i < end; ++i) {
                           table.conv_forward_tile(p, tiling, packed, grid.at(i));
                         }
                       });
}

size_t weight_gradient_bytes(const ConvProblem& p) {
  if (is_direct(p)) return 0;
  if (is_winograd_weight_gradient(p)) return winograd_weight_gradient_bytes(p);
  const Chunks chunks(p, tiling_of(p), p.taps());
  return chunks.bytes();
}

void weight_gradient(const ConvProblem& p, const TensorView& bias, Workers& workers,
                     std::byte* workspace) {
  const KernelTable& table = kernels();
  const Matrix bias_out{bias.defined() ? bias.data : nullptr, bias.dtype, 0, bias.strides[0]};
  if (is_direct(p)) {
    const int64_t pairs = p.groups * p.outputs * p.channels;
    const bool depthwise = is_depthwise(p);
    const DepthwiseBand band = depthwise ? depthwise_band(p) : DepthwiseBand{};
    workers.parallel_for(pairs, 1, [&](int64_t begin, int64_t end, int) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t group = i / (p.outputs * p.channels), output = i / p.channels % p.outputs;
        depthwise ? table.conv_depthwise_weight(p, band, group, output, i % p.channels)
                  : table.conv_direct_weight(p, group, output, i % p.channels, {});
      }
    });
    const int64_t channels = bias.defined() ? p.groups * p.outputs : 0;
    workers.parallel_for(channels, 1, [&](int64_t begin, int64_t end, int) {
      for (int64_t i = begin; i < end; ++i) {
        table.conv_direct_weight(p, i / p.outputs, i % p.outputs, -1, bias_out);
      }
    });
    return;
  }
  if (is_winograd_weight_gradient(p))
    return winograd_weight_gradient(p, bias_out, workers, workspace);

  const Chunks chunks(p, tiling_of(p), p.taps());
  const ConvTiling& tiling = chunks.tiling;
  TileGrid grid(p, tiling);
  const int64_t output_tiles = grid.outputs, channel_tiles = ceil_div(p.channels, tiling.channels);
  grid.outputs = grid.groups = 1;  // its numbers are the units of the chunks
  float* partial = aligned(workspace);
  const int64_t tasks = chunks.count * p.groups * channel_tiles * output_tiles;
  workers.parallel_for(tasks, grain_for(work_of(p), tasks), [&](int64_t begin, int64_t end, int) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t output = i % output_tiles * tiling.outputs;
      const int64_t channel = i / output_tiles % channel_tiles * tiling.channels;
      const int64_t group = i / (output_tiles * channel_tiles) % p.groups;
      const int64_t chunk = i / (output_tiles * channel_tiles * p.groups);
      float* own = partial + (chunk * p.groups + group) * chunks.rows * chunks.ld;
      const int64_t columns = std::min(tiling.outputs, chunks.ld - output);
      const int64_t channels = std::min(tiling.channels, p.channels - channel);
      for (int64_t row = 0; row < chunks.rows; ++row) {
        const bool is_bias = row == chunks.rows - 1;
        const int64_t c = is_bias ? 0 : row % p.channels;
        if (c >= channel && c < channel + channels && (!is_bias || channel == 0)) {
          std::memset(own + row * chunks.ld + output, 0, columns * sizeof(float));
        }
      }
      for (int64_t unit = chunks.first(chunk); unit < chunks.first(chunk + 1); ++unit) {
        ConvTile tile = grid.at(unit);
        tile.output = output;
        tile.group = group;
        table.conv_weight_tile(p, tiling, tile, channel, own, chunks.ld);
      }
    }
  });
  workers.parallel_for(p.groups * chunks.rows, 64, [&](int64_t begin, int64_t end, int) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t group = i / chunks.rows, row = i % chunks.rows;
      table.conv_reduce_weights(p, partial + group * chunks.rows * chunks.ld, chunks.count,
                                chunks.floats, chunks.ld, group, row, row + 1, bias_out);
    }
  });
}

void bias_gradient(const TensorView& gradient, const TensorView& bias, Workers& workers) {
  ConvProblem p;
  p.out = map_of(gradient);
  p.batches = gradient.dims[0];
  p.outputs = gradient.dims[1];
  const Matrix out{bias.data, bias.dtype, 0, bias.strides[0]};
  const KernelTable& table = kernels();
  workers.parallel_for(p.outputs, 1, [&](int64_t begin, int64_t end, int) {
    for (int64_t i = begin; i < end; ++i) table.conv_direct_weight(p, 0, i, -1, out);
  });
}

Phase phase_of(const ConvProblem& p, int dim, int64_t first) {
  const int64_t stride = p.stride[dim], dilation = p.dilation[dim];
  const int64_t common = std::gcd(stride, dilation), step = stride / common;
  Phase phase{};
  phase.size = p.in.size[dim] > first ? ceil_div(p.in.size[dim] - first, stride) : 0;
  phase.dilation = dilation / common;
  phase.tap_step = -step;
  int64_t tap = 0;
  const int64_t position = first + p.padding[dim];
  while (tap < std::min(p.kernel[dim], step) && (position - tap * dilation) % stride != 0) ++tap;
  if (tap >= std::min(p.kernel[dim], step)) return phase;
  phase.kernel = ceil_div(p.kernel[dim] - tap, step);
  phase.first_tap = tap + (phase.kernel - 1) * step;
  phase.padding = (phase.kernel - 1) * phase.dilation - (position - tap * dilation) / stride;
  return phase;
}

}  // namespace npu::davinci::conv
