// SPDX-License-Identifier: Apache-2.0
// Matrix products, convolutions, norms, pooling, softmax and losses: argument order, shapes and
// values against plain float64 loops. (Accuracy of the kernels themselves is davinci's tests'
// work.)
#include <cmath>

#include "tests/softnpu/aol/device_tensor.h"

namespace npu::testing {
namespace {

Values product(const Values& a, const Values& b, int m, int k, int n) {
  Values c(static_cast<size_t>(m * n));
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) {
      for (int l = 0; l < k; ++l) c[i * n + j] += a[i * k + l] * b[l * n + j];
    }
  }
  return c;
}

TEST(Matmul, AddmmCombinesWithFactors) {
  const Values a = random_values(6, 1), b = random_values(12, 2), bias = random_values(4, 3);
  const Tensor x({2, 3}, ACL_FLOAT, a), y({3, 4}, ACL_FLOAT, b), c({4}, ACL_FLOAT, bias);
  const Tensor out({2, 4}, ACL_FLOAT);
  ASSERT_EQ(ACLNN(aclnnAddmm)(c, x, y, Number(2), Number(0.5), out, 0), 0) << last_message();
  Values expected = product(a, b, 2, 3, 4);
  for (int i = 0; i < 8; ++i) expected[i] = 0.5 * expected[i] + 2 * bias[i % 4];
  expect_close(out.values(), expected);
}

TEST(Matmul, TakesTransposedViews) {
  const Values a = random_values(6, 1), b = random_values(12, 2);
  const Tensor x({2, 3}, ACL_FLOAT, a), base({3, 4}, ACL_FLOAT, b), out({4, 2}, ACL_FLOAT);
  const Tensor bt(base, {4, 3}, {1, 4}, 0), at(x, {3, 2}, {1, 3}, 0);
  ASSERT_EQ(ACLNN(aclnnMm)(bt, at, out, 1), 0) << last_message();
  const Values c = product(a, b, 2, 3, 4);
  Values expected;
  for (int j = 0; j < 4; ++j) {
    for (int i = 0; i < 2; ++i) expected.push_back(c[i * 4 + j]);
  }
  expect_close(out.values(), expected);
}

TEST(Matmul, BroadcastsBatches) {
  const Values a = random_values(2 * 1 * 2 * 3, 1), b = random_values(3 * 3 * 2, 2);
  const Tensor x({2, 1, 2, 3}, ACL_FLOAT, a), y({3, 3, 2}, ACL_FLOAT, b);
  const Tensor out({2, 3, 2, 2}, ACL_FLOAT);
  ASSERT_EQ(ACLNN(aclnnMatmul)(x, y, out, 0), 0) << last_message();
  Values expected;
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 3; ++j) {
      const Values part = product(Values(a.begin() + i * 6, a.begin() + i * 6 + 6),
                                  Values(b.begin() + j * 6, b.begin() + j * 6 + 6), 2, 3, 2);
      expected.insert(expected.end(), part.begin(), part.end());
    }
  }
  expect_close(out.values(), expected);
}

TEST(Matmul, VectorsMultiplyToo) {
  const Tensor x({3}, ACL_FLOAT, {1, 2, 3}), m({2, 3}, ACL_FLOAT, {1, 0, 0, 0, 1, 1});
  const Tensor dot({}, ACL_FLOAT), out({2}, ACL_FLOAT);
  ASSERT_EQ(ACLNN(aclnnDot)(x, x, dot), 0) << last_message();
  expect_close(dot.values(), {14});
  ASSERT_EQ(ACLNN(aclnnMv)(m, x, out, 0), 0) << last_message();
  expect_close(out.values(), {1, 5});
}

