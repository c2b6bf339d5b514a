// SPDX-License-Identifier: Apache-2.0
#include "softnpu/davinci/commands.h"
#include "tests/softnpu/davinci/cube_test_util.h"

namespace npu::davinci::test {
namespace {

struct Case {
  Dims dims;
  Dims order = {};  // of memory; empty: row-major
  int64_t gap = 0;
  DType dtype = DType::kFloat;
  double mean = 0;
};

class BatchNormTest : public CubeTest {
 protected:
  static constexpr double kEpsilon = 1e-5, kMomentum = 0.3;

  void SetUp() override {
    CubeTest::SetUp();
    random_.seed(31);
  }

  Tensor vector(int64_t channels, double mean, double deviation, DType dtype = DType::kFloat) {
    Tensor t(dtype, {channels});
    fill(t, random_, mean, deviation);
    return t;
  }

  /// Forward and backward in one mode against formulas in double.
  void check(const Case& s, bool training, bool affine = true) {
    const DType parameter = s.dtype == DType::kDouble ? DType::kDouble : DType::kFloat;
    const int64_t channels = s.dims[1];
    int64_t plane = 1;
    for (size_t i = 2; i < s.dims.size(); ++i) plane *= s.dims[i];
    Tensor in(s.dtype, s.dims, s.order, s.gap), out(s.dtype, s.dims, s.order, s.gap);
    Tensor grad_out(s.dtype, s.dims, s.order, s.gap), grad_in(s.dtype, s.dims, s.order, s.gap);
    fill(in, random_, s.mean, 2);
    fill(grad_out, random_);
    Tensor weight = vector(channels, 1, 0.5, parameter), bias = vector(channels, 0, 1, parameter);
    Tensor running_mean = vector(channels, s.mean, 0.1, parameter);
    Tensor running_var = vector(channels, 4, 0.1, parameter);
    Tensor mean(parameter, {channels}), invstd(parameter, {channels});
    Tensor grad_weight(parameter, {channels}), grad_bias(parameter, {channels});

    const std::vector<double> x = in.values(), g = grad_out.values();
    std::vector<double> y(x.size()), dx(x.size()), dw(channels), db(channels);
    std::vector<double> new_mean(channels), new_var(channels), m(channels), r(channels);
    const auto channel_of = [&](size_t i) { return static_cast<int64_t>(i) / plane % channels; };
    const double count = static_cast<double>(x.size()) / static_cast<double>(channels);
    for (int64_t c = 0; c < channels; ++c) {
      double sum = 0, squares = 0;
      for (size_t i = 0; i < x.size(); ++i) sum += channel_of(i) == c ? x[i] : 0;
      for (size_t i = 0; i < x.size(); ++i) {
        squares += channel_of(i) == c ? (x[i] - sum / count) * (x[i] - sum / count) : 0;
      }
      m[c] = training ? sum / count : running_mean.get(c);
      r[c] = 1 / std::sqrt((training ? squares / count : running_var.get(c)) + kEpsilon);
      new_mean[c] = running_mean.get(c);
      new_var[c] = running_var.get(c);
      if (training) {
        new_mean[c] += kMomentum * (sum / count - new_mean[c]);
        new_var[c] += kMomentum * (squares / (count - 1) - new_var[c]);
      }
      const double w = affine ? weight.get(c) : 1, b = affine ? bias.get(c) : 0;
      for (size_t i = 0; i < x.size(); ++i) {
        if (channel_of(i) != c) continue;
        y[i] = (x[i] - m[c]) * r[c] * w + b;
        db[c] += g[i];
        dw[c] += g[i] * (x[i] - m[c]) * r[c];
      }
      for (size_t i = 0; i < x.size(); ++i) {
        if (channel_of(i) != c) continue;
        dx[i] = g[i] * r[c] * w;
        if (training) {
          dx[i] -= (db[c] + (x[i] - m[c]) * r[c] * dw[c]) / count * r[c] * w;
        }
      }
    }

    ThreadWorkers workers(2);
    const std::string what = base::to_string(in.view);
    const double tolerance = 3e-6 * std::max(1.0, std::fabs(s.mean) / 100);
    BatchNorm forward{in.view,          {},        {},        running_mean.view,
                      running_var.view, out.view,  mean.view, invstd.view,
                      training,         kMomentum, kEpsilon};
    BatchNormBackward backward{grad_out.view,    in.view,        {},          running_mean.view,
                               running_var.view, mean.view,      invstd.view, grad_in.view,
                               grad_weight.view, grad_bias.view, training,    kEpsilon};
    if (affine) {
      forward.weight = backward.weight = weight.view;
      forward.bias = bias.view;
    }
    run(forward, workers);
    expect_close(out, y, tolerance, "out of " + what);
    expect_close(running_mean, new_mean, 1e-6, "running mean of " + what);
    expect_close(running_var, new_var, 1e-6, "running variance of " + what);
    if (training) {
      expect_close(mean, m, 1e-6, "mean of " + what);
      expect_close(invstd, r, 1e-6, "invstd of " + what);
    }
    run(backward, workers);
    expect_close(grad_in, dx, tolerance, "grad_in of " + what);
    expect_close(grad_weight, dw, tolerance, "grad_weight of " + what);
    expect_close(grad_bias, db, tolerance, "grad_bias of " + what);
  }

