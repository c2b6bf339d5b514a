// SPDX-License-Identifier: Apache-2.0
// Operators that learn the size of their result while they run.
#include "tests/softnpu/aol/device_tensor.h"

namespace npu::testing {
namespace {

Dims view_shape(const aclTensor* tensor) {
  int64_t* dims = nullptr;
  uint64_t count = 0;
  EXPECT_EQ(aclGetViewShape(tensor, &dims, &count), ACLNN_SUCCESS);
  const Dims shape(dims, dims + count);
  delete[] dims;
  return shape;
}

Values front(const Tensor& tensor, size_t count) {
  Values values = tensor.values();
  values.resize(count);
  return values;
}

TEST(Select, MaskedSelectPacksInRowMajorOrderAndReportsItsSize) {
  for (aclDataType dtype : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_INT64, ACL_UINT8, ACL_DOUBLE}) {
    const Tensor x({2, 3}, dtype, {1, 2, 3, 4, 5, 6}), out({6}, dtype);
    const Tensor mask({2, 3}, ACL_BOOL, {0, 1, 1, 0, 0, 1});
    ASSERT_EQ(ACLNN(aclnnMaskedSelect)(x, mask, out), 0) << last_message();
    expect_close(front(out, 3), {2, 3, 6});
    EXPECT_EQ(view_shape(out), Dims{3});
  }
}

TEST(Select, MaskedSelectBroadcastsAndReadsStrides) {
  const Tensor x({2, 3}, ACL_FLOAT, {1, 2, 3, 4, 5, 6}), mask({3}, ACL_BOOL, {1, 0, 1});
  const Tensor out({6}, ACL_FLOAT), turned(x, {3, 2}, {1, 3}, 0), row({2}, ACL_BOOL, {0, 1});
  ASSERT_EQ(ACLNN(aclnnMaskedSelect)(x, mask, out), 0) << last_message();
  expect_close(front(out, 4), {1, 3, 4, 6});
  ASSERT_EQ(ACLNN(aclnnMaskedSelect)(turned, row, out), 0) << last_message();
  expect_close(front(out, 3), {4, 5, 6});
  EXPECT_EQ(view_shape(out), Dims{3});
}

TEST(Select, ManyElementsKeepTheirOrder) {
  const int64_t count = 100003;
  const Values values = random_values(count, 5);
  Values kept, flags;
  for (double v : values) {
    flags.push_back(v > 0.5);
    if (v > 0.5) kept.push_back(static_cast<float>(v));
  }
  const Tensor x({count}, ACL_FLOAT, values), mask({count}, ACL_BOOL, flags);
  const Tensor out({count}, ACL_FLOAT);
  ASSERT_EQ(ACLNN(aclnnMaskedSelect)(x, mask, out), 0) << last_message();
  expect_close(front(out, kept.size()), kept);
  EXPECT_EQ(view_shape(out), Dims{static_cast<int64_t>(kept.size())});
}

TEST(Select, NonzeroGivesPositionsByRowOrByColumn) {
  const double nan = std::nan("");
  for (aclDataType dtype : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE}) {
    const Tensor x({2, 3}, dtype, {0, -1, 0, nan, -0.0, 2});
    const Tensor rows({6, 2}, ACL_INT64), columns({2, 6}, ACL_INT64);
    ASSERT_EQ(ACLNN(aclnnNonzero)(x, rows), 0) << last_message();
    expect_close(front(rows, 6), {0, 1, 1, 0, 1, 2});
    EXPECT_EQ(view_shape(rows), (Dims{3, 2}));
    ASSERT_EQ(ACLNN(aclnnNonzeroV2)(x, columns), 0) << last_message();
    expect_close(front(columns, 6), {0, 1, 1, 1, 0, 2});
    EXPECT_EQ(view_shape(columns), (Dims{2, 3}));
  }
  const Tensor x({3}, ACL_BOOL, {1, 0, 1}), out({3, 1}, ACL_INT64);
  ASSERT_EQ(ACLNN(aclnnNonzero)(x, out), 0) << last_message();
  expect_close(front(out, 2), {0, 2});
}

TEST(Select, NothingSelectedAndNothingGiven) {
  const Tensor x({4}, ACL_FLOAT, {1, 2, 3, 4}), none({4}, ACL_BOOL), out({4}, ACL_FLOAT);
  ASSERT_EQ(ACLNN(aclnnMaskedSelect)(x, none, out), 0) << last_message();
  EXPECT_EQ(out.values().size(), 4u);  // reading waits for the stream
  EXPECT_EQ(view_shape(out), Dims{0});
  const Tensor empty({0, 2}, ACL_FLOAT), positions({0, 2}, ACL_INT64);
  ASSERT_EQ(ACLNN(aclnnNonzero)(empty, positions), 0) << last_message();
  EXPECT_EQ(view_shape(positions), (Dims{0, 2}));
}