TEST(Matmul, MismatchesAreRefused) {
  const Tensor x({2, 3}, ACL_FLOAT), y({2, 3}, ACL_FLOAT), out({2, 3}, ACL_FLOAT);
  const Tensor square({3, 3}, ACL_FLOAT), doubles({3, 3}, ACL_DOUBLE);
  EXPECT_EQ(ACLNN(aclnnMm)(x, y, out, 0), ACLNN_ERR_PARAM_INVALID);
  EXPECT_EQ(ACLNN(aclnnMm)(x, doubles, out, 0), ACLNN_ERR_PARAM_INVALID);
  EXPECT_EQ(ACLNN(aclnnMm)(x, square, x, 0), ACLNN_ERR_PARAM_INVALID);
  EXPECT_EQ(ACLNN(aclnnMm)(x, square, out, 9), ACLNN_ERR_PARAM_INVALID);
  EXPECT_NE(last_message().find("cubeMathType"), std::string::npos) << last_message();
}

// y[n, o, i, j] for a 3x3 kernel, padding 1, stride s
Values convolve(const Values& x, const Values& w, int n, int c, int h, int o, int stride) {
  const int size = (h - 1) / stride + 1;
  Values y(static_cast<size_t>(n * o * size * size));
  for (int b = 0; b < n; ++b)
    for (int k = 0; k < o; ++k)
      for (int i = 0; i < size; ++i)
        for (int j = 0; j < size; ++j) {
          double sum = 0;
          for (int d = 0; d < c; ++d)
            for (int p = 0; p < 3; ++p)
              for (int q = 0; q < 3; ++q) {
                const int r = i * stride + p - 1, s = j * stride + q - 1;
                if (r < 0 || s < 0 || r >= h || s >= h) continue;
                sum += x[((b * c + d) * h + r) * h + s] * w[((k * c + d) * 3 + p) * 3 + q];
              }
          y[((b * o + k) * size + i) * size + j] = sum;
        }
  return y;
}

TEST(Convolution, MatchesLoops) {
  const Values x = random_values(2 * 3 * 6 * 6, 1), w = random_values(4 * 3 * 9, 2);
  const Values bias = random_values(4, 3);
  const Tensor in({2, 3, 6, 6}, ACL_FLOAT, x), weight({4, 3, 3, 3}, ACL_FLOAT, w);
  const Tensor b({4}, ACL_FLOAT, bias), out({2, 4, 3, 3}, ACL_FLOAT);
  ASSERT_EQ(ACLNN(aclnnConvolution)(in, weight, b, Ints({2, 2}), Ints({1, 1}), Ints({1, 1}), false,
                                    Ints({0, 0}), 1, out, 0),
            0)
      << last_message();
  Values expected = convolve(x, w, 2, 3, 6, 4, 2);
  for (size_t i = 0; i < expected.size(); ++i) expected[i] += bias[i / 9 % 4];
  expect_close(out.values(), expected, 1e-5, 1e-5);
}

TEST(Convolution, GradientsAreTheAdjoint) {
  // <g, conv(x, w)> has the same derivative by x and w as the operator returns.
  const Values x = random_values(2 * 2 * 4 * 4, 1), w = random_values(3 * 2 * 9, 2);
  const Values g = random_values(2 * 3 * 4 * 4, 4);
  const Tensor in({2, 2, 4, 4}, ACL_FLOAT, x), weight({3, 2, 3, 3}, ACL_FLOAT, w);
  const Tensor grad({2, 3, 4, 4}, ACL_FLOAT, g);
  const Tensor gx({2, 2, 4, 4}, ACL_FLOAT), gw({3, 2, 3, 3}, ACL_FLOAT), gb({3}, ACL_FLOAT);
  ASSERT_EQ(ACLNN(aclnnConvolutionBackward)(grad, in, weight, Ints({3}), Ints({1, 1}), Ints({1, 1}),
                                            Ints({1, 1}), false, Ints({0, 0}), 1,
                                            Bools({true, true, true}), 0, gx, gw, gb),
            0)
      << last_message();
  const auto inner = [&](const Values& a, const Values& b) {
    const Values y = convolve(a, b, 2, 2, 4, 3, 1);
    return std::inner_product(y.begin(), y.end(), g.begin(), 0.0);
  };
  const double base = inner(x, w);
  Values by_x, by_w, by_b(3);
  for (size_t i = 0; i < x.size(); ++i) {
    Values moved = x;
    moved[i] += 1;
    by_x.push_back(inner(moved, w) - base);
  }
  for (size_t i = 0; i < w.size(); ++i) {
    Values moved = w;
    moved[i] += 1;
    by_w.push_back(inner(x, moved) - base);
  }
  for (size_t i = 0; i < g.size(); ++i) by_b[i / 16 % 3] += g[i];
  expect_close(gx.values(), by_x, 1e-5, 1e-5);
  expect_close(gw.values(), by_w, 1e-5, 1e-5);
  expect_close(gb.values(), by_b, 1e-5, 1e-5);
}

