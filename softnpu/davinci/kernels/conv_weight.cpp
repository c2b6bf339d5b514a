// SPDX-License-Identifier: Apache-2.0
// Weight gradient: for each tap, (input channels) x (output channels) summed over positions. A
// chunk of images accumulates into its own partial result; partial results are added in order, so
// the sum does not depend on the workers. The bias gradient is one more row.
#include "softnpu/davinci/kernel_table.h"
#include "softnpu/davinci/kernels/conv_store.h"

namespace npu::davinci::NPU_ISA {
namespace {

int64_t at_most(int64_t a, int64_t b) { return a < b ? a : b; }

}  // namespace

/// Adds one tile to `partial`, [taps * channels + 1][ld]; c and `channels` choose the input
/// channels, the last row is the bias gradient's (only with c == 0).
void conv_weight_tile(const ConvProblem& p, const ConvTiling& tiling, const ConvTile& t, int64_t c,
                      float* partial, int64_t ld) {
  alignas(64) float scratch[kConvStageFloats];
  alignas(64) float gradient[kConvMaxPositions * kConvMaxOutputs];
  StagedInput staged;
  const int64_t rows = at_most(tiling.rows, p.out.size[1] - t.row);
  const int64_t width = at_most(tiling.width, p.out.size[2] - t.column);
  const int64_t outputs = at_most(tiling.outputs, p.outputs - t.output);
  const int64_t channels = at_most(tiling.channels, p.channels - c);
  const int64_t gradient_ld = (outputs + kPanel - 1) / kPanel * kPanel;

  stage_gradient(p, t, rows, width, outputs, gradient_ld, gradient);
  if (c == 0) {
    add_rows(gradient, rows * width, gradient_ld, partial + p.taps() * p.channels * ld + t.output);
  }
  stage_input(p, t, rows, width, c, channels, channels == p.channels, scratch, staged);
  // A piece that joins the columns of the kernel is a run of whole pixels: rows of `partial` too.
  const int64_t piece_rows = staged.length == channels ? p.channels : p.kernel[2] * p.channels;
  for (int64_t o = 0; o < gradient_ld; o += kPanel) {
    for (int64_t piece = 0; piece < staged.pieces; ++piece) {
      const float* first = staged.origin + staged.offsets[piece];
      for (int64_t k = 0; k < staged.length; k += kTileRows) {
        float* sum = partial + (piece * piece_rows + c + k) * ld + t.output + o;
        with_rows(at_most(kTileRows, staged.length - k), [&]<int kRows>() {
          multiply_columns<kRows>(first + k, p.stride[2] * staged.pixel_pitch,
                                  p.stride[1] * staged.row_pitch, gradient + o, gradient_ld,
                                  width * gradient_ld, rows, width, sum, ld, true);
        });
      }
    }
  }
}

/// Adds `chunks` partial results of one group (`chunk_stride` apart), rows [begin, end), and writes
/// them as weight gradient (p.weight) and bias gradient (`bias`; either may be absent).
void conv_reduce_weights(const ConvProblem& p, const float* partial, int64_t chunks,
                         int64_t chunk_stride, int64_t ld, int64_t group, int64_t begin,
                         int64_t end, const Matrix& bias) {
  for (int64_t row = begin; row < end; ++row) {
    const bool is_bias = row == p.taps() * p.channels;
    if ((is_bias ? bias.data : p.weight) == nullptr) continue;
    const int64_t tap = is_bias ? 0 : row / p.channels, c = is_bias ? 0 : row % p.channels;
    const int64_t w = tap % p.kernel[2], h = tap / p.kernel[2] % p.kernel[1];
    const int64_t d = tap / (p.kernel[2] * p.kernel[1]);
    const int64_t offset = group * p.weight_group_stride + c * p.weight_in_stride +
                           d * p.weight_stride[0] + h * p.weight_stride[1] + w * p.weight_stride[2];
    for (int64_t o = 0; o < p.outputs; o += kLanes) {
      alignas(64) float sum[kLanes];
      Vec total{};
      for (int64_t chunk = 0; chunk < chunks; ++chunk) {
        total += load(partial + chunk * chunk_stride + row * ld + o);
      }
      store(sum, total);
      const int64_t columns = at_most(kLanes, p.outputs - o);
      if (is_bias) {
        store_matrix(sum, kLanes, bias, 0, group * p.outputs + o, 1, columns);
        continue;
      }
      visit_float(p.weight_dtype, [&]<class T>(T) {
        T* dst = static_cast<T*>(p.weight) + offset + o * p.weight_out_stride;
        store_block(sum, kLanes, 1, columns, dst, 0, p.weight_out_stride);
      });
    }
  }
}

}  // namespace npu::davinci::NPU_ISA
