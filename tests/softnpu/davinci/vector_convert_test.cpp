// SPDX-License-Identifier: Apache-2.0
// Conversions between all element types, halves exhaustively, and copies between layouts.
#include "softnpu/base/half.h"
#include "softnpu/davinci/copy.h"
#include "softnpu/davinci/kernel_table.h"
#include "tests/softnpu/davinci/vector_test_util.h"

namespace npu::davinci::test {
namespace {

class VectorConvert : public VectorTest {};

TEST_P(VectorConvert, EveryHalfBecomesTheRightFloat) {
  std::vector<uint16_t> bits(65536);
  for (size_t i = 0; i < bits.size(); ++i) bits[i] = static_cast<uint16_t>(i);
  std::vector<float> floats(bits.size());
  kernels().convert_tile(DType::kFloat, DType::kHalf)(floats.data(), bits.data(), 65536);
  for (uint16_t h : bits) {
    ASSERT_TRUE(same(floats[h], base::half_to_float(h), true)) << h;
  }
  kernels().convert_tile(DType::kFloat, DType::kBFloat16)(floats.data(), bits.data(), 65536);
  for (uint16_t h : bits) {
    ASSERT_TRUE(same(floats[h], base::bfloat16_to_float(h), true)) << h;
  }
}

TEST_P(VectorConvert, FloatsRoundToTheNearestEvenHalf) {
  // Every half, its midpoints to both neighbours and the floats beside those.
  std::vector<float> values;
  const auto add_around = [&](float a, float b) {
    const float middle = a + (b - a) / 2;
    for (float v : {a, middle, std::nextafter(middle, a), std::nextafter(middle, b)}) {
      values.push_back(v);
      values.push_back(-v);
    }
  };
  for (uint16_t h = 0; h < 0x7c00; ++h) {
    add_around(base::half_to_float(h), base::half_to_float(static_cast<uint16_t>(h + 1)));
  }
  values.insert(values.end(), {65519.0f, 65520.0f, 1e10f, INFINITY, -INFINITY, NAN, 1e-40f});
  const auto n = static_cast<int64_t>(values.size());
  std::vector<uint16_t> got(values.size());
  kernels().convert_tile(DType::kHalf, DType::kFloat)(got.data(), values.data(), n);
  for (size_t i = 0; i < values.size(); ++i) {
    ASSERT_TRUE(same(base::half_to_float(got[i]),
                     base::half_to_float(base::float_to_half(values[i])), true))
        << values[i];
  }
  kernels().convert_tile(DType::kBFloat16, DType::kFloat)(got.data(), values.data(), n);
  for (size_t i = 0; i < values.size(); ++i) {
    ASSERT_TRUE(same(base::bfloat16_to_float(got[i]),
                     base::bfloat16_to_float(base::float_to_bfloat16(values[i])), true))
        << values[i];
  }
}

Tensor copied(const Tensor& in, DType to) {
  Tensor out(to, Dims(in.view.dims.begin(), in.view.dims.begin() + in.view.rank));
  base::SerialWorkers workers;
  copy_view(in.view, out.view, workers);
  return out;
}

constexpr DType kTypes[] = {DType::kFloat, DType::kHalf,   DType::kBFloat16, DType::kDouble,
                            DType::kInt8,  DType::kUInt8,  DType::kInt16,    DType::kUInt16,
                            DType::kInt32, DType::kUInt32, DType::kInt64,    DType::kUInt64,
                            DType::kBool};

TEST_P(VectorConvert, SmallNumbersSurviveEveryPair) {
  for (DType from : kTypes) {
    for (DType to : kTypes) {
      std::vector<double> values;
      for (int i = 0; i < 700; ++i) values.push_back(from == DType::kBool ? i % 2 : i % 120);
      const Tensor in = tensor_of(from, {700}, values);
      std::vector<double> want = values;
      if (to == DType::kBool) {
        for (double& w : want) w = w != 0;
      }
      expect_equal(copied(in, to), want,
                   std::string(base::name_of(from)) + " to " + base::name_of(to));
    }
  }
}

TEST_P(VectorConvert, FloatsTruncateAndWrapAsOnX86) {
  const std::vector<double> in = {1.9, -1.9, 255, 256, -1, 300.7, -129, 0.5, -0.5};
  const Tensor floats = tensor_of(DType::kFloat, {static_cast<int64_t>(in.size())}, in);
  expect_equal(copied(floats, DType::kInt32), {1, -1, 255, 256, -1, 300, -129, 0, 0}, "int32");
  expect_equal(copied(floats, DType::kInt64), {1, -1, 255, 256, -1, 300, -129, 0, 0}, "int64");
  expect_equal(copied(floats, DType::kUInt8), {1, 255, 255, 0, 255, 44, 127, 0, 0}, "uint8");
  expect_equal(copied(floats, DType::kInt8), {1, -1, -1, 0, -1, 44, 127, 0, 0}, "int8");
  expect_equal(copied(floats, DType::kBool), {1, 1, 1, 1, 1, 1, 1, 1, 1}, "bool");
#if defined(__x86_64__)
  const Tensor special = tensor_of(DType::kFloat, {4}, {NAN, INFINITY, -INFINITY, 3e9});
  const double least = -2147483648.0;
  expect_equal(copied(special, DType::kInt32), {least, least, least, least}, "out of range");
#endif
  const Tensor zeros = tensor_of(DType::kFloat, {3}, {0.0, -0.0, NAN});
  expect_equal(copied(zeros, DType::kBool), {0, 0, 1}, "zeros");
}

TEST_P(VectorConvert, LargeIntegersRoundOnce) {
  const Tensor wide(DType::kInt64, {3});
  wide.view.as<int64_t>()[0] = (1LL << 40) + (1LL << 16) + 1;  // a double between two floats
  wide.view.as<int64_t>()[1] = std::numeric_limits<int64_t>::max();
  wide.view.as<int64_t>()[2] = -16777217;
  const Tensor floats = copied(wide, DType::kFloat);
  for (int64_t i = 0; i < 3; ++i) {
    EXPECT_EQ(floats.view.as<float>()[i], static_cast<float>(wide.view.as<int64_t>()[i]));
  }
  const Tensor narrow = copied(wide, DType::kInt32);
  EXPECT_EQ(narrow.get(0), 65537) << "integers wrap";
}

TEST_P(VectorConvert, CopiesBetweenAnyTwoLayouts) {
  Generator random(4);
  const std::vector<Dims> shapes = {
      {1},        {257},           {33, 65},  {17, 3, 40}, {2, 19, 5, 70}, {3, 1, 130},
      {128, 128}, {2, 3, 2, 3, 4}, {1000, 3}, {0, 5},      {70, 2, 1, 90}};
  for (const Dims& dims : shapes) {
    for (DType dtype : {DType::kFloat, DType::kHalf, DType::kInt8, DType::kDouble}) {
      for (int round = 0; round < 5; ++round) {
        Dims from(dims.size()), to(dims.size());
        std::iota(from.begin(), from.end(), 0);
        std::iota(to.begin(), to.end(), 0);
        if (round > 0) std::shuffle(from.begin(), from.end(), random);
        if (round > 1) std::shuffle(to.begin(), to.end(), random);
        const Tensor in = random_tensor(dtype, dims, random, from, round % 3);
        Tensor out(dtype, dims, to, round % 2);
        ThreadWorkers workers(2);
        copy_view(in.view, out.view, workers);
        expect_equal(out, values_of(in), base::to_string(in.view));
      }
    }
  }
}

TEST_P(VectorConvert, CopiesElementsOfSixteenBytes) {
  Tensor in(DType::kComplex128, {5, 9}, {1, 0}), out(DType::kComplex128, {5, 9});
  for (size_t i = 0; i < in.storage.size(); ++i) in.storage[i] = static_cast<std::byte>(i * 7);
  base::SerialWorkers workers;
  copy_view(in.view, out.view, workers);
  for (int64_t i = 0; i < in.numel(); ++i) {
    ASSERT_EQ(std::memcmp(in.address(i), out.address(i), 16), 0) << i;
  }
}

NPU_EVERY_ISA(VectorConvert);

}  // namespace
}  // namespace npu::davinci::test
