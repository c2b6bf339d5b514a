// SPDX-License-Identifier: Apache-2.0
// 3x3 convolutions of stride 1 by Winograd's F(2x2, 3x3): squares of 2x2 outputs from 4x4 inputs by
// 16 products instead of 36. Its error against float64 is no larger than that of direct float32
// sums (cube_winograd_test.cpp measures it). Input and gradient are staged channels-last, so that
// every transform works on vectors of channels.
#include "softnpu/davinci/kernel_table.h"
#include "softnpu/davinci/kernels/conv_store.h"

namespace npu::davinci::NPU_ISA {
namespace {

constexpr int kSide = 4;  // of a transformed square
// Transformed squares lie this far apart beyond their data, or all points would share a cache set.
constexpr int64_t kSkew = 16;

int64_t at_most(int64_t a, int64_t b) { return a < b ? a : b; }
int64_t even(int64_t x) { return x + x % 2; }
int64_t padded_outputs(const ConvProblem& p) {
  return (p.outputs + kConvOutputStep - 1) / kConvOutputStep * kConvOutputStep;
}

// The transforms in one dimension; applied to columns, then to rows.
struct InputTransform {  // 4 -> 4
  [[gnu::always_inline]] static void apply(const Vec* d, Vec* o) {
    o[0] = d[0] - d[2];
    o[1] = d[1] + d[2];
    o[2] = d[2] - d[1];
    o[3] = d[1] - d[3];
  }
  static constexpr int kFrom = 4, kTo = 4;
};
struct WeightTransform {  // 3 -> 4
  [[gnu::always_inline]] static void apply(const Vec* d, Vec* o) {
    const Vec outer = (d[0] + d[2]) * broadcast(0.5f), inner = d[1] * broadcast(0.5f);
    o[0] = d[0];
    o[1] = outer + inner;
    o[2] = outer - inner;
    o[3] = d[2];
  }
  static constexpr int kFrom = 3, kTo = 4;
};
struct OutputTransform {  // 4 -> 2
  [[gnu::always_inline]] static void apply(const Vec* d, Vec* o) {
    o[0] = d[0] + d[1] + d[2];
    o[1] = d[1] - d[2] - d[3];
  }
  static constexpr int kFrom = 4, kTo = 2;
};
struct GradientTransform {  // 2 -> 4, the transpose of OutputTransform
  [[gnu::always_inline]] static void apply(const Vec* d, Vec* o) {
    o[0] = d[0];
    o[1] = d[0] + d[1];
    o[2] = d[0] - d[1];
    o[3] = -d[1];
  }
  static constexpr int kFrom = 2, kTo = 4;
};
struct WeightGradientTransform {  // 4 -> 3, the transpose of WeightTransform
  [[gnu::always_inline]] static void apply(const Vec* d, Vec* o) {
    const Vec sum = (d[1] + d[2]) * broadcast(0.5f);
    o[0] = d[0] + sum;
    o[1] = (d[1] - d[2]) * broadcast(0.5f);
    o[2] = sum + d[3];
  }
  static constexpr int kFrom = 4, kTo = 3;
};

/// One vector of channels: reads element (i, j) with read(i, j), writes with write(i, j, value).
template <class T, class Read, class Write>
[[gnu::always_inline]] inline void transform(Read&& read, Write&& write) {
  Vec half[T::kTo][T::kFrom];
#pragma GCC unroll 4
  for (int j = 0; j < T::kFrom; ++j) {
    Vec column[T::kFrom], out[T::kTo];
#pragma GCC unroll 4
    for (int i = 0; i < T::kFrom; ++i) column[i] = read(i, j);
    T::apply(column, out);
#pragma GCC unroll 4
    for (int i = 0; i < T::kTo; ++i) half[i][j] = out[i];
  }
#pragma GCC unroll 4
  for (int i = 0; i < T::kTo; ++i) {
    Vec out[T::kTo];
    T::apply(half[i], out);
#pragma GCC unroll 4
    for (int j = 0; j < T::kTo; ++j) write(i, j, out[j]);
  }
}

/// The squares of one tile.
struct Squares {
  int64_t rows, width;     // outputs inside the map
  int64_t columns, count;  // squares across, and in all