TEST(Select, WrongArgumentsAreRefused) {
  const Tensor x({2, 3}, ACL_FLOAT), mask({2, 3}, ACL_BOOL), number_mask({2, 3}, ACL_FLOAT);
  const Tensor out({6}, ACL_FLOAT), small({5}, ACL_FLOAT), other({6}, ACL_INT32);
  EXPECT_EQ(ACLNN(aclnnMaskedSelect)(x, number_mask, out), ACLNN_ERR_PARAM_INVALID);
  EXPECT_EQ(ACLNN(aclnnMaskedSelect)(x, mask, small), ACLNN_ERR_PARAM_INVALID);
  EXPECT_EQ(ACLNN(aclnnMaskedSelect)(x, mask, other), ACLNN_ERR_PARAM_INVALID);
  EXPECT_EQ(ACLNN(aclnnNonzero)(x, out), ACLNN_ERR_PARAM_INVALID);
}

TEST(Select, MaskedScatterTakesTheSourceInOrderAndWantsEnoughOfIt) {
  for (aclDataType dtype : {ACL_FLOAT, ACL_BF16, ACL_INT8, ACL_DOUBLE}) {
    const Tensor x({2, 3}, dtype, {1, 2, 3, 4, 5, 6}), source({2, 2}, dtype, {7, 8, 9, 10});
    const Tensor turned(x, {3, 2}, {1, 3}, 0), mask({3, 2}, ACL_BOOL, {0, 1, 1, 0, 1, 0});
    ASSERT_EQ(ACLNN(aclnnInplaceMaskedScatter)(turned, mask, source), 0) << last_message();
    expect_close(x.values(), {1, 8, 9, 7, 5, 6});
  }
  const Tensor x({3}, ACL_FLOAT), mask({1}, ACL_BOOL, {1}), source({2}, ACL_FLOAT);
  expect_failed(ACLNN(aclnnInplaceMaskedScatter)(x, mask, source),
                "mask has 3 true elements; source has only 2");
  const Tensor other({3}, ACL_INT64);
  EXPECT_EQ(ACLNN(aclnnInplaceMaskedScatter)(x, mask, other), ACLNN_ERR_PARAM_INVALID);
  EXPECT_EQ(ACLNN(aclnnInplaceMaskedScatter)(x, nullptr, source), ACLNN_ERR_PARAM_NULLPTR);
}

TEST(Select, RepeatInterleaveHasThreeForms) {
  const Tensor repeats({3}, ACL_INT64, {2, 0, 1}), two({1}, ACL_INT32, {2}), out({3}, ACL_INT64);
  ASSERT_EQ(ACLNN(aclnnRepeatInterleaveTensor)(repeats, 3, out), 0) << last_message();
  expect_close(out.values(), {0, 0, 2});
  const Tensor x({2, 3}, ACL_FLOAT, {1, 2, 3, 4, 5, 6}), columns({2, 3}, ACL_FLOAT);
  ASSERT_EQ(ACLNN(aclnnRepeatInterleaveWithDim)(x, repeats, -1, 3, columns), 0) << last_message();
  expect_close(columns.values(), {1, 1, 3, 4, 4, 6});
  const Tensor turned(x, {3, 2}, {1, 3}, 0), flat({12}, ACL_FLOAT);
  ASSERT_EQ(ACLNN(aclnnRepeatInterleave)(turned, two, 12, flat), 0) << last_message();
  expect_close(flat.values(), {1, 1, 4, 4, 2, 2, 5, 5, 3, 3, 6, 6});
}

TEST(Select, RepeatInterleaveChecksItsCounts) {
  const Tensor negative({2}, ACL_INT64, {2, -1}), three({2}, ACL_INT64, {1, 2});
  const Tensor out({2}, ACL_INT64);
  expect_failed(ACLNN(aclnnRepeatInterleaveTensor)(negative, 2, out),
                "negative value -1 at position 1");
  expect_failed(ACLNN(aclnnRepeatInterleaveTensor)(three, 2, out),
                "repeats has the sum 3; the result has room for 2");
  EXPECT_EQ(ACLNN(aclnnRepeatInterleaveTensor)(three, 3, out), ACLNN_ERR_PARAM_INVALID);
}

TEST(Unique, SortsElementsAndCountsThem) {
  for (aclDataType dtype : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE, ACL_INT64, ACL_INT8}) {
    const Tensor x({2, 3}, dtype, {3, 1, 3, -2, 1, 3}), values({6}, dtype);
    const Tensor turned(x, {3, 2}, {1, 3}, 0), inverse({3, 2}, ACL_INT64), counts({6}, ACL_INT64);
    ASSERT_EQ(ACLNN(aclnnUnique2)(turned, true, true, true, values, inverse, counts), 0)
        << last_message();
    expect_close(front(values, 3), {-2, 1, 3});
    expect_close(front(counts, 3), {1, 2, 3});
    expect_close(inverse.values(), {2, 0, 1, 1, 2, 2});
    EXPECT_EQ(view_shape(values), Dims{3});
    EXPECT_EQ(view_shape(counts), Dims{3});
    ASSERT_EQ(ACLNN(aclnnUnique)(x, true, false, values, inverse), 0) << last_message();
    EXPECT_EQ(view_shape(values), Dims{3});
  }
}

