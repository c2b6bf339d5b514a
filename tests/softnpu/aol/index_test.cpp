// SPDX-License-Identifier: Apache-2.0
// Moving, indexing, sorting and random operators.
#include <cmath>

#include "tests/softnpu/aol/device_tensor.h"

namespace npu::testing {
namespace {

class List {
 public:
  explicit List(std::vector<aclTensor*> tensors)
      : handle_(aclCreateTensorList(tensors.data(), tensors.size())) {}
  List(const List&) = delete;
  ~List() { aclDestroyTensorList(handle_); }
  operator aclTensorList*() const { return handle_; }  // NOLINT

 private:
  aclTensorList* handle_;
};

aclTensor* copy_of(const Tensor& t, aclDataType dtype) {
  return aclCreateTensor(t.dims().data(), t.dims().size(), dtype, nullptr, 0, ACL_FORMAT_ND,
                         t.dims().data(), t.dims().size(), t.memory());
}

TEST(Move, CopyConvertsAndBroadcasts) {
  const Tensor x({3}, ACL_INT64, {1, -2, 3}), out({2, 3}, ACL_FLOAT16), truth({3}, ACL_BOOL);
  ASSERT_EQ(ACLNN(aclnnInplaceCopy)(out, x), 0) << last_message();
  expect_close(out.values(), {1, -2, 3, 1, -2, 3});
  const Tensor fraction({3}, ACL_FLOAT, {0.5, 0, -2.9}), ints({3}, ACL_INT32);
  ASSERT_EQ(ACLNN(aclnnCast)(fraction, ACL_BOOL, truth), 0) << last_message();
  expect_close(truth.values(), {1, 0, 1});
  ASSERT_EQ(ACLNN(aclnnCast)(fraction, ACL_INT32, ints), 0) << last_message();
  expect_close(ints.values(), {0, 0, -2});
  EXPECT_EQ(ACLNN(aclnnCast)(fraction, ACL_INT64, ints), ACLNN_ERR_PARAM_INVALID);
}

TEST(Move, CatJoinsAndConverts) {
  const Tensor a({2, 1}, ACL_FLOAT, {1, 2}), b({2, 2}, ACL_FLOAT, {3, 4, 5, 6});
  const Tensor nothing({0}, ACL_FLOAT), out({2, 3}, ACL_FLOAT);
  const List list({copy_of(a, ACL_FLOAT), copy_of(nothing, ACL_FLOAT), copy_of(b, ACL_FLOAT)});
  ASSERT_EQ(ACLNN(aclnnCat)(list, -1, out), 0) << last_message();
  expect_close(out.values(), {1, 3, 4, 2, 5, 6});
  EXPECT_EQ(ACLNN(aclnnCat)(list, 0, out), ACLNN_ERR_PARAM_INVALID);
  const List same({copy_of(a, ACL_FLOAT), copy_of(a, ACL_FLOAT)});
  const Tensor stacked({2, 2, 1}, ACL_FLOAT);
  ASSERT_EQ(ACLNN(aclnnStack)(same, 1, stacked), 0) << last_message();
  expect_close(stacked.values(), {1, 1, 2, 2});
}

TEST(Move, RearrangesViews) {
  const Tensor x({2, 3}, ACL_FLOAT, {1, 2, 3, 4, 5, 6}), out({2, 3}, ACL_FLOAT);
  ASSERT_EQ(ACLNN(aclnnFlip)(x, Ints({1}), out), 0) << last_message();
  expect_close(out.values(), {3, 2, 1, 6, 5, 4});
  ASSERT_EQ(ACLNN(aclnnRoll)(x, Ints({1, -1}), Ints({0, 1}), out), 0) << last_message();
  expect_close(out.values(), {5, 6, 4, 2, 3, 1});
  const Tensor wide({2, 6}, ACL_FLOAT), tall({6, 3}, ACL_FLOAT);
  ASSERT_EQ(ACLNN(aclnnRepeat)(x, Ints({1, 2}), wide), 0) << last_message();
  expect_close(wide.values(), {1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6});
  ASSERT_EQ(ACLNN(aclnnRepeatInterleaveIntWithDim)(x, 3, 0, 6, tall), 0) << last_message();
  expect_close(tall.values(), {1, 2, 3, 1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6, 4, 5, 6});
  ASSERT_EQ(ACLNN(aclnnTril)(x, 0, out), 0) << last_message();
  expect_close(out.values(), {1, 0, 0, 4, 5, 0});
  const Tensor padded({2, 4}, ACL_FLOAT);
  ASSERT_EQ(ACLNN(aclnnConstantPadNd)(x, Ints({2, -1}), Number(9.0), padded), 0) << last_message();
  expect_close(padded.values(), {9, 9, 1, 2, 9, 9, 4, 5});
}

TEST(Index, EmbeddingAndItsGradient) {
  const Tensor weight({4, 2}, ACL_FLOAT, {0, 1, 2, 3, 4, 5, 6, 7});
  const Tensor index({2, 2}, ACL_INT64, {3, 0, 1, 3}), out({2, 2, 2}, ACL_FLOAT);
  ASSERT_EQ(ACLNN(aclnnEmbedding)(weight, index, out), 0) << last_message();
  expect_close(out.values(), {6, 7, 0, 1, 2, 3, 6, 7});
  const Tensor grad({2, 2, 2}, ACL_FLOAT, {1, 1, 2, 2, 3, 3, 4, 4}), gw({4, 2}, ACL_FLOAT, {9});
  ASSERT_EQ(
      ACLNN(aclnnEmbeddingDenseBackward)(grad, index, 4, static_cast<uint64_t>(-1), false, gw), 0)
      << last_message();
  expect_close(gw.values(), {2, 2, 3, 3, 0, 0, 5, 5});
}

TEST(Index, WrongIndexSurfacesAtSynchronizeWithOperatorIndexAndBound) {
  const Tensor weight({4, 2}, ACL_FLOAT), index({2}, ACL_INT64, {1, 4}), out({2, 2}, ACL_FLOAT);
  uint64_t bytes = 0;
  aclOpExecutor* executor = nullptr;
  ASSERT_EQ(aclnnEmbeddingGetWorkspaceSize(weight, index, out, &bytes, &executor), 0);
  ASSERT_EQ(aclnnEmbedding(nullptr, 0, executor, nullptr), 0) << "the launch does not know yet";
  try {
    runtime::default_stream().synchronize();
    FAIL() << "no error";
  } catch (const base::Error& e) {
    const std::string text = e.what();
    EXPECT_NE(text.find("aclnnEmbedding"), std::string::npos) << text;
    EXPECT_NE(text.find('4'), std::string::npos) << text;
  }
}

TEST(Index, AdvancedIndexingPlacesIndexDimensions) {
  const Tensor x({2, 3, 2}, ACL_FLOAT, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  const Tensor i({2}, ACL_INT64, {1, 0}), k({2}, ACL_INT64, {0, -1}), none({0}, ACL_FLOAT);
  const Tensor middle({2, 2, 2}, ACL_FLOAT), outer({2, 3}, ACL_FLOAT);
  const List by_middle({copy_of(none, ACL_FLOAT), copy_of(i, ACL_INT64)});
  ASSERT_EQ(ACLNN(aclnnIndex)(x, by_middle, middle), 0) << last_message();
  expect_close(middle.values(), {2, 3, 0, 1, 8, 9, 6, 7});
  const List by_outer({copy_of(i, ACL_INT64), copy_of(none, ACL_FLOAT), copy_of(k, ACL_INT64)});
  ASSERT_EQ(ACLNN(aclnnIndex)(x, by_outer, outer), 0) << last_message();
  expect_close(outer.values(), {6, 8, 10, 1, 3, 5});
  const Tensor values({2, 3}, ACL_FLOAT, {100, 100, 100, 200, 200, 200});
  ASSERT_EQ(ACLNN(aclnnIndexPutImpl)(x, by_outer, values, true, false), 0) << last_message();
  expect_close(x.values(), {0, 201, 2, 203, 4, 205, 106, 7, 108, 9, 110, 11});
}

TEST(Index, GatherScatterAndIndexAdd) {
  const Tensor x({2, 3}, ACL_FLOAT, {1, 2, 3, 4, 5, 6}), index({2, 2}, ACL_INT64, {2, 0, 1, 1});
  const Tensor out({2, 2}, ACL_FLOAT), sum({2, 3}, ACL_FLOAT);
  ASSERT_EQ(ACLNN(aclnnGather)(x, 1, index, out), 0) << last_message();
  expect_close(out.values(), {3, 1, 5, 5});
  ASSERT_EQ(ACLNN(aclnnScatterAdd)(x, 1, index, out, sum), 0) << last_message();
  expect_close(sum.values(), {2, 2, 6, 4, 15, 6});
  ASSERT_EQ(ACLNN(aclnnInplaceScatterValue)(sum, 1, index, Number(0.0), 0), 0) << last_message();
  expect_close(sum.values(), {0, 2, 0, 4, 0, 6});
  const Tensor rows({3}, ACL_INT64, {0, 0, 1}), source({3, 3}, ACL_FLOAT, {1});
  ASSERT_EQ(ACLNN(aclnnIndexAdd)(x, 0, rows, source, Number(10), sum), 0) << last_message();
  expect_close(sum.values(), {21, 22, 23, 14, 15, 16});
  EXPECT_EQ(ACLNN(aclnnScatter)(x, 1, index, out, 7, sum), ACLNN_ERR_PARAM_INVALID);
}

TEST(Index, SortTopkAndOneHot) {
  const Tensor x({4}, ACL_FLOAT, {2, 9, 2, 5}), values({4}, ACL_FLOAT), places({4}, ACL_INT64);
  ASSERT_EQ(ACLNN(aclnnSort)(x, true, 0, false, values, places), 0) << last_message();
  expect_close(values.values(), {2, 2, 5, 9});
  expect_close(places.values(), {0, 2, 3, 1});
  const Tensor best({2}, ACL_FLOAT), at({2}, ACL_INT64);
  ASSERT_EQ(ACLNN(aclnnTopk)(x, 2, 0, true, true, best, at), 0) << last_message();
  expect_close(best.values(), {9, 5});
  expect_close(at.values(), {1, 3});
  EXPECT_EQ(ACLNN(aclnnTopk)(x, 5, 0, true, true, best, at), ACLNN_ERR_PARAM_INVALID);
  const Tensor classes({2}, ACL_INT64, {1, 0}), on({1}, ACL_INT64, {1}), off({1}, ACL_INT64, {0});
  const Tensor hot({2, 3}, ACL_INT64);
  ASSERT_EQ(ACLNN(aclnnOneHot)(classes, 3, on, off, -1, hot), 0) << last_message();
  expect_close(hot.values(), {0, 1, 0, 1, 0, 0});
}

TEST(Random, SameSeedSameNumbers) {
  const Tensor a({1000}, ACL_FLOAT), b({1000}, ACL_FLOAT);
  ASSERT_EQ(ACLNN(aclnnInplaceNormal)(a, 2.0f, 3.0f, 42, 8), 0) << last_message();
  ASSERT_EQ(ACLNN(aclnnInplaceNormal)(b, 2.0f, 3.0f, 42, 8), 0);
  const Values v = a.values();
  EXPECT_EQ(v, b.values());
  const double mean = std::accumulate(v.begin(), v.end(), 0.0) / 1000;
  double variance = 0;
  for (const double x : v) variance += (x - mean) * (x - mean) / 999;
  EXPECT_NEAR(mean, 2, 0.4);
  EXPECT_NEAR(std::sqrt(variance), 3, 0.4);
  ASSERT_EQ(ACLNN(aclnnInplaceNormal)(b, 2.0f, 3.0f, 43, 8), 0);
  EXPECT_NE(v, b.values());
  EXPECT_EQ(ACLNN(aclnnInplaceNormal)(b, 2.0f, -3.0f, 43, 8), ACLNN_ERR_PARAM_INVALID);
}

TEST(Random, UniformAndIntegersStayInRange) {
  const Tensor a({1000}, ACL_FLOAT), i({1000}, ACL_INT64);
  ASSERT_EQ(ACLNN(aclnnInplaceUniform)(a, -1.0, 2.0, 1, 0), 0) << last_message();
  ASSERT_EQ(ACLNN(aclnnInplaceRandom)(i, -3, 5, 1, 0), 0) << last_message();
  for (const double v : a.values()) EXPECT_TRUE(v >= -1 && v < 2) << v;
  for (const double v : i.values()) EXPECT_TRUE(v >= -3 && v < 5) << v;
  const Tensor order({100}, ACL_INT64);
  ASSERT_EQ(ACLNN(aclnnRandperm)(100, 7, 0, order), 0) << last_message();
  Values sorted = order.values();
  std::sort(sorted.begin(), sorted.end());
  for (int k = 0; k < 100; ++k) EXPECT_EQ(sorted[k], k);
}

TEST(Random, DropoutKeepsAboutOneMinusP) {
  const Tensor x({64, 64}, ACL_FLOAT, {1}), out({64, 64}, ACL_FLOAT);
  const Tensor mask({64 * 64 / 8}, ACL_UINT8);
  ASSERT_EQ(ACLNN(aclnnDropoutGenMaskV2)(Ints({64, 64}), 0.25, 5, 0, ACL_FLOAT, mask), 0)
      << last_message();
  ASSERT_EQ(ACLNN(aclnnDropoutDoMask)(x, mask, 0.25, out), 0) << last_message();
  int kept = 0;
  for (const double v : out.values()) {
    EXPECT_TRUE(v == 0 || std::abs(v - 1 / 0.75) < 1e-6) << v;
    kept += v != 0;
  }
  EXPECT_NEAR(kept / 4096.0, 0.75, 0.04);
  const Tensor small({8}, ACL_UINT8);
  EXPECT_EQ(ACLNN(aclnnDropoutDoMask)(x, small, 0.25, out), ACLNN_ERR_PARAM_INVALID);
  EXPECT_EQ(ACLNN(aclnnDropoutGenMask)(Ints({64, 64}), 1.25, 5, 0, mask), ACLNN_ERR_PARAM_INVALID);
}

TEST(Index, ScatterReduceCombinesInEveryWay) {
  const double nan = std::nan("");
  for (aclDataType dtype : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE, ACL_INT64, ACL_INT8}) {
    const Tensor x({3}, dtype, {1, 2, 7}), index({4}, ACL_INT64, {0, 1, 0, 0});
    const Tensor src({4}, dtype, {4, 6, -2, 3}), out({3}, dtype);
    const auto reduced = [&](int64_t reduce, bool include_self) {
      EXPECT_EQ(ACLNN(aclnnScatterReduce)(x, 0, index, src, reduce, include_self, out), 0)
          << last_message();
      return out.values();
    };
    expect_close(reduced(1, true), {6, 8, 7});
    expect_close(reduced(2, true), {-24, 12, 7});
    expect_close(reduced(3, false), {4, 6, 7});
    expect_close(reduced(4, false), {-2, 6, 7});
    const bool whole = dtype == ACL_INT64 || dtype == ACL_INT8;
    expect_close(reduced(5, true), {whole ? 1 : 1.5, 4, 7});
    ASSERT_EQ(ACLNN(aclnnInplaceScatterReduce)(x, 0, index, src, 3, true), 0) << last_message();
    expect_close(x.values(), {4, 6, 7});
  }
  const Tensor x({1}, ACL_FLOAT, {1}), index({2}, ACL_INT64), src({2}, ACL_FLOAT, {nan, 5});
  ASSERT_EQ(ACLNN(aclnnInplaceScatterReduce)(x, 0, index, src, 3, true), 0) << last_message();
  EXPECT_TRUE(std::isnan(x.values()[0]));
}

TEST(Index, ScatterReduceChecksWhatItGets) {
  const Tensor x({3}, ACL_FLOAT), index({1}, ACL_INT64, {3}), src({1}, ACL_FLOAT);
  const Tensor other({1}, ACL_INT32), truth({3}, ACL_BOOL), bit({1}, ACL_BOOL);
  EXPECT_EQ(ACLNN(aclnnInplaceScatterReduce)(x, 0, index, src, 6, true), ACLNN_ERR_PARAM_INVALID);
  EXPECT_EQ(ACLNN(aclnnInplaceScatterReduce)(x, 0, index, other, 3, true), ACLNN_ERR_PARAM_INVALID);
  EXPECT_EQ(ACLNN(aclnnInplaceScatterReduce)(truth, 0, index, bit, 5, true),
            ACLNN_ERR_PARAM_INVALID);
  expect_failed(ACLNN(aclnnInplaceScatterReduce)(x, 0, index, src, 3, true),
                "index 3 at position 0 is out of bounds for dimension 0 with size 3");
}

TEST(Index, PutCountsInRowMajorOrder) {
  for (aclDataType dtype : {ACL_FLOAT, ACL_FLOAT16, ACL_INT64, ACL_UINT8}) {
    const Tensor x({2, 3}, dtype, {1, 2, 3, 4, 5, 6}), turned(x, {3, 2}, {1, 3}, 0);
    const Tensor index({2, 2}, ACL_INT64, {1, -1, 1, 0}), source({4}, dtype, {10, 20, 30, 40});
    ASSERT_EQ(ACLNN(aclnnInplacePut)(turned, index, source, true), 0) << last_message();
    expect_close(x.values(), {41, 2, 3, 44, 5, 26});
    ASSERT_EQ(ACLNN(aclnnInplacePut)(x, index, source, false), 0) << last_message();
    expect_close(x.values(), {40, 30, 3, 44, 5, 20});
  }
  const Tensor x({2}, ACL_FLOAT), index({1}, ACL_INT32, {-3}), source({1}, ACL_FLOAT);
  expect_failed(ACLNN(aclnnInplacePut)(x, index, source, false),
                "index -3 at position 0 is out of bounds");
}

TEST(Index, ManyPutsKeepTheirOrderWhateverTheThreads) {
  const int64_t count = 100000, room = 1000;
  Values places(count), values(count), last(room), sums(room);
  for (int64_t i = 0; i < count; ++i) {
    const auto place = static_cast<size_t>(i * 7919 % room);
    places[static_cast<size_t>(i)] = static_cast<double>(place);
    values[static_cast<size_t>(i)] = static_cast<double>(i % 100);
    last[place] = static_cast<double>(i % 100);
    sums[place] += static_cast<double>(i % 100);
  }
  const Tensor index({count}, ACL_INT64, places), source({count}, ACL_FLOAT, values);
  const Tensor x({room}, ACL_FLOAT), y({room}, ACL_FLOAT);
  ASSERT_EQ(ACLNN(aclnnInplacePut)(x, index, source, false), 0) << last_message();
  expect_close(x.values(), last);
  ASSERT_EQ(ACLNN(aclnnInplacePut)(y, index, source, true), 0) << last_message();
  expect_close(y.values(), sums);
}

}  // namespace
}  // namespace npu::testing
