// SPDX-License-Identifier: Apache-2.0
#include "softnpu/davinci/commands.h"
#include "tests/softnpu/davinci/cube_test_util.h"

namespace npu::davinci::test {
namespace {

enum Layout { kChannelsFirst, kChannelsLast, kGapped };

struct Case {
  int64_t batch, channels, outputs;
  std::array<int64_t, 3> size, kernel;
  ConvolutionShape shape;
};

int64_t out_size(const Case& s, int d) {
  const ConvolutionShape& c = s.shape;
  const int64_t window = c.dilation[d] * (s.kernel[d] - 1) + 1;
  if (c.transposed) {
    return (s.size[d] - 1) * c.stride[d] - 2 * c.padding[d] + window + c.output_padding[d];
  }
  return (s.size[d] + 2 * c.padding[d] - window) / c.stride[d] + 1;
}

/// Calls f(small, weight, large) with flat indices for every product of the convolution whose
/// larger side is `large` (a plain convolution's input, a transposed one's output).
template <class F>
void for_each_product(const TensorView& large, const TensorView& weight, const TensorView& small,
                      const ConvolutionShape& shape, F&& f) {
  const int64_t outputs = weight.dims[0] / shape.groups, channels = weight.dims[1];
  const int64_t taps = weight.dims[2] * weight.dims[3] * weight.dims[4];
  const auto plane = [](const TensorView& v) { return v.dims[2] * v.dims[3] * v.dims[4]; };
  for (int64_t i = 0; i < small.numel(); ++i) {
    const int64_t position = i % plane(small), n = i / plane(small) / small.dims[1];
    const int64_t o = i / plane(small) % small.dims[1];
    const int64_t at[3] = {position / (small.dims[3] * small.dims[4]),
                           position / small.dims[4] % small.dims[3], position % small.dims[4]};
    for (int64_t c = 0; c < channels; ++c) {
      for (int64_t tap = 0; tap < taps; ++tap) {
        const int64_t k[3] = {tap / (weight.dims[3] * weight.dims[4]),
                              tap / weight.dims[4] % weight.dims[3], tap % weight.dims[4]};
        int64_t flat = n * large.dims[1] + o / outputs * channels + c;
        bool inside = true;
        for (int d = 0; d < 3; ++d) {
          const int64_t x = at[d] * shape.stride[d] - shape.padding[d] + k[d] * shape.dilation[d];
          inside = inside && x >= 0 && x < large.dims[2 + d];
          flat = flat * large.dims[2 + d] + x;
        }
        if (inside) f(i, (o * channels + c) * taps + tap, flat);
      }
    }
  }
}

class ConvolutionTest : public CubeTest {
 protected:
  Tensor map(DType dtype, const Dims& dims, Layout layout) {
    if (layout == kChannelsLast) return Tensor(dtype, dims, {0, 2, 3, 4, 1});
    if (layout == kGapped) return Tensor(dtype, dims, {2, 0, 1, 3, 4}, 3);
    return Tensor(dtype, dims);
  }

