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

}  // namespace npu::davinci