TEST(Unique, EveryNanIsItsOwnAndZerosAreOne) {
  const double nan = std::nan("");
  const Tensor x({5}, ACL_FLOAT, {nan, 0, -0.0, nan, 0}), values({5}, ACL_FLOAT);
  const Tensor inverse({5}, ACL_INT64), counts({5}, ACL_INT64);
  ASSERT_EQ(ACLNN(aclnnUnique2)(x, true, true, true, values, inverse, counts), 0);
  expect_close(front(values, 3), {0, nan, nan});
  expect_close(front(counts, 3), {3, 1, 1});
  expect_close(inverse.values(), {1, 0, 0, 2, 0});
  ASSERT_EQ(ACLNN(aclnnUniqueConsecutive)(x, true, true, 1000, values, inverse, counts), 0);
  expect_close(front(values, 4), {nan, 0, nan, 0});
  expect_close(front(counts, 4), {1, 2, 1, 1});
  EXPECT_EQ(view_shape(counts), Dims{4});
}

TEST(Unique, ManyElementsAreSortedByTheWorkersTogether) {
  const int64_t count = 150001, different = 4999;
  for (aclDataType dtype : {ACL_INT32, ACL_INT64}) {
    Values elements(count), wanted(different), times(different);
    for (int64_t i = 0; i < count; ++i) {
      const auto v = static_cast<size_t>(i * 7919 % different);
      elements[static_cast<size_t>(i)] = static_cast<double>(v) - 2500;
      ++times[v];
    }
    for (size_t v = 0; v < wanted.size(); ++v) wanted[v] = static_cast<double>(v) - 2500;
    const Tensor x({count}, dtype, elements), values({count}, dtype), inverse({count}, ACL_INT64);
    const Tensor counts({count}, ACL_INT64);
    ASSERT_EQ(ACLNN(aclnnUnique2)(x, true, true, true, values, inverse, counts), 0);
    expect_close(front(values, wanted.size()), wanted);
    expect_close(front(counts, times.size()), times);
    const Values places = inverse.values();
    for (size_t i = 0; i < elements.size(); ++i) ASSERT_EQ(places[i] - 2500, elements[i]);
  }
}

TEST(Unique, SlicesArePackedAlongTheirDimension) {
  const Tensor x({2, 4}, ACL_FLOAT, {3, 1, 3, 3, 0, 9, 0, -1}), values({2, 4}, ACL_FLOAT);
  const Tensor inverse({4}, ACL_INT64), counts({4}, ACL_INT64);
  ASSERT_EQ(ACLNN(aclnnUniqueDim)(x, true, true, 1, values, inverse, counts), 0) << last_message();
  EXPECT_EQ(view_shape(values), (Dims{2, 3}));
  expect_close(front(values, 6), {1, 3, 3, 9, -1, 0});
  expect_close(inverse.values(), {2, 0, 2, 1});
  expect_close(front(counts, 3), {1, 1, 2});
  int64_t* strides = nullptr;
  uint64_t rank = 0;
  ASSERT_EQ(aclGetViewStrides(values, &strides, &rank), 0);
  EXPECT_EQ(Dims(strides, strides + rank), (Dims{3, 1}));
  delete[] strides;
  ASSERT_EQ(ACLNN(aclnnUniqueConsecutive)(x, true, true, -1, values, inverse, counts), 0);
  expect_close(front(values, 8), x.values());
  EXPECT_EQ(view_shape(counts), Dims{4});
}

TEST(Unique, ChecksItsOutputs) {
  const Tensor x({4}, ACL_FLOAT), values({4}, ACL_FLOAT), counts({4}, ACL_INT64);
  const Tensor small({3}, ACL_INT64), narrow({4}, ACL_INT32), other({4}, ACL_INT64);
  EXPECT_EQ(ACLNN(aclnnUnique2)(x, true, true, true, values, small, counts),
            ACLNN_ERR_PARAM_INVALID);
  EXPECT_EQ(ACLNN(aclnnUnique2)(x, true, true, true, values, narrow, counts),
            ACLNN_ERR_PARAM_INVALID);
  EXPECT_EQ(ACLNN(aclnnUnique2)(x, true, true, true, other, counts, counts),
            ACLNN_ERR_PARAM_INVALID);
  EXPECT_EQ(ACLNN(aclnnUnique2)(nullptr, true, true, true, values, counts, counts),
            ACLNN_ERR_PARAM_NULLPTR);
}

}  // namespace
}  // namespace npu::testing
