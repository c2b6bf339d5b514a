// SPDX-License-Identifier: Apache-2.0
// One tile of a matrix product in float32: blocks of a and panels of b are packed (converted,
// transposed) into scratch that stays in the caches, the micro-kernel multiplies them, and the last
// block along the depth finishes the tile. Each element adds its products in an order that depends
// on the depth alone.
#include "softnpu/davinci/kernel_table.h"
#include "softnpu/davinci/kernels/matrix_any.h"
#include "softnpu/davinci/kernels/micro_kernel.h"

namespace npu::davinci::NPU_ISA {
namespace {

constexpr int64_t kDepthBlock = 256;

bool is_float(const Matrix& m) { return m.dtype == DType::kFloat; }

/// alpha * sums + beta * c, then to out unless the sums are already there.
void finish_panel(const GemmTile& t, float* sums, int64_t ld, int64_t column, int64_t columns,
                  bool in_out) {
  const float alpha = static_cast<float>(t.alpha), beta = static_cast<float>(t.beta);
  if (t.alpha != 1 || t.c.data != nullptr) {
    float addend[kPanel] = {};
    for (int64_t r = 0; r < t.rows; ++r) {
      if (t.c.data != nullptr) load_matrix(t.c, r, column, 1, columns, addend, kPanel);
      float* row = sums + r * ld;
      for (int64_t j = 0; j < columns; ++j) row[j] = alpha * row[j] + beta * addend[j];
    }
  }
  if (!in_out) store_matrix(sums, ld, t.out, 0, column, t.rows, columns);
}

/// Packs the panels of b from column `begin` on: panel j lies at j * kDepthBlock.
void pack_panels(const GemmTile& t, int64_t k0, int64_t depth, int64_t begin, float* block) {
  const int64_t end = t.columns - t.columns % kPanel;
  if (begin < t.columns && end < t.columns) {
    memset(block + end * kDepthBlock, 0, depth * kPanel * sizeof(float));
  }
  // Read along what is contiguous for as long as it lasts: the other direction changes pages.
  const int64_t most = t.b.column_stride == 1 ? kLanes : depth;
  for (int64_t k = 0; k < depth; k += most) {
    const int64_t run = depth - k < most ? depth - k : most;
    for (int64_t j = begin; j < t.columns; j += kPanel) {
      const int64_t columns = t.columns - j < kPanel ? t.columns - j : kPanel;
      load_matrix(t.b, k0 + k, j, run, columns, block + j * kDepthBlock + k * kPanel, kPanel);
    }
  }
}

/// sums[r * kGemmMaxColumns] += a[r] . b over `depth` elements.
template <int kRows, class T>
[[gnu::always_inline]] inline void dot(const T* b, const float* a, int64_t lda, int64_t depth,
                                       float* sums) {
  Vec sum[kRows][2] = {};
  int64_t k = 0;
  for (; k + 2 * kLanes <= depth; k += 2 * kLanes) {
    const Vec b0 = load(b + k), b1 = load(b + k + kLanes);
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      sum[r][0] += b0 * load(a + r * lda + k);
      sum[r][1] += b1 * load(a + r * lda + k + kLanes);
    }
  }
  for (int r = 0; r < kRows; ++r) {
    float total = sum_lanes(sum[r][0] + sum[r][1]);
    for (int64_t i = k; i < depth; ++i) total += load_one(b + i) * a[r * lda + i];
    sums[r * kGemmMaxColumns] += total;
  }
}

}  // namespace

void gemm_tile(const GemmTile& t) {
  alignas(64) float a_block[kGemmMaxRows * kDepthBlock];
  alignas(64) float b_block[kGemmMaxColumns * kDepthBlock];  // panel after panel
  alignas(64) float partial[kGemmMaxRows * kGemmMaxColumns];
  const int64_t blocks = t.depth > kDepthBlock ? (t.depth + kDepthBlock - 1) / kDepthBlock : 1;
  const int64_t step = (t.depth + blocks - 1) / blocks;
  // Few panels do not pay for copying a, few rows not for copying b.
  const bool a_in_place = is_float(t.a) && t.a.column_stride == 1 && t.columns <= 2 * kPanel;
  const bool b_in_place = is_float(t.b) && t.b.column_stride == 1 && t.rows <= 2 * kTileRows;
  const bool out_in_place = is_float(t.out) && t.out.column_stride == 1 && t.in_place;

  for (int64_t k0 = 0; k0 < t.depth || k0 == 0; k0 += step) {
    const int64_t depth = t.depth - k0 < step ? t.depth - k0 : step;
    const float* a = a_block;
    int64_t a_stride = kDepthBlock;
    if (a_in_place) {
      a = static_cast<const float*>(t.a.data) + k0;
      a_stride = t.a.row_stride;
    } else {
      load_matrix(t.a, 0, k0, t.rows, depth, a_block, kDepthBlock);
    }
    const int64_t whole = b_in_place ? t.columns - t.columns % kPanel : 0;
    pack_panels(t, k0, depth, whole, b_block);
    for (int64_t j = 0; j < t.columns; j += kPanel) {
      const int64_t columns = t.columns - j < kPanel ? t.columns - j : kPanel;
      const float* b = b_block + j * kDepthBlock;
      int64_t b_stride = kPanel;
      if (j < whole) {
        b = static_cast<const float*>(t.b.data) + k0 * t.b.row_stride + j;
        b_stride = t.b.row_stride;
      }
      const bool in_out = out_in_place && columns == kPanel;
      float* sums = in_out ? static_cast<float*>(t.out.data) + j : partial + j * kGemmMaxRows;
      const int64_t ld = in_out ? t.out.row_stride : kPanel;
      for (int64_t i = 0; i < t.rows; i += kTileRows) {
        const int64_t rows = t.rows - i < kTileRows ? t.rows - i : kTileRows;
        const float* row[kTileRows];
        for (int r = 0; r < kTileRows; ++r) row[r] = a + (i + (r < rows ? r : 0)) * a_stride;
        const int64_t offset = 0;
        with_rows(rows, [&]<int kRows>() {
          multiply_rows<kRows>(row, &offset, 1, depth, b, b_stride, sums + i * ld, ld, k0 > 0);
        });
      }
      if (k0 + depth >= t.depth) finish_panel(t, sums, ld, j, columns, in_out);
    }
    if (step == 0) break;
  }
}

void gemm_dot_tile(const GemmTile& t) {
  constexpr int64_t kBlock = 4096;
  alignas(64) float a[kGemmDotMaxRows][kBlock];
  alignas(64) float sums[kGemmDotMaxRows][kGemmMaxColumns] = {};
  for (int64_t k0 = 0; k0 < t.depth; k0 += kBlock) {
    const int64_t depth = t.depth - k0 < kBlock ? t.depth - k0 : kBlock;
    load_matrix(t.a, 0, k0, t.rows, depth, a[0], kBlock);
    visit_float(t.b.dtype, [&]<class T>(T) {
      for (int64_t j = 0; j < t.columns; ++j) {
        const T* b = static_cast<const T*>(t.b.data) + k0 + j * t.b.column_stride;
        with_rows<kGemmDotMaxRows>(
            t.rows, [&]<int kRows>() { dot<kRows>(b, a[0], kBlock, depth, sums[0] + j); });
      }
    });
  }
  for (int64_t j = 0; j < t.columns; j += kPanel) {
    const int64_t columns = t.columns - j < kPanel ? t.columns - j : kPanel;
    finish_panel(t, sums[0] + j, kGemmMaxColumns, j, columns, false);
  }
}

}  // namespace npu::davinci::NPU_ISA
