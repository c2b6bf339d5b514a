// SPDX-License-Identifier: Apache-2.0
// Where the micro-kernels find a convolution's windows. A tile's input is copied (converted,
// transposed to channels-last, padding written as zeros) into scratch, so that every window is a
// few contiguous pieces at the same offsets from its first element. Channels-last float input
// without padding needs no copy. Kernel builds only.
#pragma once

#include "softnpu/davinci/cube_types.h"
#include "softnpu/davinci/kernels/matrix_any.h"

namespace npu::davinci::NPU_ISA {
namespace {

/// The input of one tile and one block of channels, ready to be multiplied.
struct StagedInput {
  const float* origin = nullptr;  // of the window at the tile's first position
  int64_t plane_pitch = 0, row_pitch = 0, pixel_pitch = 0;
  int64_t pieces = 0, length = 0;  // a window = pieces contiguous runs
  int64_t offsets[kConvMaxPieces];

  const float* window(const ConvProblem& p, int64_t row, int64_t column) const {
    return origin + row * p.stride[1] * row_pitch + column * p.stride[2] * pixel_pitch;
  }
};

inline const void* address(const ConvMap& map, int64_t batch, int64_t channel, int64_t d, int64_t h,
                           int64_t w) {
  const int64_t offset = batch * map.batch_stride + channel * map.channel_stride +
                         d * map.stride[0] + h * map.stride[1] + w * map.stride[2];
  const int64_t size = map.dtype == base::DType::kFloat ? 4 : 2;
  return static_cast<const char*>(map.data) + offset * size;
}

inline void find_pieces(const ConvProblem& p, int64_t channels, bool may_join, StagedInput& s) {
  const bool joined = may_join && p.dilation[2] == 1 && s.pixel_pitch == channels;
  const int64_t columns = joined ? 1 : p.kernel[2];
  s.length = joined ? p.kernel[2] * channels : channels;
  s.pieces = 0;
  for (int64_t d = 0; d < p.kernel[0]; ++d) {
    for (int64_t h = 0; h < p.kernel[1]; ++h) {
      for (int64_t w = 0; w < columns; ++w) {
        s.offsets[s.pieces++] =
            d * s.plane_pitch + h * p.dilation[1] * s.row_pitch + w * p.dilation[2] * s.pixel_pitch;
      }
    }
  }
}

/// Rows [first, first + count) of one input plane, columns [left, left + width); zeros outside.
inline void stage_plane(const ConvProblem& p, const ConvTile& t, int64_t channel, int64_t channels,
                        int64_t depth, int64_t first, int64_t count, int64_t left, int64_t width,
                        float* dst) {
  const ConvMap& in = p.in;
  const int64_t begin = left < 0 ? (-left < width ? -left : width) : 0;
  int64_t end = in.size[2] - left < width ? in.size[2] - left : width;
  if (end < begin) end = begin;
  const bool outside = depth < 0 || depth >= in.size[0];
  for (int64_t h = first; h < first + count; ++h, dst += width * channels) {
    if (outside || h < 0 || h >= in.size[1] || begin == end) {
      memset(dst, 0, width * channels * sizeof(float));
      continue;
    }
    memset(dst, 0, begin * channels * sizeof(float));
    visit_float(in.dtype, [&]<class T>(T) {
      const T* src = static_cast<const T*>(address(in, t.batch, channel, depth, h, left + begin));
      load_block(src, in.stride[2], in.channel_stride, end - begin, channels,
                 dst + begin * channels, channels);
    });
    memset(dst + end * channels, 0, (width - end) * channels * sizeof(float));
  }
}

/// Prepares channels [c, c + channels) of the tile's group for `rows` x `width` positions. scratch
/// holds kConvStageFloats; may_join lets the columns of the kernel form one piece.
inline void stage_input(const ConvProblem& p, const ConvTile& t, int64_t rows, int64_t width,
                        int64_t c, int64_t channels, bool may_join, float* scratch,
                        StagedInput& s) {
  const int64_t channel = t.group * p.channels + c;
  const int64_t d0 = t.depth * p.stride[0] - p.padding[0];
  const int64_t h0 = t.row * p.stride[1] - p.padding[1];
  const int64_t w0 = t.column * p.stride[2] - p.padding[2];
  const int64_t in_rows = (rows - 1) * p.stride[1] + (p.kernel[1] - 1) * p.dilation[1] + 1;
  const int64_t in_width = (width - 1) * p.stride[2] + (p.kernel[2] - 1) * p.dilation[2] + 1;
  const int64_t d_end = d0 + (p.kernel[0] - 1) * p.dilation[0] + 1;
  const bool inside = d0 >= 0 && h0 >= 0 && w0 >= 0 && d_end <= p.in.size[0] &&
                      h0 + in_rows <= p.in.size[1] && w0 + in_width <= p.in.size[2];
  if (inside && p.in.dtype == base::DType::kFloat && p.in.channel_stride == 1) {
    s.origin = static_cast<const float*>(address(p.in, t.batch, channel, d0, h0, w0));
    s.plane_pitch = p.in.stride[0] * p.dilation[0];
    s.row_pitch = p.in.stride[1];
    s.pixel_pitch = p.in.stride[2];
  } else {
    s.origin = scratch;
    s.pixel_pitch = channels;
    s.row_pitch = in_width * channels;
    s.plane_pitch = in_rows * s.row_pitch;
    for (int64_t d = 0; d < p.kernel[0]; ++d) {
      stage_plane(p, t, channel, channels, d0 + d * p.dilation[0], h0, in_rows, w0, in_width,
                  scratch + d * s.plane_pitch);
    }
  }
  find_pieces(p, channels, may_join, s);
}

}  // namespace
}  // namespace npu::davinci::NPU_ISA