  Squares(const ConvProblem& p, const ConvTiling& tiling, const ConvTile& t)
      : rows(at_most(tiling.rows, p.out.size[1] - t.row)),
        width(at_most(tiling.width, p.out.size[2] - t.column)),
        columns(even(width) / 2),
        count(even(rows) / 2 * columns) {}
};

/// values[point * stride + square * channels + c] from the staged input.
int64_t transform_input(const ConvProblem& p, const ConvTile& t, const Squares& squares,
                        float* values) {
  alignas(64) float scratch[kConvStageFloats];
  StagedInput staged;
  stage_input(p, t, even(squares.rows), even(squares.width), 0, p.channels, false, scratch, staged);
  const int64_t stride = squares.count * p.channels + kSkew;
  for (int64_t s = 0; s < squares.count; ++s) {
    const float* in = staged.window(p, s / squares.columns * 2, s % squares.columns * 2);
    float* out = values + s * p.channels;
    for (int64_t c = 0; c < p.channels; c += kLanes) {
      transform<InputTransform>(
          [&](int i, int j) {
            return load(in + i * staged.row_pitch + j * staged.pixel_pitch + c);
          },
          [&](int i, int j, Vec v) { store(out + (i * kSide + j) * stride + c, v); });
    }
  }
  return stride;
}

}  // namespace

/// Weights of one kConvOutputStep of outputs as panels [point][channel][kPanel].
void winograd_pack_weights(const ConvProblem& p, int64_t group, int64_t output, float* packed) {
  alignas(64) float taps[9][kLanes][kPanel];
  for (int64_t o = output; o < output + kConvOutputStep; o += kPanel) {
    const int64_t columns = p.outputs - o < kPanel ? p.outputs - o : kPanel;
    float* panel = packed + kWinogradPoints * p.channels * (group * padded_outputs(p) + o);
    memset(taps, 0, sizeof taps);
    for (int64_t c = 0; c < p.channels; c += kLanes) {
      for (int64_t tap = 0; tap < 9 && columns > 0; ++tap) {
        const int64_t offset = group * p.weight_group_stride + o * p.weight_out_stride +
                               c * p.weight_in_stride + tap / 3 * p.weight_stride[1] +
                               tap % 3 * p.weight_stride[2];
        visit_float(p.weight_dtype, [&]<class T>(T) {
          load_block(static_cast<const T*>(p.weight) + offset, p.weight_in_stride,
                     p.weight_out_stride, kLanes, columns, taps[tap][0], kPanel);
        });
      }
      for (int64_t i = 0; i < kLanes; ++i) {
        for (int64_t x = 0; x < kPanel; x += kLanes) {
          transform<WeightTransform>(
              [&](int a, int b) { return load(taps[a * 3 + b][i] + x); },
              [&](int a, int b, Vec v) {
                store(panel + ((a * kSide + b) * p.channels + c + i) * kPanel + x, v);
              });
        }
      }
    }
  }
}

void winograd_forward_tile(const ConvProblem& p, const ConvTiling& tiling, const float* packed,
                           const ConvTile& t) {
  alignas(64) float values[kWinogradFloats + kWinogradPoints * kSkew];
  alignas(64) float products[kWinogradPoints * (kWinogradMaxSquares * kPanel + kSkew)];
  alignas(64) float sums[4 * kWinogradMaxSquares * kPanel];
  const Squares squares(p, tiling, t);
  const int64_t stride = transform_input(p, t, squares, values);
  const int64_t product_stride = squares.count * kPanel + kSkew;
  const int64_t outputs = at_most(tiling.outputs, p.outputs - t.output);
  const int64_t no_offset = 0;
  for (int64_t o = 0; o < outputs; o += kPanel) {
    const float* panel =
        packed + kWinogradPoints * p.channels * (t.group * padded_outputs(p) + t.output + o);
    for (int64_t point = 0; point < kWinogradPoints; ++point, panel += p.channels * kPanel) {
      for (int64_t s = 0; s < squares.count; s += kTileRows) {
        const int64_t rows = at_most(kTileRows, squares.count - s);
        const float* row[kTileRows];
        for (int64_t r = 0; r < kTileRows; ++r) {
          row[r] = values + point * stride + (s + (r < rows ? r : 0)) * p.channels;
        }
        with_rows(rows, [&]<int kRows>() {
          multiply_rows<kRows>(row, &no_offset, 1, p.channels, panel, kPanel,
                               products + point * product_stride + s * kPanel, kPanel, false);
        });
      }
    }
    for (int64_t s = 0; s < squares.count; ++s) {
      const int64_t h = s / squares.columns * 2, w = s % squares.columns * 2;
      for (int64_t x = 0; x < kPanel; x += kLanes) {
        transform<OutputTransform>(
            [&](int i, int j) {
              return load(products + (i * kSide + j) * product_stride + s * kPanel + x);
            },
            [&](int i, int j, Vec v) {
              if (h + i < squares.rows && w + j < squares.width) {
                store(sums + ((h + i) * squares.width + w + j) * kPanel + x, v);
              }
            });
      }
    }
    store_outputs(p, t, squares.rows, squares.width, o, at_most(kPanel, outputs - o), sums);
  }
}

/// Adds one tile to `partial`, [point * channels + c][ld] and the bias gradient's row.
void winograd_weight_tile(const ConvProblem& p, const ConvTiling& tiling, const ConvTile& t,
                          float* partial, int64_t ld) {
  alignas(64) float values[kWinogradFloats + kWinogradPoints * kSkew];
  alignas(64) float gradient[4 * kWinogradMaxSquares * kConvMaxOutputs];
  alignas(64) float points[kWinogradPoints * (kWinogradMaxSquares * kPanel + kSkew)];
  const Squares squares(p, tiling, t);
  const int64_t outputs = at_most(tiling.outputs, p.outputs - t.output);
  const int64_t gradient_ld = (outputs + kPanel - 1) / kPanel * kPanel;
  stage_gradient(p, t, squares.rows, squares.width, outputs, gradient_ld, gradient);
  add_rows(gradient, squares.rows * squares.width, gradient_ld,
           partial + kWinogradPoints * p.channels * ld + t.output);
  const int64_t stride = transform_input(p, t, squares, values);
  const int64_t point_stride = squares.count * kPanel + kSkew;
  for (int64_t o = 0; o < gradient_ld; o += kPanel) {
    for (int64_t s = 0; s < squares.count; ++s) {
      const int64_t h = s / squares.columns * 2, w = s % squares.columns * 2;
      for (int64_t x = 0; x < kPanel; x += kLanes) {
        transform<GradientTransform>(
            [&](int i, int j) {
              const bool inside = h + i < squares.rows && w + j < squares.width;
              const int64_t position = (h + i) * squares.width + w + j;
              return inside ? load(gradient + position * gradient_ld + o + x) : Vec{};
            },
            [&](int i, int j, Vec v) {
              store(points + (i * kSide + j) * point_stride + s * kPanel + x, v);
            });
      }
    }
    for (int64_t point = 0; point < kWinogradPoints; ++point) {
      float* sum = partial + point * p.channels * ld + t.output + o;
      for (int64_t c = 0; c < p.channels; c += kTileRows, sum += kTileRows * ld) {
        with_rows(at_most(kTileRows, p.channels - c), [&]<int kRows>() {
          multiply_columns<kRows>(values + point * stride + c, p.channels, 0,
                                  points + point * point_stride, kPanel, 0, 1, squares.count, sum,
                                  ld, true);
        });
      }
    }
  }
}

/// Adds the partial results of one input channel and writes its weights' gradient.
void winograd_reduce_weights(const ConvProblem& p, const float* partial, int64_t chunks,
                             int64_t chunk_stride, int64_t ld, int64_t group, int64_t c) {
  for (int64_t o = 0; o < p.outputs; o += kLanes) {
    const int64_t columns = at_most(kLanes, p.outputs - o);
    transform<WeightGradientTransform>(
        [&](int i, int j) {
          const float* from = partial + ((i * kSide + j) * p.channels + c) * ld + o;
          Vec total{};
          for (int64_t k = 0; k < chunks; ++k) total += load(from + k * chunk_stride);
          return total;
        },
        [&](int i, int j, Vec v) {
          alignas(64) float taps[kLanes];
          store(taps, v);
          const int64_t offset = group * p.weight_group_stride + c * p.weight_in_stride +
                                 o * p.weight_out_stride + i * p.weight_stride[1] +
                                 j * p.weight_stride[2];
          visit_float(p.weight_dtype, [&]<class T>(T) {
            store_block(taps, kLanes, 1, columns, static_cast<T*>(p.weight) + offset, 0,
                        p.weight_out_stride);
          });
        });
  }
}

}  // namespace npu::davinci::NPU_ISA