TEST(Convolution, WrongShapesAreNamed) {
  const Tensor in({1, 3, 6, 6}, ACL_FLOAT), weight({4, 2, 3, 3}, ACL_FLOAT);
  const Tensor good({4, 3, 3, 3}, ACL_FLOAT), out({1, 4, 6, 6}, ACL_FLOAT);
  const auto run = [&](const Tensor& w, const Ints& stride, int64_t groups) {
    return ACLNN(aclnnConvolution)(in, w, nullptr, stride, Ints({1, 1}), Ints({1, 1}), false,
                                   Ints({0, 0}), groups, out, 0);
  };
  EXPECT_EQ(run(weight, Ints({1, 1}), 1), ACLNN_ERR_PARAM_INVALID);
  EXPECT_NE(last_message().find("channels"), std::string::npos) << last_message();
  EXPECT_EQ(run(good, Ints({2, 2}), 1), ACLNN_ERR_PARAM_INVALID);
  EXPECT_EQ(run(good, Ints({0, 1}), 1), ACLNN_ERR_PARAM_INVALID);
  EXPECT_EQ(run(good, Ints({1, 1, 1}), 1), ACLNN_ERR_PARAM_INVALID);
  EXPECT_EQ(run(good, Ints({1, 1}), 0), ACLNN_ERR_PARAM_INVALID);
  EXPECT_EQ(run(good, Ints({1, 1}), 1), 0) << last_message();
}

TEST(BatchNorm, TrainsAndEvaluates) {
  const Values x = random_values(4 * 2 * 3, 1);
  const Tensor in({4, 2, 3}, ACL_FLOAT, x), weight({2}, ACL_FLOAT, {2, 3});
  const Tensor bias({2}, ACL_FLOAT, {1, -1}), mean({2}, ACL_FLOAT), var({2}, ACL_FLOAT, {1, 1});
  const Tensor out({4, 2, 3}, ACL_FLOAT), save_mean({2}, ACL_FLOAT), save_invstd({2}, ACL_FLOAT);
  ASSERT_EQ(ACLNN(aclnnBatchNorm)(in, weight, bias, mean, var, true, 0.1, 1e-5, out, save_mean,
                                  save_invstd),
            0)
      << last_message();
  Values m(2), v(2), expected(24);
  for (int i = 0; i < 24; ++i) m[i / 3 % 2] += x[i] / 12;
  for (int i = 0; i < 24; ++i) v[i / 3 % 2] += std::pow(x[i] - m[i / 3 % 2], 2) / 12;
  const double gain[] = {2, 3}, shift[] = {1, -1};
  for (int i = 0; i < 24; ++i) {
    const int c = i / 3 % 2;
    expected[i] = (x[i] - m[c]) / std::sqrt(v[c] + 1e-5) * gain[c] + shift[c];
  }
  expect_close(out.values(), expected, 1e-5, 1e-5);
  expect_close(save_mean.values(), m, 1e-5, 1e-6);
  expect_close(mean.values(), {0.1 * m[0], 0.1 * m[1]}, 1e-5, 1e-6);
  expect_close(var.values(), {0.9 + 0.1 * v[0] * 12 / 11, 0.9 + 0.1 * v[1] * 12 / 11}, 1e-5);
  const Tensor none({0}, ACL_FLOAT);
  ASSERT_EQ(ACLNN(aclnnBatchNorm)(in, weight, bias, mean, var, false, 0.1, 1e-5, out, none, none),
            0)
      << last_message();
  const Values rm = mean.values(), rv = var.values();
  for (int i = 0; i < 24; ++i) {
    const int c = i / 3 % 2;
    expected[i] = (x[i] - rm[c]) / std::sqrt(rv[c] + 1e-5) * gain[c] + shift[c];
  }
  expect_close(out.values(), expected, 1e-5, 1e-5);
  EXPECT_EQ(
      ACLNN(aclnnBatchNorm)(in, weight, bias, nullptr, nullptr, false, 0.1, 1e-5, out, none, none),
      ACLNN_ERR_PARAM_INVALID);
}

