// SPDX-License-Identifier: Apache-2.0
// Plain structs that drivers hand to kernels. No standard library here (see kernel_table.h).
#pragma once

#include <stdint.h>

#include "softnpu/base/dtype.h"
#include "softnpu/davinci/cube_types.h"
#include "softnpu/davinci/vector_op.h"

namespace npu::davinci {

/// Elements of a vector tile: 2 KiB of float, which leaves room for several in L1.
constexpr int kTileElements = 512;

/// The scalars of one element-wise command in its compute type; kernels read the one they need.
union ComputeScalar {
  float f32;
  double f64;
  int32_t i32;
  int64_t i64;
};

/// out[i] = op(a[i], b[i], c[i], scalars) on n contiguous elements of the compute type.
using VectorTile = void (*)(void* out, const void* a, const void* b, const void* c,
                            const ComputeScalar* scalars, int64_t n);
/// dst[i] = static_cast(src[i]) on n contiguous elements, with PyTorch's meaning.
using ConvertTile = void (*)(void* dst, const void* src, int64_t n);

enum class ReduceOp : uint8_t {
  kSum,
  kMean,
  kProd,
  kMax,
  kMin,
  kAny,
  kAll,
  kArgMax,
  kArgMin,
  kVar,
  kStd,
  kNorm,
  kL1Norm,
  kCountNonzero
};

/// What a reduction knows after some elements. Floats accumulate in `value`, integers, flags and
/// counts in `integer`; the extremum keeps its index; variance keeps mean and the sum of squared
/// distances from it.
struct ReduceState {
  double value = 0, mean = 0, distances = 0;
  int64_t integer = 0, index = 0, count = 0;
};
/// Adds n contiguous elements of the compute type, at flat indices from `first`.
using ReduceTile = void (*)(ReduceState* state, const void* data, int64_t n, int64_t first,
                            double parameter);

}  // namespace npu::davinci