  Generator random_;
};

TEST_P(BatchNormTest, MatchesFloat64InEveryRankAndLayout) {
  for (bool training : {true, false}) {
    check({{37, 5}}, training);
    check({{37, 5}, {1, 0}}, training);
    check({{3, 4, 29}}, training);
    check({{4, 7, 9, 11}}, training);
    check({{4, 67, 9, 11}, {0, 2, 3, 1}}, training);
    check({{4, 67, 9, 11}, {0, 2, 3, 1}, 5}, training);
    check({{2, 3, 40, 70}}, training);
    check({{4, 7, 9, 11}, {}, 3}, training);
    check({{4, 7, 9, 11}, {1, 3, 0, 2}}, training);
    check({{2, 3, 4, 5, 6}}, training);
    check({{2, 33, 4, 5, 6}, {0, 2, 3, 4, 1}}, training);
    check({{5, 6, 1, 1}}, training);
    check({{1, 1, 4, 4}}, training, false);
  }
}

TEST_P(BatchNormTest, StoresHalfTypesAndComputesInFloat) {
  for (DType dtype : {DType::kHalf, DType::kBFloat16}) {
    for (bool training : {true, false}) {
      check({{4, 7, 9, 11}, {}, 0, dtype}, training);
      check({{4, 40, 9, 11}, {0, 2, 3, 1}, 0, dtype}, training);
    }
  }
}

TEST_P(BatchNormTest, ComputesDoubleInDouble) {
  check({{4, 7, 9, 11}, {}, 0, DType::kDouble}, true);
  check({{4, 7, 9, 11}, {0, 2, 3, 1}, 0, DType::kDouble}, true);
}

TEST_P(BatchNormTest, VarianceSurvivesALargeMean) {
  check({{8, 3, 20, 20}, {}, 0, DType::kFloat, 3000}, true);
  check({{8, 40, 20, 20}, {0, 2, 3, 1}, 0, DType::kFloat, 3000}, true);
}

TEST_P(BatchNormTest, WorksWithoutRunningStatisticsOrWantedGradients) {
  Tensor in(DType::kFloat, {4, 3, 5, 5}), out(DType::kFloat, {4, 3, 5, 5});
  Tensor mean(DType::kFloat, {3}), invstd(DType::kFloat, {3}), grad_bias(DType::kFloat, {3});
  fill(in, random_);
  base::SerialWorkers workers;
  run(BatchNorm{in.view, {}, {}, {}, {}, out.view, mean.view, invstd.view}, workers);
  double sum = 0;
  for (int i = 0; i < 25; ++i)
    sum += out.get(i) + out.get(75 + i) + out.get(150 + i) + out.get(225 + i);
  EXPECT_NEAR(sum, 0, 1e-4);
  run(
      BatchNormBackward{
          in.view, in.view, {}, {}, {}, mean.view, invstd.view, {}, {}, grad_bias.view},
      workers);
  EXPECT_NEAR(grad_bias.get(0), mean.get(0) * 100, 1e-4);
}

TEST_P(BatchNormTest, ResultDoesNotDependOnTheNumberOfWorkers) {
  Tensor in(DType::kFloat, {5, 70, 11, 13});
  fill(in, random_);
  std::vector<std::vector<double>> results;
  for (int threads : {1, 3}) {
    Tensor out(DType::kFloat, {5, 70, 11, 13}), mean(DType::kFloat, {70});
    Tensor invstd(DType::kFloat, {70});
    ThreadWorkers workers(threads);
    run(BatchNorm{in.view, {}, {}, {}, {}, out.view, mean.view, invstd.view}, workers);
    results.push_back(out.values());
  }
  EXPECT_EQ(results[0], results[1]);
}

INSTANTIATE_TEST_SUITE_P(Isa, BatchNormTest, testing::ValuesIn(available_isas()), isa_name);

}  // namespace
}  // namespace npu::davinci::test