TEST(LayerNorm, NormalisesTheLastDimensions) {
  const Values x = random_values(12, 5);
  const Tensor in({3, 4}, ACL_FLOAT, x), out({3, 4}, ACL_FLOAT);
  const Tensor mean({3, 1}, ACL_FLOAT), rstd({3, 1}, ACL_FLOAT);
  ASSERT_EQ(ACLNN(aclnnLayerNorm)(in, Ints({4}), nullptr, nullptr, 1e-5, out, mean, rstd), 0)
      << last_message();
  Values expected;
  for (int i = 0; i < 3; ++i) {
    double m = 0, v = 0;
    for (int j = 0; j < 4; ++j) m += x[i * 4 + j] / 4;
    for (int j = 0; j < 4; ++j) v += std::pow(x[i * 4 + j] - m, 2) / 4;
    for (int j = 0; j < 4; ++j) expected.push_back((x[i * 4 + j] - m) / std::sqrt(v + 1e-5));
  }
  expect_close(out.values(), expected, 1e-5, 1e-5);
  EXPECT_EQ(ACLNN(aclnnLayerNorm)(in, Ints({3}), nullptr, nullptr, 1e-5, out, mean, rstd),
            ACLNN_ERR_PARAM_INVALID);
}

TEST(Pooling, MaskLeadsGradientsBack) {
  const Tensor in({1, 1, 4, 4}, ACL_FLOAT, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0});
  const Tensor out({1, 1, 2, 2}, ACL_FLOAT);
  const Tensor mask({1, 1, 4, (4 / 16 + 2) * 32}, ACL_INT8);  // as CANN documents it
  ASSERT_EQ(ACLNN(aclnnMaxPool2dWithMask)(in, Ints({2, 2}), Ints({2, 2}), Ints({0, 0}),
                                          Ints({1, 1}), false, out, mask),
            0)
      << last_message();
  expect_close(out.values(), {6, 8, 14, 15});
  const Tensor grad({1, 1, 2, 2}, ACL_FLOAT, {1, 2, 3, 4}), grad_in({1, 1, 4, 4}, ACL_FLOAT, {9});
  ASSERT_EQ(ACLNN(aclnnMaxPool2dWithMaskBackward)(grad, in, mask, Ints({2, 2}), Ints({}),
                                                  Ints({0, 0}), Ints({1, 1}), false, grad_in),
            0)
      << last_message();
  expect_close(grad_in.values(), {0, 0, 0, 0, 0, 1, 0, 2, 0, 0, 0, 0, 0, 3, 4, 0});
}

TEST(Pooling, IndicesArePositionsInThePlane) {
  const Tensor in({1, 3, 3}, ACL_FLOAT, {1, 2, 3, 4, 9, 6, 7, 8, 5});
  const Tensor out({1, 2, 2}, ACL_FLOAT), indices({1, 2, 2}, ACL_INT64);
  ASSERT_EQ(ACLNN(aclnnMaxPool2dWithIndices)(in, Ints({2}), Ints({2}), Ints({0}), Ints({1}), true,
                                             out, indices),
            0)
      << last_message();
  expect_close(out.values(), {9, 6, 8, 5});
  expect_close(indices.values(), {4, 5, 7, 8});
}

