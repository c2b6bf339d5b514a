// SPDX-License-Identifier: Apache-2.0
// What the drivers of the cube commands hand to their kernels: plain structs, no ownership. Strides
// are in elements.
#pragma once

#include <stdint.h>

#include "softnpu/base/dtype.h"

namespace npu::davinci {

/// A strided matrix of any element type.
struct Matrix {
  void* data = nullptr;
  base::DType dtype = base::DType::kUndefined;
  int64_t row_stride = 0;
  int64_t column_stride = 0;
};

/// One tile of out = alpha * a @ b + beta * c: the matrices start at the tile's first element.
struct GemmTile {
  Matrix a;    // [rows, depth]
  Matrix b;    // [depth, columns]
  Matrix c;    // [rows, columns], data == nullptr: none
  Matrix out;  // [rows, columns]
  int64_t rows = 0, columns = 0, depth = 0;
  double alpha = 1, beta = 0;
  bool in_place = true;  // false: out may hold c, so do not use it for partial sums
};

// Bounds of a gemm tile; what lies within them fits the kernels' scratch.
constexpr int64_t kGemmMaxRows = 240;
constexpr int64_t kGemmMaxColumns = 256;
constexpr int64_t kGemmRowStep = 48;     // a multiple of every build's tile rows
constexpr int64_t kGemmColumnStep = 32;  // a multiple of every build's panel width
constexpr int64_t kGemmDotMaxRows = 4;

/// One side of a convolution: [batch, channel, depth, height, width] with any strides.
struct ConvMap {
  void* data = nullptr;
  base::DType dtype = base::DType::kUndefined;
  int64_t batch_stride = 0, channel_stride = 0;
  int64_t stride[3] = {};
  int64_t size[3] = {};
};

/// out[n, o, p] = bias[o] + sum over c, k of weight[o, c, k] * in[n, c, p * stride - padding + k *
/// dilation], group by group. The data gradient is of this form too (weights turned over, padding
/// of either sign); the weight gradient relates the same three tensors.
struct ConvProblem {
  ConvMap in, out;
  void* weight = nullptr;
  base::DType weight_dtype = base::DType::kUndefined;
  int64_t weight_group_stride = 0, weight_out_stride = 0, weight_in_stride = 0;
  int64_t weight_stride[3] = {};
  const void* bias = nullptr;
  base::DType bias_dtype = base::DType::kUndefined;
  int64_t bias_stride = 0;
  int64_t batches = 0, groups = 1;
  int64_t channels = 0, outputs = 0;  // of one group
  int64_t kernel[3] = {1, 1, 1}, stride[3] = {1, 1, 1}, padding[3] = {}, dilation[3] = {1, 1, 1};

  int64_t taps() const { return kernel[0] * kernel[1] * kernel[2]; }
};

/// How the implicit product is cut: one tile is `rows` x `width` positions of one depth slice,
/// `outputs` output channels; its input is staged `channels` at a time.
struct ConvTiling {
  int64_t rows = 1, width = 1, outputs = 1, channels = 1;
};

constexpr int64_t kConvMaxPositions = 256;     // rows * width
constexpr int64_t kConvMaxOutputs = 128;       // a multiple of every panel width
constexpr int64_t kConvMaxPieces = 1024;       // taps
constexpr int64_t kConvStageFloats = 1 << 16;  // staged input of a tile
constexpr int64_t kConvOutputStep = 32;        // packed weights are padded to this

// Winograd F(2x2, 3x3): a tile is this many 2x2 output squares at most, fewer with many channels.
constexpr int64_t kWinogradPoints = 16;  // products of a square
constexpr int64_t kWinogradMaxSquares = 64;
constexpr int64_t kWinogradFloats = 1 << 17;  // transformed input of a tile
constexpr int64_t kWinogradMaxChannels = 512;

/// How a convolution with few channels a group is cut: `rows` x `width` positions of one plane.
/// Staged input rows hold `phase_width` floats for each phase of the column stride.
struct DepthwiseBand {
  int64_t rows = 1, width = 1;
  int64_t phase_width = 0, pitch = 0, plane = 0;  // floats of a phase, a row, a depth
};
constexpr int64_t kDepthwiseFloats = 1 << 14;  // staged input of a band

/// Where a tile begins.
struct ConvTile {
  int64_t batch = 0, group = 0, depth = 0, row = 0, column = 0, output = 0;
};

/// Batch norm, both directions. Maps have their dimensions merged as far as their strides allow,
/// the same way in all of them. Absent tensors have data == nullptr; vectors lie along columns.
struct BatchNormProblem {
  ConvMap in, out, grad_out, grad_in;
  int64_t batches = 0, channels = 0;
  Matrix weight, bias, running_mean, running_var, mean, invstd, grad_weight, grad_bias;
  bool training = true;
  double momentum = 0, epsilon = 0;

  int64_t count() const { return batches * in.size[0] * in.size[1] * in.size[2]; }
};

/// 2-D pooling between the larger map `in` (or its gradient) and the smaller map `out`; height and
/// width are the maps' dimensions 1 and 2.
struct PoolProblem {
  ConvMap in, out, positions;
  int64_t batches = 0, channels = 0;
  int64_t kernel[2] = {1, 1}, stride[2] = {1, 1}, padding[2] = {}, dilation[2] = {1, 1};
  bool adaptive = false;  // averages only: windows from the two sizes alone
  bool count_padding = true;
  int64_t divisor = 0;  // 0: the window's size

  bool in_window() const {
    return positions.dtype == base::DType::kInt8 || positions.dtype == base::DType::kUInt8;
  }
};

}  // namespace npu::davinci
