// SPDX-License-Identifier: Apache-2.0
#include "softnpu/davinci/commands.h"
#include "tests/softnpu/davinci/cube_test_util.h"

namespace npu::davinci::test {
namespace {

struct Case {
  Dims in;  // N, C, H, W
  PoolShape shape;
  bool ceil_mode = false;
  bool channels_last = false;
  int64_t gap = 0;
};

int64_t out_size(const Case& s, int d) {
  const PoolShape& p = s.shape;
  const int64_t room = s.in[2 + d] + 2 * p.padding[d] - p.dilation[d] * (p.kernel[d] - 1) - 1;
  int64_t size = (room + (s.ceil_mode ? p.stride[d] - 1 : 0)) / p.stride[d] + 1;
  if (s.ceil_mode && (size - 1) * p.stride[d] >= s.in[2 + d] + p.padding[d]) --size;
  return size;
}

PoolShape square(int64_t kernel, int64_t stride, int64_t padding = 0, int64_t dilation = 1) {
  return {{kernel, kernel}, {stride, stride}, {padding, padding}, {dilation, dilation}};
}

std::vector<Case> cases() {
  return {{{2, 3, 8, 70}, square(2, 2)},
          {{2, 3, 9, 71}, square(2, 2)},
          {{2, 3, 9, 71}, square(2, 2), true},
          {{1, 2, 5, 3}, square(2, 2)},
          {{2, 19, 8, 10}, square(2, 2), false, true},
          {{2, 5, 11, 13}, square(3, 2, 1)},
          {{2, 37, 11, 13}, square(3, 2, 1), true, true},
          {{2, 3, 12, 11}, square(3, 1, 1, 2)},
          {{1, 2, 17, 16}, {{3, 5}, {1, 2}, {1, 2}, {2, 1}}},
          {{2, 3, 9, 10}, square(3, 3, 1), true, false, 2},
          {{1, 1, 3, 900}, {{1, 4}, {1, 3}, {0, 1}, {1, 1}}},
          {{1, 2, 13, 13}, square(13, 13)},
          {{1, 1, 200, 150}, square(2, 2)},
          {{0, 3, 8, 8}, square(2, 2)}};
}

class PoolTest : public CubeTest {
 protected:
  void SetUp() override {
    CubeTest::SetUp();
    random_.seed(41);
  }

  Tensor map(DType dtype, const Dims& dims, const Case& s) {
    return Tensor(dtype, dims, s.channels_last ? Dims{0, 2, 3, 1} : Dims{}, s.gap);
  }

  /// Maximum, where it lies in the plane, and in the window, as PyTorch defines them.
  struct Maximum {
    double value = -INFINITY;
    int64_t index = -1, tap = -1;
  };
  Maximum maximum(const Case& s, const std::vector<double>& x, int64_t plane, int64_t oh,
                  int64_t ow) {
    Maximum best;
    const PoolShape& p = s.shape;
    for (int64_t tap = 0; tap < p.kernel[0] * p.kernel[1]; ++tap) {
      const int64_t h = oh * p.stride[0] - p.padding[0] + tap / p.kernel[1] * p.dilation[0];
      const int64_t w = ow * p.stride[1] - p.padding[1] + tap % p.kernel[1] * p.dilation[1];
      if (h < 0 || h >= s.in[2] || w < 0 || w >= s.in[3]) continue;
      const double value = x[(plane * s.in[2] + h) * s.in[3] + w];
      if (best.index < 0 || value > best.value || std::isnan(value)) {
        best = {value, h * s.in[3] + w, tap};
      }
    }
    return best;
  }