TEST(Pooling, AveragesCountPaddingAsAsked) {
  const Tensor in({1, 1, 2, 2}, ACL_FLOAT, {1, 2, 3, 4}), out({1, 1, 2, 2}, ACL_FLOAT);
  ASSERT_EQ(
      ACLNN(aclnnAvgPool2d)(in, Ints({2, 2}), Ints({2, 2}), Ints({1, 1}), false, false, 0, 0, out),
      0)
      << last_message();
  expect_close(out.values(), {1, 2, 3, 4});
  ASSERT_EQ(
      ACLNN(aclnnAvgPool2d)(in, Ints({2, 2}), Ints({2, 2}), Ints({1, 1}), false, true, 0, 0, out),
      0);
  expect_close(out.values(), {0.25, 0.5, 0.75, 1});
  const Tensor mean({1, 1, 1, 1}, ACL_FLOAT);
  ASSERT_EQ(ACLNN(aclnnAdaptiveAvgPool2d)(in, Ints({1, 1}), mean), 0) << last_message();
  expect_close(mean.values(), {2.5});
}

TEST(Softmax, LogSoftmaxAndItsGradient) {
  const Tensor x({1, 3}, ACL_FLOAT, {1, 2, 3}), out({1, 3}, ACL_FLOAT), gx({1, 3}, ACL_FLOAT);
  ASSERT_EQ(ACLNN(aclnnLogSoftmax)(x, -1, out), 0) << last_message();
  const double total = std::log(std::exp(1.0) + std::exp(2.0) + std::exp(3.0));
  expect_close(out.values(), {1 - total, 2 - total, 3 - total});
  const Tensor grad({1, 3}, ACL_FLOAT, {1, 0, 0});
  ASSERT_EQ(ACLNN(aclnnLogSoftmaxBackward)(grad, out, 1, gx), 0) << last_message();
  expect_close(gx.values(), {1 - std::exp(1 - total), -std::exp(2 - total), -std::exp(3 - total)});
  EXPECT_EQ(ACLNN(aclnnSoftmax)(x, 2, out), ACLNN_ERR_PARAM_INVALID);
}

TEST(Loss, NllLossAndItsGradient) {
  const Tensor x({2, 3}, ACL_FLOAT, {-1, -2, -3, -4, -5, -6}), target({2}, ACL_INT64, {2, 0});
  const Tensor weight({3}, ACL_FLOAT, {1, 1, 3}), out({}, ACL_FLOAT), total({}, ACL_FLOAT);
  ASSERT_EQ(ACLNN(aclnnNLLLoss)(x, target, weight, 1, -100, out, total), 0) << last_message();
  expect_close(total.values(), {4});
  expect_close(out.values(), {(3 * 3.0 + 4) / 4});
  const Tensor grad({}, ACL_FLOAT, {1}), gx({2, 3}, ACL_FLOAT);
  ASSERT_EQ(ACLNN(aclnnNLLLossBackward)(grad, x, target, weight, 1, -100, total, gx), 0)
      << last_message();
  expect_close(gx.values(), {0, 0, -0.75, -0.25, 0, 0});
}

TEST(Loss, TargetOutOfRangeSurfacesAtSynchronize) {
  const Tensor x({2, 3}, ACL_FLOAT), target({2}, ACL_INT64, {2, 7});
  const Tensor out({}, ACL_FLOAT), total({}, ACL_FLOAT);
  uint64_t bytes = 0;
  aclOpExecutor* executor = nullptr;
  ASSERT_EQ(
      aclnnNLLLossGetWorkspaceSize(x, target, nullptr, 1, -100, out, total, &bytes, &executor), 0);
  ASSERT_EQ(aclnnNLLLoss(nullptr, bytes, executor, nullptr), 0);
  try {
    runtime::default_stream().synchronize();
    FAIL() << "no error";
  } catch (const base::Error& e) {
    const std::string text = e.what();
    EXPECT_NE(text.find("aclnnNLLLoss"), std::string::npos) << text;
    EXPECT_NE(text.find('7'), std::string::npos) << text;
    EXPECT_NE(text.find('3'), std::string::npos) << text;
  }
  const Tensor fine({2}, ACL_INT64, {0, 1});
  EXPECT_EQ(ACLNN(aclnnNLLLoss)(x, fine, nullptr, 1, -100, out, total), 0) << last_message();
}

