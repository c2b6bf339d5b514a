// SPDX-License-Identifier: Apache-2.0
// The three products of a convolution on ConvProblem: forward (which is also each phase of a data
// gradient) and weight gradient. Shared by convolution.cpp and convolution_backward.cpp.
#pragma once

#include <cstddef>
#include <numeric>

#include "softnpu/davinci/commands.h"
#include "softnpu/davinci/kernel_table.h"

namespace npu::davinci::conv {

/// The problem whose input is `in` and whose output is `out`; weight [O, C/g, ...]. For a
/// transposed convolution `in` is the larger side: it is the data gradient of this problem.
ConvProblem problem_of(const TensorView& in, const TensorView& weight, const TensorView& out,
                       const ConvolutionShape& shape);
void set_bias(ConvProblem& problem, const TensorView& bias);

size_t forward_bytes(const ConvProblem& problem);
void forward(const ConvProblem& problem, Workers& workers, std::byte* workspace);

size_t weight_gradient_bytes(const ConvProblem& problem);
/// Writes problem.weight (may be null) and `bias` (may be undefined) from in and out, where out
/// holds the output's gradient.
void weight_gradient(const ConvProblem& problem, const TensorView& bias, Workers& workers,
                     std::byte* workspace);
/// bias[c] = the sum of gradient over everything but channel c.
void bias_gradient(const TensorView& gradient, const TensorView& bias, Workers& workers);

/// The taps of one dimension that reach the input positions first + stride * j, as a convolution of
/// stride 1 over the output's gradient, weights turned over.
struct Phase {
  int64_t size, kernel, padding, dilation;
  int64_t first_tap, tap_step;  // of the turned kernel
};
Phase phase_of(const ConvProblem& problem, int dim, int64_t first);

/// The data gradient of `p` (p.out holds the output's gradient, p.in receives): calls f with one
/// forward problem for each phase of the strides.
template <class F>
void for_each_phase(const ConvProblem& p, F&& f) {
  const int64_t phases = p.stride[0] * p.stride[1] * p.stride[2];
  for (int64_t i = 0; i < phases; ++i) {
    const int64_t first[3] = {i / (p.stride[2] * p.stride[1]), i / p.stride[2] % p.stride[1],
                              i % p.stride[2]};
    ConvProblem q = p;
    q.in = p.out;
    q.out = p.in;
    q.channels = p.outputs;
    q.outputs = p.channels;
    q.weight_out_stride = p.weight_in_stride;
    q.weight_in_stride = p.weight_out_stride;
    int64_t out_offset = 0, weight_offset = 0;
    bool reached = true;
    for (int dim = 0; dim < 3; ++dim) {
      const Phase phase = phase_of(p, dim, first[dim]);
      reached = reached && phase.kernel > 0;
      q.out.size[dim] = phase.size;
      q.out.stride[dim] = p.in.stride[dim] * p.stride[dim];
      q.kernel[dim] = phase.kernel;
      q.padding[dim] = phase.padding;
      q.dilation[dim] = phase.dilation;
      q.stride[dim] = 1;
      q.weight_stride[dim] = phase.tap_step * p.weight_stride[dim];
      out_offset += first[dim] * p.in.stride[dim];
      weight_offset += phase.first_tap * p.weight_stride[dim];
    }
    if (q.out.size[0] * q.out.size[1] * q.out.size[2] == 0) continue;
    if (!reached) {  // nothing but the bias
      q.channels = 0;
      for (int64_t& k : q.kernel) k = 1;
    }
    const auto advance = [](void* data, DType dtype, int64_t elements) -> void* {
      return static_cast<std::byte*>(data) + elements * static_cast<int64_t>(base::size_of(dtype));
    };
    q.out.data = advance(p.in.data, p.in.dtype, out_offset);
    q.weight = advance(p.weight, p.weight_dtype, weight_offset);
    f(q);
  }
}

}  // namespace npu::davinci::conv
