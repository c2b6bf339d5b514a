// SPDX-License-Identifier: Apache-2.0
// Softmax, layer norm, cumulative sums and NLL loss against double references.
#include "softnpu/base/error.h"
#include "tests/softnpu/davinci/vector_test_util.h"

namespace npu::davinci::test {
namespace {

class VectorLines : public VectorTest {};

// f(values of one line) -> new values, along dim, in row-major order of the tensor.
std::vector<double> along(const Tensor& t, int dim,
                          const std::function<void(std::vector<double>&)>& f) {
  std::vector<double> all = values_of(t);
  if (t.view.rank == 0) {
    f(all);
    return all;
  }
  int64_t inner = 1;
  for (int d = dim + 1; d < t.view.rank; ++d) inner *= t.view.dims[d];
  const int64_t n = t.view.dims[dim];
  for (int64_t start = 0; start < t.numel(); ++start) {
    if (start / inner % n != 0) continue;
    std::vector<double> line(static_cast<size_t>(n));
    for (int64_t i = 0; i < n; ++i)
      line[static_cast<size_t>(i)] = all[static_cast<size_t>(start + i * inner)];
    f(line);
    for (int64_t i = 0; i < n; ++i)
      all[static_cast<size_t>(start + i * inner)] = line[static_cast<size_t>(i)];
  }
  return all;
}

void softmax_line(std::vector<double>& v, bool log) {
  double top = -INFINITY, sum = 0;
  for (double x : v) top = std::max(top, x);
  for (double x : v) sum += std::exp(x - top);
  for (double& x : v) x = log ? x - top - std::log(sum) : std::exp(x - top) / sum;
}

struct Layout {
  Dims dims, order;
  int dim;
};
const Layout kLayouts[] = {{{7, 10}, {0, 1}, 1},
                           {{7, 10}, {0, 1}, 0},
                           {{4, 1501}, {0, 1}, 1},
                           {{1501, 4}, {0, 1}, 0},
                           {{2, 21, 5, 6}, {0, 1, 2, 3}, 1},
                           {{2, 21, 5, 6}, {0, 2, 3, 1}, 1},
                           {{3, 1}, {1, 0}, 1},
                           {{}, {}, 0},
                           {{0, 4}, {0, 1}, 1}};

TEST_P(VectorLines, SoftmaxAndItsLogarithm) {
  Generator random(31);
  for (const Layout& l : kLayouts) {
    for (DType dtype : {DType::kFloat, DType::kHalf, DType::kDouble}) {
      for (bool log : {false, true}) {
        const Tensor in = random_tensor(dtype, l.dims, random, l.order, dtype == DType::kHalf);
        Tensor out(dtype, l.dims);
        ThreadWorkers workers(2);
        run(Softmax{in.view, out.view, l.dim, log}, workers);
        const auto want = along(in, l.dim, [&](auto& v) { softmax_line(v, log); });
        expect_close(out, want, dtype == DType::kDouble ? 1e-14 : 4e-7, base::to_string(in.view));
      }
    }
  }
}

TEST_P(VectorLines, SoftmaxOfHugeAndInfiniteValues) {
  const Tensor in =
      tensor_of(DType::kFloat, {3, 3}, {1e30, 1e30, -1e30, -INFINITY, 0, -INFINITY, NAN, 1, 2});
  Tensor out(DType::kFloat, {3, 3});
  run_serial(Softmax{in.view, out.view, 1, false});
  expect_equal(out, {0.5, 0.5, 0, 0, 1, 0, NAN, NAN, NAN}, "softmax");
}

TEST_P(VectorLines, SoftmaxBackward) {
  Generator random(32);
  for (const Layout& l : kLayouts) {
    for (bool log : {false, true}) {
      const Tensor in = random_tensor(DType::kFloat, l.dims, random);
      const Tensor grad = random_tensor(DType::kFloat, l.dims, random, l.order);
      Tensor out(DType::kFloat, l.dims, l.order), grad_in(DType::kFloat, l.dims);
      run_serial(Softmax{in.view, out.view, l.dim, log});
      run_serial(SoftmaxBackward{grad.view, out.view, grad_in.view, l.dim, log});
      // Both tensors' lines, one after the other.
      const std::vector<double> y = values_of(out), g = values_of(grad);
      std::vector<double> dot = y;
      for (size_t i = 0; i < y.size(); ++i) dot[i] = log ? g[i] : g[i] * y[i];
      Tensor products = tensor_of(DType::kDouble, l.dims, dot);
      const auto sums = along(products, l.dim, [](auto& v) {
        const double sum = std::accumulate(v.begin(), v.end(), 0.0);
        std::fill(v.begin(), v.end(), sum);
      });
      std::vector<double> want(y.size());
      for (size_t i = 0; i < y.size(); ++i) {
        want[i] = log ? g[i] - std::exp(y[i]) * sums[i] : (g[i] - sums[i]) * y[i];
      }
      expect_close(grad_in, want, 1e-6, base::to_string(grad.view));
    }
  }
}

TEST_P(VectorLines, CumulativeSums) {
  Generator random(33);
  for (const Layout& l : kLayouts) {
    for (DType dtype : {DType::kFloat, DType::kInt64, DType::kHalf}) {
      const Tensor in = random_tensor(dtype, l.dims, random, l.order);
      Tensor out(dtype, l.dims);
      run_serial(Cumsum{in.view, out.view, l.dim});
      const auto want =
          along(in, l.dim, [](auto& v) { std::partial_sum(v.begin(), v.end(), v.begin()); });
      expect_close(out, want, 1e-7, base::to_string(in.view));
    }
  }
}

struct NormTensors {
  Tensor in, weight, bias, out, mean, rstd, grad, grad_in, grad_weight, grad_bias;
};

void check_layer_norm(DType dtype, int64_t lines, int64_t length, const Dims& order, bool affine,
                      double tolerance) {
  Generator random(34);
  const Dims dims = {lines, length};
  const DType statistics = dtype == DType::kDouble ? DType::kDouble : DType::kFloat;
  NormTensors t;
  t.in = random_tensor(dtype, dims, random, order);
  for (int64_t i = 0; i < t.in.numel(); ++i) t.in.set(i, t.in.get(i) + 3);
  t.weight = random_tensor(dtype, {length}, random);
  t.bias = random_tensor(dtype, {length}, random);
  t.grad = random_tensor(dtype, dims, random);
  t.out = t.grad_in = Tensor(dtype, dims);
  t.grad_weight = t.grad_bias = Tensor(dtype, {length});
  t.mean = t.rstd = Tensor(statistics, {lines, 1});
  LayerNorm forward{t.in.view, {}, {}, t.out.view, t.mean.view, t.rstd.view, 1, 1e-5};
  LayerNormBackward backward{
      t.grad.view,      t.in.view, t.mean.view, t.rstd.view, {}, t.grad_in.view, t.grad_weight.view,
      t.grad_bias.view, 1};
  if (affine) {
    forward.weight = backward.weight = t.weight.view;
    forward.bias = t.bias.view;
  }
  ThreadWorkers workers(3);
  run(forward, workers);
  run(backward, workers);
  const auto n = static_cast<double>(length);
  std::vector<double> out(static_cast<size_t>(lines * length)), grad_in = out;
  std::vector<double> grad_weight(static_cast<size_t>(length)), grad_bias = grad_weight;
  for (int64_t l = 0; l < lines; ++l) {
    double mean = 0, variance = 0, a = 0, b = 0;
    for (int64_t i = 0; i < length; ++i) mean += t.in.get(l * length + i) / n;
    for (int64_t i = 0; i < length; ++i)
      variance += std::pow(t.in.get(l * length + i) - mean, 2) / n;
    const double rstd = 1 / std::sqrt(variance + 1e-5);
    EXPECT_NEAR(t.mean.get(l), mean, 1e-6 * (1 + std::fabs(mean)));
    EXPECT_NEAR(t.rstd.get(l), rstd, 2e-6 * rstd);
    const auto w = [&](int64_t i) { return affine ? t.weight.get(i) : 1.0; };
    const auto x = [&](int64_t i) { return (t.in.get(l * length + i) - mean) * rstd; };
    for (int64_t i = 0; i < length; ++i) {
      const double g = t.grad.get(l * length + i);
      out[static_cast<size_t>(l * length + i)] = x(i) * w(i) + (affine ? t.bias.get(i) : 0);
      a += g * w(i) / n;
      b += g * w(i) * x(i) / n;
      grad_weight[static_cast<size_t>(i)] += g * x(i);
      grad_bias[static_cast<size_t>(i)] += g;
    }
    for (int64_t i = 0; i < length; ++i) {
      const double g = t.grad.get(l * length + i) * w(i);
      grad_in[static_cast<size_t>(l * length + i)] = (g - a - x(i) * b) * rstd;
    }
  }
  expect_close(t.out, out, tolerance, "out");
  expect_close(t.grad_in, grad_in, tolerance, "grad_in");
  expect_close(t.grad_weight, grad_weight, tolerance, "grad_weight");
  expect_close(t.grad_bias, grad_bias, tolerance, "grad_bias");
}

TEST_P(VectorLines, LayerNormAndItsGradients) {
  for (bool affine : {true, false}) {
    check_layer_norm(DType::kFloat, 5, 7, {0, 1}, affine, 2e-6);
    check_layer_norm(DType::kFloat, 130, 768, {0, 1}, affine, 2e-6);
    check_layer_norm(DType::kFloat, 6, 1025, {1, 0}, affine, 2e-6);
    check_layer_norm(DType::kDouble, 9, 33, {0, 1}, affine, 1e-13);
    check_layer_norm(DType::kHalf, 17, 100, {0, 1}, affine, 2e-3);
  }
}

struct NllTensors {
  Tensor in, target, weight;
};
NllTensors nll_tensors(const Dims& dims, DType target_type, bool last) {
  Generator random(35);
  NllTensors t;
  Dims order(dims.size());
  std::iota(order.begin(), order.end(), 0);
  if (last) std::swap(order[1], order.back());
  t.in = random_tensor(DType::kFloat, dims, random, order);
  Dims target_dims = dims;
  target_dims.erase(target_dims.begin() + 1);
  t.target = Tensor(target_type, target_dims);
  for (int64_t i = 0; i < t.target.numel(); ++i) {
    const int64_t value = pick(random, 0, dims[1] - 1);
    set_value(t.target, i, i % 5 == 0 ? 2 : static_cast<double>(value));
  }
  t.weight = random_tensor(DType::kFloat, {dims[1]}, random);
  return t;
}

TEST_P(VectorLines, NllLossAndItsGradient) {
  for (const Dims& dims : {Dims{9, 4}, Dims{3, 5, 6, 7}, Dims{9001, 3}}) {
    for (int reduction = 0; reduction < 3; ++reduction) {
      for (bool weighted : {false, true}) {
        const NllTensors t = nll_tensors(dims, weighted ? DType::kUInt8 : DType::kInt64, weighted);
        const auto kind = static_cast<Reduction>(reduction);
        const int64_t count = t.target.numel(), classes = dims[1];
        int64_t inner = 1;
        for (size_t d = 2; d < dims.size(); ++d) inner *= dims[d];
        const Dims out_dims =
            kind == Reduction::kNone
                ? Dims(t.target.view.dims.begin(), t.target.view.dims.begin() + t.target.view.rank)
                : Dims{};
        Tensor out(DType::kFloat, out_dims), total(DType::kFloat, {}),
            grad(DType::kFloat, out_dims);
        Tensor grad_in(DType::kFloat, dims);
        for (int64_t i = 0; i < grad.numel(); ++i) grad.set(i, 0.5 + static_cast<double>(i % 3));
        NllLoss forward{t.in.view, t.target.view, {}, out.view, total.view, kind, 2};
        NllLossBackward backward{grad.view, t.target.view, {}, total.view, grad_in.view, kind, 2};
        if (weighted) forward.weight = backward.weight = t.weight.view;
        ThreadWorkers workers(2);
        run(forward, workers);
        run(backward, workers);
        double loss = 0, weights = 0;
        std::vector<double> each(static_cast<size_t>(count));
        std::vector<double> want_grad(static_cast<size_t>(t.in.numel()));
        const auto w = [&](int64_t c) { return weighted ? t.weight.get(c) : 1.0; };
        for (int64_t i = 0; i < count; ++i) {
          const auto c = static_cast<int64_t>(value_of(t.target, i));
          if (c == 2) continue;
          each[static_cast<size_t>(i)] =
              -w(c) * t.in.get((i / inner * classes + c) * inner + i % inner);
          loss += each[static_cast<size_t>(i)];
          weights += w(c);
        }
        for (int64_t i = 0; i < count; ++i) {
          const auto c = static_cast<int64_t>(value_of(t.target, i));
          if (c == 2) continue;
          const double g = kind == Reduction::kNone   ? grad.get(i)
                           : kind == Reduction::kMean ? grad.get(0) / weights
                                                      : grad.get(0);
          want_grad[static_cast<size_t>((i / inner * classes + c) * inner + i % inner)] = -w(c) * g;
        }
        if (kind != Reduction::kNone) each = {kind == Reduction::kMean ? loss / weights : loss};
        expect_close(out, each, 1e-6, "loss");
        expect_close(grad_in, want_grad, 1e-6, "gradient");
        if (kind != Reduction::kNone) {
          EXPECT_NEAR(total.get(0), weights, 1e-5 * std::fabs(weights));
        }
      }
    }
  }
}

TEST_P(VectorLines, NllLossNamesTheBadTarget) {
  NllTensors t = nll_tensors({6, 4}, DType::kInt64, false);
  set_value(t.target, 3, 4);
  Tensor out(DType::kFloat, {}), total(DType::kFloat, {});
  try {
    run_serial(NllLoss{t.in.view, t.target.view, {}, out.view, total.view});
    FAIL() << "accepted a target outside the classes";
  } catch (const base::Error& e) {
    const std::string text = e.what();
    EXPECT_NE(text.find("index 4"), std::string::npos) << text;
    EXPECT_NE(text.find("position 3"), std::string::npos) << text;
    EXPECT_NE(text.find("size 4"), std::string::npos) << text;
  }
}

TEST_P(VectorLines, ThreadsNeverShow) {
  Generator random(36);
  const Tensor in = random_tensor(DType::kFloat, {501, 333}, random);
  const Tensor grad = random_tensor(DType::kFloat, {501, 333}, random);
  Tensor mean(DType::kFloat, {501, 1}), rstd(DType::kFloat, {501, 1}),
      out(DType::kFloat, {501, 333});
  run_serial(LayerNorm{in.view, {}, {}, out.view, mean.view, rstd.view, 1, 1e-5});
  const auto make = [&] {
    auto grad_in = std::make_shared<Tensor>(DType::kFloat, Dims{501, 333});
    auto weight = std::make_shared<Tensor>(DType::kFloat, Dims{333});
    auto bias = std::make_shared<Tensor>(DType::kFloat, Dims{333});
    return std::pair(LayerNormBackward{grad.view,
                                       in.view,
                                       mean.view,
                                       rstd.view,
                                       {},
                                       grad_in->view,
                                       weight->view,
                                       bias->view,
                                       1},
                     std::vector{grad_in, weight, bias});
  };
  expect_independent_of_threads(make, "layer norm backward");
  const auto soft = [&] {
    auto result = std::make_shared<Tensor>(DType::kFloat, Dims{501, 333});
    return std::pair(Softmax{in.view, result->view, 0, false}, std::vector{result});
  };
  expect_independent_of_threads(soft, "softmax");
}

NPU_EVERY_ISA(VectorLines);

}  // namespace
}  // namespace npu::davinci::test