TEST(Loss, MeanSquaredErrorAndItsGradient) {
  const Tensor x({2, 2}, ACL_FLOAT, {1, 2, 3, 4}), target({2, 2}, ACL_FLOAT, {0, 2, 5, 4});
  const Tensor out({}, ACL_FLOAT), grad({}, ACL_FLOAT, {2}), gx({2, 2}, ACL_FLOAT);
  ASSERT_EQ(ACLNN(aclnnMseLoss)(x, target, 1, out), 0) << last_message();
  expect_close(out.values(), {5.0 / 4});
  ASSERT_EQ(ACLNN(aclnnMseLossBackward)(grad, x, target, 1, gx), 0) << last_message();
  expect_close(gx.values(), {1, 0, -2, 0});
  EXPECT_EQ(ACLNN(aclnnMseLoss)(x, target, 5, out), ACLNN_ERR_PARAM_INVALID);
}

TEST(Loss, BinaryCrossEntropyWithLogits) {
  const Values x = {-1.5, 0.5, 2}, t = {0, 1, 1}, p = {2, 3, 0.5};
  const Tensor in({3}, ACL_FLOAT, x), target({3}, ACL_FLOAT, t), positive({3}, ACL_FLOAT, p);
  const Tensor out({}, ACL_FLOAT), grad({}, ACL_FLOAT, {1}), gx({3}, ACL_FLOAT);
  ASSERT_EQ(ACLNN(aclnnBinaryCrossEntropyWithLogits)(in, target, nullptr, positive, 1, out), 0)
      << last_message();
  double loss = 0;
  Values slope;
  for (int i = 0; i < 3; ++i) {
    const double s = 1 / (1 + std::exp(-x[i]));
    loss -= (p[i] * t[i] * std::log(s) + (1 - t[i]) * std::log(1 - s)) / 3;
    slope.push_back((s * (1 - t[i]) - p[i] * t[i] * (1 - s)) / 3);
  }
  expect_close(out.values(), {loss});
  ASSERT_EQ(
      ACLNN(aclnnBinaryCrossEntropyWithLogitsBackward)(grad, in, target, nullptr, positive, 1, gx),
      0)
      << last_message();
  expect_close(gx.values(), slope);
}

TEST(Norm, RootMeanSquareOfASum) {
  const Values a = {1, -2, 3, 0.5}, b = {0, 1, 1, -1}, weight = {2, 0.5};
  const Tensor x1({2, 2}, ACL_FLOAT, a), x2({2, 2}, ACL_FLOAT, b), gamma({2}, ACL_FLOAT, weight);
  const Tensor y({2, 2}, ACL_FLOAT), rstd({2, 1}, ACL_FLOAT), x({2, 2}, ACL_FLOAT);
  ASSERT_EQ(ACLNN(aclnnAddRmsNorm)(x1, x2, gamma, 0.5, y, rstd, x), 0) << last_message();
  Values wanted;
  for (int row = 0; row < 2; ++row) {
    const double left = a[2 * row] + b[2 * row], right = a[2 * row + 1] + b[2 * row + 1];
    const double scale = 1 / std::sqrt((left * left + right * right) / 2 + 0.5);
    wanted.insert(wanted.end(), {left * scale * weight[0], right * scale * weight[1]});
  }
  expect_close(y.values(), wanted);
  const Tensor wrong({3}, ACL_FLOAT);
  EXPECT_EQ(ACLNN(aclnnRmsNorm)(x, wrong, 0.5, y, rstd), ACLNN_ERR_PARAM_INVALID);
}

