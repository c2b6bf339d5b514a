// SPDX-License-Identifier: Apache-2.0
#include "softnpu/base/tensor.h"

#include <gtest/gtest.h>

namespace npu::base {
namespace {

TensorView view(DType dtype, std::initializer_list<int64_t> dims,
                std::initializer_list<int64_t> strides) {
  TensorView v;
  v.dtype = dtype;
  v.rank = static_cast<int8_t>(dims.size());
  std::copy(dims.begin(), dims.end(), v.dims.begin());
  std::copy(strides.begin(), strides.end(), v.strides.begin());
  return v;
}

TEST(DTypeTest, SizesAndNames) {
  EXPECT_EQ(size_of(DType::kFloat), 4u);
  EXPECT_EQ(size_of(DType::kHalf), 2u);
  EXPECT_EQ(size_of(DType::kBFloat16), 2u);
  EXPECT_EQ(size_of(DType::kBool), 1u);
  EXPECT_EQ(size_of(DType::kComplex128), 16u);
  EXPECT_EQ(size_of(DType::kUndefined), 0u);
  EXPECT_EQ(size_of(static_cast<DType>(42)), 0u);
  EXPECT_STREQ(name_of(DType::kBFloat16), "bfloat16");
  EXPECT_STREQ(name_of(DType::kDouble), "float64");
  EXPECT_STREQ(name_of(static_cast<DType>(42)), "unknown");
}

TEST(TensorTest, TextForMessages) {
  EXPECT_EQ(to_string(view(DType::kFloat, {2, 3}, {3, 1})), "float32[2, 3]");
  EXPECT_EQ(to_string(view(DType::kInt64, {}, {})), "int64[]");
}

TEST(TensorTest, ContiguityIgnoresStridesOfOnes) {
  EXPECT_TRUE(view(DType::kFloat, {2, 1, 3}, {3, 77, 1}).is_contiguous());
  EXPECT_FALSE(view(DType::kFloat, {3, 2}, {1, 3}).is_contiguous());
}

TEST(TensorTest, ExtentCoversNegativeZeroAndEmptyDimensions) {
  ByteExtent e = extent_of(view(DType::kFloat, {2, 3}, {10, 1}));
  EXPECT_EQ(e.begin, 0);
  EXPECT_EQ(e.end, 13 * 4);
  e = extent_of(view(DType::kHalf, {4}, {-2}));
  EXPECT_EQ(e.begin, -12);
  EXPECT_EQ(e.end, 2);
  e = extent_of(view(DType::kFloat, {1000}, {0}));
  EXPECT_EQ(e.end, 4);
  e = extent_of(view(DType::kFloat, {5, 0}, {1, 1}));
  EXPECT_EQ(e.begin, e.end);
  e = extent_of(view(DType::kUInt1, {17}, {1}));
  EXPECT_EQ(e.end, 3);
}

}  // namespace
}  // namespace npu::base