  void check_max(const Case& s, DType dtype, DType index_type, double nan_share) {
    const Dims out_dims{s.in[0], s.in[1], out_size(s, 0), out_size(s, 1)};
    Tensor in = map(dtype, s.in, s), grad_in = map(dtype, s.in, s);
    Tensor out = map(dtype, out_dims, s), grad_out = map(dtype, out_dims, s);
    Tensor positions(index_type, out_dims);
    // Few distinct values, so that ties are common.
    for (int64_t i = 0; i < in.numel(); ++i) {
      const bool nan = pick(random_, 0, 999) < static_cast<int64_t>(1000 * nan_share);
      in.set(i, nan ? NAN : static_cast<double>(pick(random_, -4, 4)));
    }
    fill(grad_out, random_);
    const std::vector<double> x = in.values(), g = grad_out.values();
    std::vector<double> y(g.size()), at(g.size()), dx(x.size());
    for (size_t i = 0; i < g.size(); ++i) {
      const int64_t flat = static_cast<int64_t>(i), ow = flat % out_dims[3];
      const int64_t oh = flat / out_dims[3] % out_dims[2];
      const int64_t plane = flat / (out_dims[2] * out_dims[3]);
      const Maximum best = maximum(s, x, plane, oh, ow);
      y[i] = best.value;
      at[i] = static_cast<double>(base::size_of(index_type) == 1 ? best.tap : best.index);
      dx[plane * s.in[2] * s.in[3] + best.index] += g[i];
    }
    ThreadWorkers workers(2);
    const std::string what = base::to_string(in.view) + " " + base::to_string(out.view);
    run(MaxPool2d{in.view, out.view, positions.view, s.shape}, workers);
    expect_close(out, y, 0, "maxima of " + what);
    expect_close(positions, at, 0, "positions of " + what);
    run(MaxPool2dBackward{grad_out.view, positions.view, grad_in.view, s.shape}, workers);
    expect_close(grad_in, dx, 1e-6, "gradient of " + what);
  }

