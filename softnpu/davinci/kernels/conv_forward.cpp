// SPDX-License-Identifier: Apache-2.0
// Convolution as an implicit matrix product: positions are the rows, output channels the columns.
// Weights are packed once a command, input is staged tile by tile.
#include "softnpu/davinci/kernel_table.h"
#include "softnpu/davinci/kernels/conv_store.h"

namespace npu::davinci::NPU_ISA {
namespace {

constexpr int64_t kDepthBlock = 1024;  // products summed at once: for the cache and for accuracy

int64_t padded_outputs(const ConvProblem& p) {
  return (p.outputs + kConvOutputStep - 1) / kConvOutputStep * kConvOutputStep;
}

/// Packed weights of one group: channel block after channel block, panel after panel, each panel
/// [tap][channel][kPanel].
int64_t panel_offset(const ConvProblem& p, int64_t group, int64_t c, int64_t channels,
                     int64_t output) {
  const int64_t outputs = padded_outputs(p);
  return p.taps() * (group * p.channels * outputs + c * outputs + output * channels);
}

int64_t at_most(int64_t a, int64_t b) { return a < b ? a : b; }

void multiply_windows(const float* const* windows, int64_t positions, const int64_t* offsets,
                      int64_t pieces, int64_t length, const float* panel, float* sums,
                      bool accumulate) {
  for (int64_t i = 0; i < positions; i += kTileRows) {
    with_rows(at_most(kTileRows, positions - i), [&]<int kRows>() {
      multiply_rows<kRows>(windows + i, offsets, pieces, length, panel, kPanel, sums + i * kPanel,
                           kPanel, accumulate);
    });
  }
}

}  // namespace

void conv_pack_weights(const ConvProblem& p, const ConvTiling& tiling, int64_t group,
                       int64_t output, float* packed) {
  const int64_t outputs = at_most(kConvOutputStep, p.outputs - output);
  for (int64_t c = 0; c < p.channels; c += tiling.channels) {
    const int64_t channels = at_most(tiling.channels, p.channels - c);
    for (int64_t o = 0; o < kConvOutputStep; o += kPanel) {
      float* dst = packed + panel_offset(p, group, c, channels, output + o);
      const int64_t columns = outputs - o < 0 ? 0 : at_most(kPanel, outputs - o);
      if (columns < kPanel) memset(dst, 0, p.taps() * channels * kPanel * sizeof(float));
      if (columns == 0) continue;
      for (int64_t tap = 0; tap < p.taps(); ++tap, dst += channels * kPanel) {
        const int64_t w = tap % p.kernel[2], h = tap / p.kernel[2] % p.kernel[1];
        const int64_t d = tap / (p.kernel[2] * p.kernel[1]);
        const int64_t offset = group * p.weight_group_stride + c * p.weight_in_stride +
                               (output + o) * p.weight_out_stride + d * p.weight_stride[0] +
                               h * p.weight_stride[1] + w * p.weight_stride[2];
        visit_float(p.weight_dtype, [&]<class T>(T) {
          load_block(static_cast<const T*>(p.weight) + offset, p.weight_in_stride,
                     p.weight_out_stride, channels, columns, dst, kPanel);
        });
      }
    }
  }
}

void conv_forward_tile(const ConvProblem& p, const ConvTiling& tiling, const float* packed,
                       const ConvTile& t) {
  alignas(64) float scratch[kConvStageFloats];
  alignas(64) float sums[kConvMaxPositions * kConvMaxOutputs];
  const float* windows[kConvMaxPositions];
  StagedInput staged;
  const int64_t rows = at_most(tiling.rows, p.out.size[1] - t.row);
  const int64_t width = at_most(tiling.width, p.out.size[2] - t.column);
  const int64_t outputs = at_most(tiling.outputs, p.outputs - t.output);
  const int64_t positions = rows * width;

  for (int64_t c = 0; c < p.channels; c += tiling.channels) {
    const int64_t channels = at_most(tiling.channels, p.channels - c);
    stage_input(p, t, rows, width, c, channels, true, scratch, staged);
    for (int64_t i = 0; i < positions; ++i) {
      windows[i] = staged.window(p, i / width, i % width);
    }
    const int64_t group = at_most(staged.pieces, 1 + kDepthBlock / staged.length);
    for (int64_t o = 0; o < outputs; o += kPanel) {
      const float* panel = packed + panel_offset(p, t.group, c, channels, t.output + o);
      for (int64_t piece = 0; piece < staged.pieces; piece += group) {
        multiply_windows(windows, positions, staged.offsets + piece,
                         at_most(group, staged.pieces - piece), staged.length, panel,
                         sums + o * kConvMaxPositions, c + piece > 0);
        panel += group * staged.length * kPanel;
      }
    }
  }
  if (p.channels * p.taps() == 0) memset(sums, 0, sizeof sums);

  for (int64_t o = 0; o < outputs; o += kPanel) {
    store_outputs(p, t, rows, width, o, at_most(kPanel, outputs - o), sums + o * kConvMaxPositions);
  }
}

}  // namespace npu::davinci::NPU_ISA