  /// Forward and all gradients of one case against sums in double.
  void check(const Case& s, DType dtype, Layout layout, Generator& random, int threads = 2) {
    const bool transposed = s.shape.transposed;
    const int64_t groups = s.shape.groups;
    const Dims out_dims{s.batch, s.outputs, out_size(s, 0), out_size(s, 1), out_size(s, 2)};
    const Dims in_dims{s.batch, s.channels, s.size[0], s.size[1], s.size[2]};
    for (int64_t d : out_dims) ASSERT_GE(d, 0);
    Dims weight_dims{transposed ? s.channels : s.outputs,
                     (transposed ? s.outputs : s.channels) / groups};
    weight_dims.insert(weight_dims.end(), s.kernel.begin(), s.kernel.end());

    Tensor in = map(dtype, in_dims, layout), out = map(dtype, out_dims, layout);
    Tensor weight(dtype, weight_dims), bias(dtype, {s.outputs});
    Tensor grad_out = map(dtype, out_dims, layout), grad_in = map(dtype, in_dims, layout);
    Tensor grad_weight(dtype, weight_dims), grad_bias(dtype, {s.outputs});
    for (Tensor* t : {&in, &weight, &bias, &grad_out}) fill(*t, random);

    const std::vector<double> x = in.values(), w = weight.values(), b = bias.values();
    const std::vector<double> g = grad_out.values();
    std::vector<double> y(g.size()), gx(x.size()), gw(w.size()), gb(b.size());
    const int64_t plane = out_dims[2] * out_dims[3] * out_dims[4];
    for (size_t i = 0; i < y.size(); ++i) {
      y[i] = b[i / plane % s.outputs];
      gb[i / plane % s.outputs] += g[i];
    }
    const TensorView &large = transposed ? out.view : in.view,
                     &small = transposed ? in.view : out.view;
    for_each_product(large, weight.view, small, s.shape, [&](int64_t i, int64_t k, int64_t j) {
      const int64_t in_at = transposed ? i : j, out_at = transposed ? j : i;
      y[out_at] += x[in_at] * w[k];
      gx[in_at] += g[out_at] * w[k];
      gw[k] += g[out_at] * x[in_at];
    });

    ThreadWorkers workers(threads);
    const std::string what = base::to_string(in.view) + " * " + base::to_string(weight.view);
    constexpr double kTolerance = 3e-6;
    execute(Convolution{in.view, weight.view, bias.view, out.view, s.shape}, workers);
    expect_close(out, y, kTolerance, "out of " + what);
    execute(ConvolutionBackward{grad_out.view, in.view, weight.view, grad_in.view, grad_weight.view,
                                grad_bias.view, s.shape},
            workers);
    expect_close(grad_in, gx, kTolerance, "grad_in of " + what);
    expect_close(grad_weight, gw, kTolerance, "grad_weight of " + what);
    expect_close(grad_bias, gb, kTolerance, "grad_bias of " + what);
  }