  Generator random_;
};

TEST_P(PoolTest, MaximaPositionsAndGradientsMatchPyTorchsRules) {
  for (const Case& s : cases()) {
    for (DType index_type : {DType::kInt8, DType::kInt32, DType::kInt64}) {
      if (s.shape.kernel[0] * s.shape.kernel[1] > 127 && index_type == DType::kInt8) continue;
      check_max(s, DType::kFloat, index_type, 0.05);
    }
  }
}

TEST_P(PoolTest, MaximaOfOtherTypes) {
  for (const Case& s : cases()) {
    check_max(s, DType::kHalf, DType::kInt32, 0.05);
    check_max(s, DType::kBFloat16, DType::kInt64, 0.05);
    check_max(s, DType::kDouble, DType::kInt64, 0.05);
    if (s.shape.kernel[0] < 10) check_max(s, DType::kHalf, DType::kInt8, 0);
  }
}

TEST_P(PoolTest, MaximumOfNothingButMinusInfinityIsTheFirst) {
  Tensor in(DType::kFloat, {1, 1, 4, 40}), out(DType::kFloat, {1, 1, 2, 20});
  Tensor positions(DType::kInt64, {1, 1, 2, 20});
  for (int64_t i = 0; i < in.numel(); ++i) in.set(i, -INFINITY);
  base::SerialWorkers workers;
  run(MaxPool2d{in.view, out.view, positions.view, square(2, 2)}, workers);
  for (int64_t i = 0; i < 40; ++i) {
    EXPECT_EQ(out.get(i), -INFINITY);
    EXPECT_EQ(positions.get(i), i / 20 * 80 + i % 20 * 2);
  }
}

TEST_P(PoolTest, AveragesAndTheirGradientsMatchFloat64) {
  for (const Case& s : cases()) {
    if (s.shape.dilation[0] != 1 || s.shape.dilation[1] != 1) continue;
    for (int mode = 0; mode < 3; ++mode) {
      const DType dtype = mode == 2 ? DType::kHalf : DType::kFloat;
      const int64_t override = mode == 2 ? 3 : 0;
      const Dims out_dims{s.in[0], s.in[1], out_size(s, 0), out_size(s, 1)};
      Tensor in = map(dtype, s.in, s), grad_in = map(dtype, s.in, s);
      Tensor out = map(dtype, out_dims, s), grad_out = map(dtype, out_dims, s);
      fill(in, random_);
      fill(grad_out, random_);
      const std::vector<double> x = in.values(), g = grad_out.values();
      std::vector<double> y(g.size()), dx(x.size());
      const PoolShape& p = s.shape;
      for (size_t i = 0; i < g.size(); ++i) {
        const int64_t flat = static_cast<int64_t>(i);
        const int64_t h0 = flat / out_dims[3] % out_dims[2] * p.stride[0] - p.padding[0];
        const int64_t w0 = flat % out_dims[3] * p.stride[1] - p.padding[1];
        const int64_t plane = flat / (out_dims[2] * out_dims[3]);
        double sum = 0, valid = 0, padded = 0;
        for (int pass = 0; pass < 2; ++pass) {
          const double divisor = override != 0 ? override : mode == 1 ? valid : padded;
          for (int64_t h = h0; h < h0 + p.kernel[0]; ++h) {
            for (int64_t w = w0; w < w0 + p.kernel[1]; ++w) {
              const bool in_padded = h < s.in[2] + p.padding[0] && w < s.in[3] + p.padding[1];
              const bool inside = h >= 0 && h < s.in[2] && w >= 0 && w < s.in[3];
              const int64_t j = (plane * s.in[2] + h) * s.in[3] + w;
              if (pass == 0) {
                padded += in_padded;
                valid += inside;
                sum += inside ? x[j] : 0;
              } else if (inside) {
                dx[j] += g[i] / divisor;
              }
            }
          }
          y[i] = sum / divisor;
        }
      }
      ThreadWorkers workers(2);
      run(AvgPool2d{in.view, out.view, p, mode != 1, override}, workers);
      expect_close(out, y, 1e-6, "averages of " + base::to_string(in.view));
      run(AvgPool2dBackward{grad_out.view, grad_in.view, p, mode != 1, override}, workers);
      expect_close(grad_in, dx, 1e-6, "gradient of " + base::to_string(in.view));
    }
  }
}

TEST_P(PoolTest, AdaptiveAveragesMatchFloat64) {
  for (const auto& [in_dims, oh, ow] :
       std::vector<std::tuple<Dims, int64_t, int64_t>>{{{2, 3, 7, 9}, 1, 1},
                                                       {{2, 3, 7, 9}, 3, 4},
                                                       {{1, 5, 4, 5}, 7, 8},
                                                       {{1, 2, 70, 300}, 1, 1},
                                                       {{2, 2, 6, 6}, 6, 6}}) {
    for (bool channels_last : {false, true}) {
      const Case s{in_dims, {}, false, channels_last};
      const Dims out_dims{in_dims[0], in_dims[1], oh, ow};
      Tensor in = map(DType::kFloat, in_dims, s), grad_in = map(DType::kFloat, in_dims, s);
      Tensor out = map(DType::kFloat, out_dims, s), grad_out = map(DType::kFloat, out_dims, s);
      fill(in, random_);
      fill(grad_out, random_);
      const std::vector<double> x = in.values(), g = grad_out.values();
      std::vector<double> y(g.size()), dx(x.size());
      const int64_t H = in_dims[2], W = in_dims[3];
      for (size_t i = 0; i < g.size(); ++i) {
        const int64_t flat = static_cast<int64_t>(i), a = flat / ow % oh, b = flat % ow;
        const auto h0 = static_cast<int64_t>(std::floor(static_cast<double>(a * H) / oh));
        const auto h1 = static_cast<int64_t>(std::ceil(static_cast<double>((a + 1) * H) / oh));
        const auto w0 = static_cast<int64_t>(std::floor(static_cast<double>(b * W) / ow));
        const auto w1 = static_cast<int64_t>(std::ceil(static_cast<double>((b + 1) * W) / ow));
        const double size = static_cast<double>((h1 - h0) * (w1 - w0));
        for (int64_t h = h0; h < h1; ++h) {
          for (int64_t w = w0; w < w1; ++w) {
            const int64_t j = (flat / (oh * ow) * H + h) * W + w;
            y[i] += x[j] / size;
            dx[j] += g[i] / size;
          }
        }
      }
      base::SerialWorkers workers;
      run(AdaptiveAvgPool2d{in.view, out.view}, workers);
      expect_close(out, y, 1e-6, "averages of " + base::to_string(in.view));
      run(AdaptiveAvgPool2dBackward{grad_out.view, grad_in.view}, workers);
      expect_close(grad_in, dx, 1e-6, "gradient of " + base::to_string(in.view));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Isa, PoolTest, testing::ValuesIn(available_isas()), isa_name);

}  // namespace
}  // namespace npu::davinci::test
