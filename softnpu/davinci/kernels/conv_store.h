// SPDX-License-Identifier: Apache-2.0
// The end of a convolution tile: sums of one panel, [position][kPanel], get their bias and go to
// memory; and the way back for a gradient. Kernel builds only.
#pragma once

#include "softnpu/davinci/kernels/conv_stage.h"
#include "softnpu/davinci/kernels/micro_kernel.h"

namespace npu::davinci::NPU_ISA {
namespace {

inline void add_bias(const ConvProblem& p, int64_t channel, int64_t columns, int64_t rows,
                     float* sums) {
  float bias[kPanel] = {};
  load_matrix({const_cast<void*>(p.bias), p.bias_dtype, 0, p.bias_stride}, 0, channel, 1, columns,
              bias, kPanel);
  const Vec b0 = load(bias), b1 = load(bias + kLanes);
  for (int64_t r = 0; r < rows; ++r, sums += kPanel) {
    store(sums, load(sums) + b0);
    store(sums + kLanes, load(sums + kLanes) + b1);
  }
}

/// Stores `columns` output channels from output `o` of the tile on.
inline void store_outputs(const ConvProblem& p, const ConvTile& t, int64_t rows, int64_t width,
                          int64_t o, int64_t columns, float* sums) {
  const int64_t channel = t.group * p.outputs + t.output + o;
  if (p.bias != nullptr) add_bias(p, channel, columns, rows * width, sums);
  visit_float(p.out.dtype, [&]<class T>(T) {
    for (int64_t r = 0; r < rows; ++r, sums += width * kPanel) {
      const void* dst = address(p.out, t.batch, channel, t.depth, t.row + r, t.column);
      store_block(sums, kPanel, width, columns, static_cast<T*>(const_cast<void*>(dst)),
                  p.out.stride[2], p.out.channel_stride);
    }
  });
}

/// The tile's output gradient as [position][ld], zeros from `outputs` up to ld.
inline void stage_gradient(const ConvProblem& p, const ConvTile& t, int64_t rows, int64_t width,
                           int64_t outputs, int64_t ld, float* dst) {
  if (ld != outputs) memset(dst, 0, rows * width * ld * sizeof(float));
  const int64_t channel = t.group * p.outputs + t.output;
  visit_float(p.out.dtype, [&]<class T>(T) {
    for (int64_t r = 0; r < rows; ++r) {
      const void* src = address(p.out, t.batch, channel, t.depth, t.row + r, t.column);
      load_block(static_cast<const T*>(src), p.out.stride[2], p.out.channel_stride, width, outputs,
                 dst + r * width * ld, ld);
    }
  });
}

/// sum[o] += the sum of `count` rows.
inline void add_rows(const float* rows, int64_t count, int64_t ld, float* sum) {
  for (int64_t o = 0; o < ld; o += kLanes) {
    Vec total = load(sum + o);
    for (int64_t i = 0; i < count; ++i) total += load(rows + i * ld + o);
    store(sum + o, total);
  }
}

}  // namespace
}  // namespace npu::davinci::NPU_ISA
