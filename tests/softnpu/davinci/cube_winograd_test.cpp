// SPDX-License-Identifier: Apache-2.0
#include "softnpu/davinci/commands.h"
#include "softnpu/davinci/convolution_plan.h"
#include "softnpu/davinci/convolution_winograd.h"
#include "tests/softnpu/davinci/cube_test_util.h"

namespace npu::davinci::test {
namespace {

/// A 3x3 convolution with padding 1 of random numbers and its three results, summed one product
/// after another in Sum.
struct Convolution3x3 {
  int64_t batch, channels, outputs, height, width;
  Tensor in, weight, grad_out;

  Convolution3x3(int64_t n, int64_t c, int64_t o, int64_t h, int64_t w, Generator& random)
      : batch(n),
        channels(c),
        outputs(o),
        height(h),
        width(w),
        in(DType::kFloat, {n, c, 1, h, w}),
        weight(DType::kFloat, {o, c, 1, 3, 3}),
        grad_out(DType::kFloat, {n, o, 1, h, w}) {
    fill(in, random);
    fill(weight, random, 0, 0.1);
    fill(grad_out, random);
  }

  template <class Sum>
  std::array<std::vector<double>, 3> results() const {
    const std::vector<double> x = in.values(), w = weight.values(), g = grad_out.values();
    std::vector<Sum> y(g.size()), gx(x.size()), gw(w.size());
    for (size_t i = 0; i < g.size(); ++i) {
      const int64_t flat = static_cast<int64_t>(i), plane = height * width;
      const int64_t o = flat / plane % outputs, n = flat / plane / outputs;
      const int64_t h0 = flat / width % height - 1, w0 = flat % width - 1;
      for (int64_t c = 0; c < channels; ++c) {
        for (int64_t tap = 0; tap < 9; ++tap) {
          const int64_t ih = h0 + tap / 3, iw = w0 + tap % 3;
          if (ih < 0 || ih >= height || iw < 0 || iw >= width) continue;
          const int64_t j = ((n * channels + c) * height + ih) * width + iw;
          const int64_t k = (o * channels + c) * 9 + tap;
          y[i] += static_cast<Sum>(x[j]) * static_cast<Sum>(w[k]);
          gx[j] += static_cast<Sum>(g[i]) * static_cast<Sum>(w[k]);
          gw[k] += static_cast<Sum>(g[i]) * static_cast<Sum>(x[j]);
        }
      }
    }
    return {std::vector<double>(y.begin(), y.end()), std::vector<double>(gx.begin(), gx.end()),
            std::vector<double>(gw.begin(), gw.end())};
  }
};

ConvolutionShape padded() {
  ConvolutionShape shape;
  shape.padding = {0, 1, 1};
  return shape;
}

double largest_error(const std::vector<double>& got, const std::vector<double>& want) {
  double error = 0;
  for (size_t i = 0; i < want.size(); ++i) error = std::max(error, std::fabs(got[i] - want[i]));
  return error;
}

class WinogradTest : public CubeTest {};

TEST_P(WinogradTest, ErrorAgainstFloat64IsNoLargerThanDirectFloat32Sums) {
  Generator random(51);
  for (const auto& [n, c, o, h, w] :
       std::vector<std::array<int64_t, 5>>{{8, 64, 48, 12, 12}, {4, 16, 32, 21, 16}}) {
    const Convolution3x3 problem(n, c, o, h, w, random);
    ASSERT_TRUE(conv::is_winograd(
        conv::problem_of(problem.in.view, problem.weight.view, problem.grad_out.view, padded())));
    Tensor out(DType::kFloat, {n, o, 1, h, w}), grad_in(DType::kFloat, {n, c, 1, h, w});
    Tensor grad_weight(DType::kFloat, {o, c, 1, 3, 3});
    ThreadWorkers workers(2);
    execute(Convolution{problem.in.view, problem.weight.view, {}, out.view, padded()}, workers);
    execute(ConvolutionBackward{problem.grad_out.view,
                                problem.in.view,
                                problem.weight.view,
                                grad_in.view,
                                grad_weight.view,
                                {},
                                padded()},
            workers);
    const auto exact = problem.results<double>(), direct = problem.results<float>();
    EXPECT_LE(largest_error(out.values(), exact[0]), largest_error(direct[0], exact[0]));
    EXPECT_LE(largest_error(grad_in.values(), exact[1]), largest_error(direct[1], exact[1]));
    EXPECT_LE(largest_error(grad_weight.values(), exact[2]), largest_error(direct[2], exact[2]));
  }
}

INSTANTIATE_TEST_SUITE_P(Isa, WinogradTest, testing::ValuesIn(available_isas()), isa_name);

}  // namespace
}  // namespace npu::davinci::test