  Case random_case(Generator& random, int dims) {
    Case s{pick(random, 1, 3), 0, 0, {1, 1, 1}, {1, 1, 1}, {}};
    s.shape.groups = pick(random, 0, 3) == 0 ? pick(random, 2, 3) : 1;
    s.channels = s.shape.groups * pick(random, 1, 20);
    s.outputs = s.shape.groups * pick(random, 1, pick(random, 0, 1) ? 40 : 7);
    s.shape.transposed = pick(random, 0, 3) == 0;
    for (int d = 3 - dims; d < 3; ++d) {
      s.kernel[d] = pick(random, 1, dims == 3 ? 3 : 5);
      s.shape.stride[d] = pick(random, 1, 3);
      s.shape.dilation[d] = pick(random, 1, 3);
      s.shape.padding[d] = pick(random, 0, s.kernel[d] - 1);
      const int64_t window = s.shape.dilation[d] * (s.kernel[d] - 1) + 1;
      s.size[d] = std::max<int64_t>(window, 2 * s.shape.padding[d] + 1) + pick(random, 0, 9);
      if (s.shape.transposed) {
        s.shape.output_padding[d] =
            pick(random, 0, std::max(s.shape.stride[d], s.shape.dilation[d]) - 1);
      }
    }
    return s;
  }
};

ConvolutionShape plain(int64_t stride, int64_t padding, int64_t groups = 1) {
  ConvolutionShape shape;
  shape.stride = {1, stride, stride};
  shape.padding = {0, padding, padding};
  shape.groups = groups;
  return shape;
}

TEST_P(ConvolutionTest, MatchesFloat64OnRandomTwoDimensionalCases) {
  Generator random(11);
  for (int i = 0; i < 40; ++i) {
    check(random_case(random, 2), DType::kFloat, static_cast<Layout>(i % 3), random);
  }
}

TEST_P(ConvolutionTest, MatchesFloat64InOneAndThreeDimensions) {
  Generator random(12);
  for (int i = 0; i < 12; ++i) {
    check(random_case(random, i % 2 ? 3 : 1), DType::kFloat, static_cast<Layout>(i % 3), random);
  }
}

TEST_P(ConvolutionTest, StoresHalfTypesAndSumsInFloat) {
  Generator random(13);
  for (DType dtype : {DType::kHalf, DType::kBFloat16}) {
    for (int i = 0; i < 12; ++i)
      check(random_case(random, 2), dtype, static_cast<Layout>(i % 3), random);
    check({2, 33, 34, {1, 9, 17}, {1, 3, 3}, plain(1, 1)}, dtype, kChannelsFirst, random);
  }
}

TEST_P(ConvolutionTest, ComputesDoubleInDouble) {
  Generator random(14);
  Tensor in(DType::kDouble, {1, 1, 1, 1, 3}), weight(DType::kDouble, {1, 1, 1, 1, 3});
  Tensor out(DType::kDouble, {1, 1, 1, 1, 1});
  for (int i = 0; i < 3; ++i) weight.set(i, 1);
  in.set(0, 1);
  in.set(1, 0x1p-40);
  in.set(2, -1);
  base::SerialWorkers workers;
  execute(Convolution{in.view, weight.view, {}, out.view, {}}, workers);
  EXPECT_EQ(out.get(0), 0x1p-40);
  check(random_case(random, 2), DType::kDouble, kChannelsFirst, random);
}

TEST_P(ConvolutionTest, MatchesFloat64WhereTilesAndChannelBlocksEnd) {
  Generator random(15);
  for (Layout layout : {kChannelsFirst, kChannelsLast}) {
    check({1, 150, 130, {1, 6, 5}, {1, 3, 3}, plain(1, 1)}, DType::kFloat, layout, random);
    check({1, 5, 6, {1, 70, 67}, {1, 3, 3}, plain(1, 1)}, DType::kFloat, layout, random);
    check({2, 40, 33, {1, 9, 8}, {1, 1, 1}, plain(1, 0)}, DType::kFloat, layout, random);
    check({2, 40, 33, {1, 9, 8}, {1, 1, 1}, plain(2, 0)}, DType::kFloat, layout, random);
    check({1, 3, 40, {1, 33, 40}, {1, 7, 7}, plain(2, 3)}, DType::kFloat, layout, random);
    check({1, 18, 6, {1, 33, 34}, {1, 31, 31}, plain(1, 1)}, DType::kFloat, layout, random);
  }
}

TEST_P(ConvolutionTest, MatchesFloat64ThreeByThreeWhereSquaresAndPanelsEnd) {
  Generator random(21);
  for (Layout layout : {kChannelsFirst, kChannelsLast, kGapped}) {
    check({2, 16, 48, {1, 5, 19}, {1, 3, 3}, plain(1, 1)}, DType::kFloat, layout, random);
    check({1, 32, 17, {1, 18, 6}, {1, 3, 3}, plain(1, 0)}, DType::kFloat, layout, random);
    check({1, 32, 64, {3, 7, 7}, {1, 3, 3}, plain(1, 1, 2)}, DType::kFloat, layout, random);
    check({1, 512, 32, {1, 7, 4}, {1, 3, 3}, plain(1, 1)}, DType::kFloat, layout, random);
    check({2, 16, 32, {1, 9, 8}, {1, 3, 3}, plain(1, 2)}, DType::kBFloat16, layout, random);
    Case transposed{1, 32, 16, {1, 6, 7}, {1, 3, 3}, plain(1, 1)};
    transposed.shape.transposed = true;
    check(transposed, DType::kFloat, layout, random);
  }
}

TEST_P(ConvolutionTest, HandlesDepthwiseAndWideRows) {
  Generator random(16);
  for (Layout layout : {kChannelsFirst, kChannelsLast}) {
    check({2, 12, 12, {1, 9, 11}, {1, 3, 3}, plain(1, 1, 12)}, DType::kFloat, layout, random);
    check({2, 6, 12, {1, 9, 11}, {1, 5, 5}, plain(2, 2, 6)}, DType::kFloat, layout, random);
    check({1, 2, 2, {1, 2, 2100}, {1, 1, 3}, plain(1, 0, 2)}, DType::kFloat, layout, random);
  }
}

TEST_P(ConvolutionTest, HandlesFewChannelsAGroupInEveryShape) {
  Generator random(22);
  for (Layout layout : {kChannelsFirst, kChannelsLast, kGapped}) {
    check({1, 6, 9, {1, 13, 17}, {1, 3, 3}, plain(1, 1, 3)}, DType::kFloat, layout, random);
    check({2, 4, 4, {3, 9, 35}, {2, 3, 2}, plain(2, 1, 4)}, DType::kFloat, layout, random);
    check({1, 3, 3, {1, 210, 130}, {1, 3, 3}, plain(1, 1, 3)}, DType::kFloat, layout, random);
    check({1, 2, 2, {1, 5, 1300}, {1, 3, 9}, plain(3, 4, 2)}, DType::kFloat, layout, random);
    check({2, 8, 8, {1, 14, 14}, {1, 5, 5}, plain(2, 2, 8)}, DType::kHalf, layout, random);
    Case dilated{2, 5, 5, {1, 20, 19}, {1, 3, 3}, plain(2, 4, 5)};
    dilated.shape.dilation = {1, 2, 3};
    check(dilated, DType::kFloat, layout, random);
    Case transposed{1, 4, 4, {1, 9, 8}, {1, 3, 3}, plain(2, 1, 4)};
    transposed.shape.transposed = true;
    check(transposed, DType::kFloat, layout, random);
  }
}

TEST_P(ConvolutionTest, WeightGradientIgnoresWhatNoWindowSees) {
  // Columns 2, 5 and 6 of each row belong to no window.
  Tensor in(DType::kFloat, {1, 2, 1, 3, 7}), weight(DType::kFloat, {2, 1, 1, 1, 2});
  Tensor grad_out(DType::kFloat, {1, 2, 1, 3, 2}), grad_weight(DType::kFloat, {2, 1, 1, 1, 2});
  for (int64_t i = 0; i < in.view.numel(); ++i) {
    in.set(i, i % 7 == 6 || i % 7 % 3 == 2 ? HUGE_VAL : 1 + i % 7 % 3);
  }
  for (int64_t i = 0; i < grad_out.view.numel(); ++i) grad_out.set(i, 1);
  ConvolutionShape shape = plain(1, 0, 2);
  shape.stride = {1, 1, 3};
  base::SerialWorkers workers;
  execute(ConvolutionBackward{grad_out.view, in.view, weight.view, {}, grad_weight.view, {}, shape},
          workers);
  expect_close(grad_weight, {6, 12, 6, 12}, 0, "grad_weight");
}

TEST_P(ConvolutionTest, HandlesDilationTooWideToStage) {
  Generator random(17);
  Case s{1, 9, 8, {1, 140, 150}, {1, 3, 3}, plain(1, 60)};
  s.shape.dilation = {1, 60, 60};
  check(s, DType::kFloat, kChannelsFirst, random);
}

TEST_P(ConvolutionTest, EmptyBatchGivesZeroGradients) {
  Generator random(18);
  check({0, 8, 9, {1, 6, 6}, {1, 3, 3}, plain(1, 1)}, DType::kFloat, kChannelsFirst, random);
  check({0, 8, 8, {1, 6, 6}, {1, 3, 3}, plain(1, 1, 8)}, DType::kFloat, kChannelsFirst, random);
}

TEST_P(ConvolutionTest, GradientsThatNobodyWantsAreLeftOut) {
  Generator random(19);
  Tensor in(DType::kFloat, {1, 4, 1, 5, 5}), weight(DType::kFloat, {8, 4, 1, 3, 3});
  Tensor grad_out(DType::kFloat, {1, 8, 1, 3, 3}), grad_bias(DType::kFloat, {8});
  for (Tensor* t : {&in, &weight, &grad_out}) fill(*t, random);
  base::SerialWorkers workers;
  execute(ConvolutionBackward{grad_out.view, in.view, weight.view, {}, {}, grad_bias.view, {}},
          workers);
  std::vector<double> want(8);
  for (int i = 0; i < 72; ++i) want[i / 9] += grad_out.get(i);
  expect_close(grad_bias, want, 1e-6, "grad_bias alone");
}

TEST_P(ConvolutionTest, ResultDoesNotDependOnTheNumberOfWorkers) {
  Generator random(20);
  Tensor in(DType::kFloat, {9, 20, 1, 12, 13}), weight(DType::kFloat, {70, 20, 1, 3, 3});
  Tensor grad_out(DType::kFloat, {9, 70, 1, 12, 13});
  for (Tensor* t : {&in, &weight, &grad_out}) fill(*t, random);
  std::vector<std::vector<double>> results[2];
  for (int threads : {1, 4}) {
    Tensor out(DType::kFloat, {9, 70, 1, 12, 13}), grad_in(DType::kFloat, {9, 20, 1, 12, 13});
    Tensor grad_weight(DType::kFloat, {70, 20, 1, 3, 3}), grad_bias(DType::kFloat, {70});
    ThreadWorkers workers(threads);
    execute(Convolution{in.view, weight.view, {}, out.view, plain(1, 1)}, workers);
    execute(ConvolutionBackward{grad_out.view, in.view, weight.view, grad_in.view, grad_weight.view,
                                grad_bias.view, plain(1, 1)},
            workers);
    results[threads > 1] = {out.values(), grad_in.values(), grad_weight.values(),
                            grad_bias.values()};
  }
  EXPECT_EQ(results[0], results[1]);
}

INSTANTIATE_TEST_SUITE_P(Isa, ConvolutionTest, testing::ValuesIn(available_isas()), isa_name);

}  // namespace
}  // namespace npu::davinci::test
