// SPDX-License-Identifier: Apache-2.0
// What the chip can be told to do: each command is a plain value, run by its run() overload on host
// memory. Plan builders validated every field before; run() is total and never throws, except where
// it says "checked". Graph passes read and rewrite these values.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "softnpu/base/tensor.h"
#include "softnpu/base/workers.h"
#include "softnpu/davinci/kernel_types.h"

namespace npu::davinci {

using base::DType;
using base::Scalar;
using base::TensorView;
using base::Workers;

/// out[i] = op(in...[i], scalars), computed in `compute` (see compute_type), converted on load and
/// store. vector_ops.def lists operators, arity, compute types and the meaning of scalars. All
/// views have the output's shape; broadcasting is a stride of 0. An undefined input i (of
/// num_inputs) is the constant scalars[i + 1]: a -> s1, b -> s2, c -> s3. out may be one of the
/// inputs (same view) but not overlap them otherwise.
struct Elementwise {
  VectorOp op{};
  DType compute = DType::kFloat;
  int num_inputs = 0;
  std::array<TensorView, 3> inputs;
  TensorView out;
  std::array<Scalar, 4> scalars;
};
void run(const Elementwise& command, Workers& workers);

/// kFloat for float32/16/bfloat16, kDouble for float64, kInt64 for int64/uint64/uint32, kInt32 for
/// other integers and bool. The type of a result that is computed from `dtype`.
DType compute_type(DType dtype);
/// The compute type of kCopy from one type to the other (a floating side decides).
DType copy_compute_type(DType from, DType to);
/// Whether vector_ops.def has `op` in this compute type.
bool has_vector_op(VectorOp op, DType compute);

/// The same operator on many tensors (foreach forms). scalars_each is empty or one row a tensor.
struct Foreach {
  std::vector<Elementwise> items;
};
void run(const Foreach& command, Workers& workers);

/// Reduces the dimensions of `in` whose bit is set in reduced_dims. out has the input's rank with
/// size 1 there. Half types accumulate in float32, float32 in blocked (pairwise-like) float32 at
/// least as accurate as PyTorch CPU's. NaN propagates through max/min/arg as in PyTorch; ties give
/// the first index.
struct Reduce {
  ReduceOp op{};
  TensorView in;
  TensorView out;
  TensorView indices;  // int64, for kMax/kMin with indices along one dimension; else undefined
  uint32_t reduced_dims = 0;
  double parameter = 0;  // kVar/kStd: correction; kNorm: p
};
void run(const Reduce& command, Workers& workers);

/// Inclusive cumulative sum along dim.
struct Cumsum {
  TensorView in, out;
  int dim = 0;
};
void run(const Cumsum& command, Workers& workers);

/// out = alpha * a @ b + beta * c. a [B, M, K], b [B, K, N], out [B, M, N], any strides, B
/// broadcast by stride 0; c undefined or broadcast to out's shape (rank 3). fp16/bf16 accumulate in
/// fp32.
struct Matmul {
  TensorView a, b, c, out;
  double alpha = 1, beta = 0;
};
size_t workspace_bytes(const Matmul& command);
void run(const Matmul& command, Workers& workers, std::byte* workspace);

/// 1-3 spatial dimensions, stored as 3 (leading ones are 1). in [N, C, D, H, W], weight [O, C/g,
/// kD, kH, kW] (transposed: [C, O/g, ...]), bias [O] or undefined. Any strides; NCHW-contiguous and
/// channels-last are fast.
struct ConvolutionShape {
  std::array<int64_t, 3> stride{1, 1, 1}, padding{0, 0, 0}, dilation{1, 1, 1},
      output_padding{0, 0, 0};
  int64_t groups = 1;
  bool transposed = false;
};
struct Convolution {
  TensorView in, weight, bias, out;
  ConvolutionShape shape;
};
size_t workspace_bytes(const Convolution& command);
void run(const Convolution& command, Workers& workers, std::byte* workspace);

/// Any of grad_in, grad_weight, grad_bias may be undefined = not wanted.
struct ConvolutionBackward {
  TensorView grad_out, in, weight;
  TensorView grad_in, grad_weight, grad_bias;
  ConvolutionShape shape;
};
size_t workspace_bytes(const ConvolutionBackward& command);
void run(const ConvolutionBackward& command, Workers& workers, std::byte* workspace);

/// Batch norm over [N, C, spatial...] (rank 2-5, as PyTorch). Statistics in float32 by a stable
/// method (Welford or shifted). training: batch statistics, running ones updated with `momentum`
/// (unbiased var) when defined; save_mean/save_invstd written. evaluation: running statistics used.
struct BatchNorm {
  TensorView in, weight, bias, running_mean, running_var, out, save_mean, save_invstd;
  bool training = true;
  double momentum = 0.1, epsilon = 1e-5;
};
void run(const BatchNorm& command, Workers& workers);
struct BatchNormBackward {
  TensorView grad_out, in, weight, running_mean, running_var, save_mean, save_invstd;
  TensorView grad_in, grad_weight, grad_bias;
  bool training = true;
  double epsilon = 1e-5;
};
void run(const BatchNormBackward& command, Workers& workers);

/// Layer norm over the last `normalized_rank` dimensions.
struct LayerNorm {
  TensorView in, weight, bias, out, mean, rstd;
  int normalized_rank = 1;
  double epsilon = 1e-5;
};
void run(const LayerNorm& command, Workers& workers);
struct LayerNormBackward {
  TensorView grad_out, in, mean, rstd, weight;
  TensorView grad_in, grad_weight, grad_bias;
  int normalized_rank = 1;
};
void run(const LayerNormBackward& command, Workers& workers);

/// 2-D pooling on [N, C, H, W] (any strides). Windows as PyTorch's, ceil_mode resolved into out's
/// shape.
struct PoolShape {
  std::array<int64_t, 2> kernel{1, 1}, stride{1, 1}, padding{0, 0}, dilation{1, 1};
};
/// `positions` holds, per output element, where its maximum came from: kInt8/kUInt8 = offset in the
/// window (kernel area <= 127, else refused by the plan), kInt32/kInt64 = flat index in the H*W
/// plane as PyTorch. NaN wins, first maximum wins ties.
struct MaxPool2d {
  TensorView in, out, positions;
  PoolShape shape;
};
void run(const MaxPool2d& command, Workers& workers);
struct MaxPool2dBackward {
  TensorView grad_out, positions, grad_in;  // grad_in is overwritten
  PoolShape shape;
};
void run(const MaxPool2dBackward& command, Workers& workers);
struct AvgPool2d {
  TensorView in, out;
  PoolShape shape;
  bool count_include_pad = true;
  int64_t divisor_override = 0;  // 0 = none
};
void run(const AvgPool2d& command, Workers& workers);
struct AvgPool2dBackward {
  TensorView grad_out, grad_in;
  PoolShape shape;
  bool count_include_pad = true;
  int64_t divisor_override = 0;
};
void run(const AvgPool2dBackward& command, Workers& workers);
/// Adaptive average pooling to out's H, W, and its gradient.
struct AdaptiveAvgPool2d {
  TensorView in, out;
};
void run(const AdaptiveAvgPool2d& command, Workers& workers);
struct AdaptiveAvgPool2dBackward {
  TensorView grad_out, grad_in;
};
void run(const AdaptiveAvgPool2dBackward& command, Workers& workers);

/// Softmax or log-softmax along dim, float32 inside.
struct Softmax {
  TensorView in, out;
  int dim = 0;
  bool log = false;
};
void run(const Softmax& command, Workers& workers);
struct SoftmaxBackward {
  TensorView grad_out, out, grad_in;
  int dim = 0;
  bool log = false;
};
void run(const SoftmaxBackward& command, Workers& workers);

enum class Reduction : uint8_t { kNone = 0, kMean = 1, kSum = 2 };  // at::Reduction's values
/// in [N, C] or [N, C, spatial...]; target [N, spatial...] int64/int32/uint8. checked: a target
/// outside [0, C) and not ignore_index throws base::Error naming index and bound. total_weight []
/// is written.
struct NllLoss {
  TensorView in, target, weight, out, total_weight;
  Reduction reduction = Reduction::kMean;
  int64_t ignore_index = -100;
};
void run(const NllLoss& command, Workers& workers);
struct NllLossBackward {
  TensorView grad_out, target, weight, total_weight, grad_in;
  Reduction reduction = Reduction::kMean;
  int64_t ignore_index = -100;
};
void run(const NllLossBackward& command, Workers& workers);

/// Concatenates along dim (each part is copied into its slice of out, converting).
struct Cat {
  std::vector<TensorView> parts;
  TensorView out;
  int dim = 0;
};
void run(const Cat& command, Workers& workers);

/// out[..., i, ...] = in[..., index[i], ...] along dim, index rank 1. checked.
struct IndexSelect {
  TensorView in, index, out;
  int dim = 0;
};
void run(const IndexSelect& command, Workers& workers);
/// Advanced indexing: `indices` (broadcast to one common shape, undefined = full slice) for the
/// leading dims of `in` as aten::index gives them. Indices are int64/int32 and may be negative.
/// checked.
struct Index {
  TensorView in;
  std::vector<TensorView> indices;
  TensorView out;
};
void run(const Index& command, Workers& workers);
/// self[indices...] = / += values (broadcast to the indexed shape). checked. Accumulation is
/// deterministic.
struct IndexPut {
  TensorView self;
  std::vector<TensorView> indices;
  TensorView values;
  bool accumulate = false;
};
void run(const IndexPut& command, Workers& workers);
/// gather / scatter along dim, PyTorch's shapes. checked. value: src or a scalar.
struct Gather {
  TensorView in, index, out;
  int dim = 0;
};
void run(const Gather& command, Workers& workers);
enum class ScatterOp : uint8_t { kSet, kAdd, kMultiply, kMax, kMin };  // kMax, kMin: not for halves
struct Scatter {
  TensorView self, index, src;
  Scalar value;
  int dim = 0;
  ScatterOp op{};
};  // self in place; src undefined = value
void run(const Scatter& command, Workers& workers);
/// grad_weight[index[i]] += grad_out[i]; grad_weight [V, D] is overwritten. checked.
struct EmbeddingBackward {
  TensorView grad_out, index, grad_weight;
  int64_t padding_idx = -1;
  bool scale_by_frequency = false;
};
void run(const EmbeddingBackward& command, Workers& workers);

/// out[i] = start + i * step, computed in double or int64.
struct Arange {
  TensorView out;
  Scalar start, step;
};
void run(const Arange& command, Workers& workers);
/// Lower/upper triangle of the last two dims.
struct Triangle {
  TensorView in, out;
  int64_t diagonal = 0;
  bool upper = false;
};
void run(const Triangle& command, Workers& workers);
/// Stable sort along dim; values and indices int64; NaN counts as largest, as PyTorch's.
struct Sort {
  TensorView in, values, indices;
  int dim = 0;
  bool descending = false;
};
void run(const Sort& command, Workers& workers);
/// topk along dim, sorted.
struct TopK {
  TensorView in, values, indices;
  int dim = 0;
  int64_t k = 0;
  bool largest = true;
};
void run(const TopK& command, Workers& workers);

/// Philox4x32-10 streams: element i uses counter (offset + i / 4), lane i % 4 (64-bit uses two
/// lanes), so a seed gives the same numbers whatever the number of threads and the instruction set.
enum class RandomOp : uint8_t {
  kUniform,
  kNormal,
  kBernoulli,
  kRandomInt,
  kExponential,
  kDropoutMask
};
/// kUniform: [a, b); kNormal: mean a, std b; kBernoulli: probability a, or per element from
/// `probability`; kRandomInt: integers in [a, b); kDropoutMask: out is kUInt8 packed bits (bit i%8
/// of byte i/8, 1 = keep), `count` bits, keep probability 1 - a.
struct Random {
  RandomOp op{};
  TensorView out;
  TensorView probability;
  double a = 0, b = 1;
  int64_t int_a = 0, int_b = 0;
  int64_t count = 0;
  uint64_t seed = 0, offset = 0;
};
void run(const Random& command, Workers& workers);
/// A random permutation of 0..n-1.
struct RandomPermutation {
  TensorView out;
  uint64_t seed = 0, offset = 0;
};
void run(const RandomPermutation& command, Workers& workers);
/// out = mask bit ? in / (1 - p) : 0; mask as kDropoutMask packs it, in out's row-major order.
struct DropoutApply {
  TensorView in, mask, out;
  double probability = 0.5;
};
void run(const DropoutApply& command, Workers& workers);

}  // namespace npu::davinci
