// SPDX-License-Identifier: Apache-2.0
// Matrix products that the cube has no unit for: float64, and integers, which wrap as PyTorch's do.
// One blocked loop computed in double or int64.
#include "softnpu/davinci/kernel_table.h"
#include "softnpu/davinci/kernels/cube_simd.h"

namespace npu::davinci::NPU_ISA {
namespace {

constexpr int kWidth = 8, kHeight = 4;
constexpr int64_t kDepthBlock = 256;

template <class Compute>
struct WideVec {
  typedef Compute Type __attribute__((vector_size(kWidth * sizeof(Compute))));
};

template <class T, class Compute>
void multiply(const GemmTile& t) {
  using Wide = typename WideVec<Compute>::Type;
  const T *a = static_cast<const T*>(t.a.data), *b = static_cast<const T*>(t.b.data);
  const T* c = static_cast<const T*>(t.c.data);
  T* out = static_cast<T*>(t.out.data);
  const auto alpha = static_cast<Compute>(t.alpha), beta = static_cast<Compute>(t.beta);
  alignas(64) Wide panel[kDepthBlock];
  Wide sums[kGemmMaxRows];
  for (int64_t j = 0; j < t.columns; j += kWidth) {
    const int64_t columns = t.columns - j < kWidth ? t.columns - j : kWidth;
    for (int64_t i = 0; i < t.rows; ++i) sums[i] = Wide{};
    for (int64_t k0 = 0; k0 < t.depth; k0 += kDepthBlock) {
      const int64_t depth = t.depth - k0 < kDepthBlock ? t.depth - k0 : kDepthBlock;
      for (int64_t k = 0; k < depth; ++k) {
        const T* from = b + (k0 + k) * t.b.row_stride + j * t.b.column_stride;
        Wide row{};
        for (int64_t x = 0; x < columns; ++x) {
          row[x] = static_cast<Compute>(from[x * t.b.column_stride]);
        }
        panel[k] = row;
      }
      for (int64_t i = 0; i < t.rows; i += kHeight) {
        const int64_t rows = t.rows - i < kHeight ? t.rows - i : kHeight;
        Wide sum[kHeight] = {};
        const T* row[kHeight];
        for (int64_t r = 0; r < kHeight; ++r) {
          row[r] = a + (i + (r < rows ? r : 0)) * t.a.row_stride + k0 * t.a.column_stride;
        }
        for (int64_t k = 0; k < depth; ++k) {
          for (int r = 0; r < kHeight; ++r) {
            sum[r] += static_cast<Compute>(row[r][k * t.a.column_stride]) * panel[k];
          }
        }
        for (int64_t r = 0; r < rows; ++r) sums[i + r] += sum[r];
      }
    }
    for (int64_t i = 0; i < t.rows; ++i) {
      for (int64_t x = 0; x < columns; ++x) {
        Compute value = alpha * sums[i][x];
        if (c != nullptr) {
          const T* addend = c + i * t.c.row_stride + (j + x) * t.c.column_stride;
          value += beta * static_cast<Compute>(*addend);
        }
        out[i * t.out.row_stride + (j + x) * t.out.column_stride] = static_cast<T>(value);
      }
    }
  }
}

}  // namespace

void gemm_exact_tile(const GemmTile& t) {
  switch (t.out.dtype) {
    case DType::kDouble:
      return multiply<double, double>(t);
    case DType::kInt8:
      return multiply<int8_t, int64_t>(t);
    case DType::kBool:
    case DType::kUInt8:
      return multiply<uint8_t, int64_t>(t);
    case DType::kInt16:
      return multiply<int16_t, int64_t>(t);
    case DType::kUInt16:
      return multiply<uint16_t, int64_t>(t);
    case DType::kInt32:
      return multiply<int32_t, int64_t>(t);
    case DType::kUInt32:
      return multiply<uint32_t, int64_t>(t);
    default:
      return multiply<int64_t, int64_t>(t);
  }
}

}  // namespace npu::davinci::NPU_ISA