TEST(Activation, FastGeluAndItsGradient) {
  const Values x = {-2, 0.5, 3};
  const Tensor in({3}, ACL_FLOAT, x), grad({3}, ACL_FLOAT, {1, 2, 1});
  const Tensor out({3}, ACL_FLOAT), gx({3}, ACL_FLOAT);
  Values wanted, slope;
  for (size_t i = 0; i < 3; ++i) {
    const double gate = 1 / (1 + std::exp(-1.702 * x[i]));
    wanted.push_back(x[i] * gate);
    slope.push_back((i == 1 ? 2 : 1) * (gate + 1.702 * x[i] * gate * (1 - gate)));
  }
  ASSERT_EQ(ACLNN(aclnnFastGelu)(in, out), 0) << last_message();
  expect_close(out.values(), wanted);
  ASSERT_EQ(ACLNN(aclnnFastGeluBackward)(grad, in, gx), 0) << last_message();
  expect_close(gx.values(), slope);
}

TEST(Recurrent, OneLstmCell) {
  const Values gates = {0.5, -1, 2, 0.25};  // i, f, g, o
  const Tensor input({1, 4}, ACL_FLOAT, gates), hidden({1, 4}, ACL_FLOAT, {0, 0, 0, 0});
  const Tensor cx({1, 1}, ACL_FLOAT, {0.75});
  const Tensor hy({1, 1}, ACL_FLOAT), cy({1, 1}, ACL_FLOAT), kept({1, 4}, ACL_FLOAT);
  ASSERT_EQ(ACLNN(aclnnThnnFusedLstmCell)(input, hidden, cx, nullptr, nullptr, hy, cy, kept), 0)
      << last_message();
  const auto sigmoid = [](double v) { return 1 / (1 + std::exp(-v)); };
  const double c = sigmoid(-1) * 0.75 + sigmoid(0.5) * std::tanh(2);
  expect_close(cy.values(), {c});
  expect_close(hy.values(), {sigmoid(0.25) * std::tanh(c)});
  const Tensor narrow({1, 3}, ACL_FLOAT, {0, 0, 0});
  EXPECT_EQ(ACLNN(aclnnThnnFusedLstmCell)(narrow, hidden, cx, nullptr, nullptr, hy, cy, kept),
            ACLNN_ERR_PARAM_INVALID);
}

TEST(Attention, AQueryWithoutKeysGetsZeros) {
  const Tensor q({1, 1, 2, 1}, ACL_FLOAT, {1, 2}), k({1, 1, 2, 1}, ACL_FLOAT, {0.5, -1});
  const Tensor v({1, 1, 2, 1}, ACL_FLOAT, {3, 5}), mask({2, 2}, ACL_BOOL, {1, 1, 0, 0});
  const Tensor out({1, 1, 2, 1}, ACL_FLOAT), top({1, 1, 2, 8}, ACL_FLOAT);
  const Tensor sum({1, 1, 2, 8}, ACL_FLOAT), none({0}, ACL_FLOAT);
  char layout[] = "BNSD", unknown[] = "TND";
  const auto attend = [&](char* form) {
    return ACLNN(aclnnFlashAttentionScore)(q, k, v, nullptr, nullptr, nullptr, mask, nullptr, 1.,
                                           1., INT32_MAX, INT32_MAX, 1, form, 0, 0, top, sum, none,
                                           out);
  };
  ASSERT_EQ(attend(layout), 0) << last_message();
  const double first = std::exp(1.), second = std::exp(-2.);
  expect_close(out.values(), {0, (3 * first + 5 * second) / (first + second)});
  EXPECT_EQ(attend(unknown), ACLNN_ERR_PARAM_INVALID);
}

}  // namespace
}  // namespace npu::testing
