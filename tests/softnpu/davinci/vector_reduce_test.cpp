// SPDX-License-Identifier: Apache-2.0
// Reductions against double references over every layout, accuracy on long sums, and independence
// of the number of threads.
#include "tests/softnpu/davinci/vector_test_util.h"

namespace npu::davinci::test {
namespace {

class VectorReduce : public VectorTest {};

Dims reduced_shape(const Dims& dims, uint32_t mask) {
  Dims out = dims;
  for (size_t d = 0; d < dims.size(); ++d) {
    if ((mask >> d & 1) != 0) out[d] = 1;
  }
  return out;
}

// The elements of each result, in row-major order.
std::vector<std::vector<double>> groups(const Tensor& in, uint32_t mask) {
  const Dims dims(in.view.dims.begin(), in.view.dims.begin() + in.view.rank);
  Tensor shape(DType::kInt8, reduced_shape(dims, mask));
  std::vector<std::vector<double>> found(static_cast<size_t>(shape.numel()));
  for (int64_t flat = 0; flat < in.numel(); ++flat) {
    int64_t rest = flat, result = 0, scale = 1;
    for (int d = in.view.rank - 1; d >= 0; --d) {
      const int64_t index = rest % dims[static_cast<size_t>(d)];
      rest /= dims[static_cast<size_t>(d)];
      if ((mask >> d & 1) == 0) {
        result += index * scale;
        scale *= dims[static_cast<size_t>(d)];
      }
    }
    found[static_cast<size_t>(result)].push_back(value_of(in, flat));
  }
  return found;
}

double reference(ReduceOp op, const std::vector<double>& v, double parameter) {
  double sum = 0, squares = 0, product = 1, norm = 0, sizes = 0, nonzero = 0;
  for (double x : v) {
    sum += x;
    product *= x;
    sizes += std::fabs(x);
    nonzero += x != 0;
    norm += std::pow(std::fabs(x), parameter);
  }
  const auto n = static_cast<double>(v.size());
  for (double x : v) squares += (x - sum / n) * (x - sum / n);
  size_t most = 0, least = 0;
  for (size_t i = 1; i < v.size(); ++i) {
    if (v[i] > v[most] || (std::isnan(v[i]) && !std::isnan(v[most]))) most = i;
    if (v[i] < v[least] || (std::isnan(v[i]) && !std::isnan(v[least]))) least = i;
  }
  switch (op) {
    case ReduceOp::kSum:
      return sum;
    case ReduceOp::kMean:
      return sum / n;
    case ReduceOp::kProd:
      return product;
    case ReduceOp::kMax:
      return v.empty() ? 0 : v[most];
    case ReduceOp::kMin:
      return v.empty() ? 0 : v[least];
    case ReduceOp::kArgMax:
      return static_cast<double>(most);
    case ReduceOp::kArgMin:
      return static_cast<double>(least);
    case ReduceOp::kAny:
      return nonzero > 0;
    case ReduceOp::kAll:
      return nonzero == n;
    case ReduceOp::kVar:
      return squares / (n - parameter);
    case ReduceOp::kStd:
      return std::sqrt(squares / (n - parameter));
    case ReduceOp::kNorm:
      return std::pow(norm, 1 / parameter);
    case ReduceOp::kL1Norm:
      return sizes;
    default:
      return nonzero;
  }
}

DType result_type(ReduceOp op, DType in) {
  switch (op) {
    case ReduceOp::kArgMax:
    case ReduceOp::kArgMin:
    case ReduceOp::kCountNonzero:
      return DType::kInt64;
    case ReduceOp::kAny:
    case ReduceOp::kAll:
      return DType::kBool;
    case ReduceOp::kSum:
    case ReduceOp::kProd:
      return base::is_floating(in) ? in : DType::kInt64;
    default:
      return in;
  }
}

void check(const Tensor& in, ReduceOp op, uint32_t mask, double parameter, double tolerance) {
  const Dims dims(in.view.dims.begin(), in.view.dims.begin() + in.view.rank);
  Tensor out(result_type(op, in.view.dtype), reduced_shape(dims, mask));
  Reduce command;
  command.op = op;
  command.in = in.view;
  command.out = out.view;
  command.reduced_dims = mask;
  command.parameter = parameter;
  ThreadWorkers workers(2);
  run(command, workers);
  const auto elements = groups(in, mask);
  for (size_t i = 0; i < elements.size(); ++i) {
    // Sums are judged by the sum of magnitudes, as any summation's error is.
    double largest = 1, magnitudes = 0;
    for (double x : elements[i]) {
      largest = std::max(largest, std::fabs(x));
      magnitudes += std::fabs(x);
    }
    const double size = op == ReduceOp::kSum ? std::max(largest, magnitudes) : largest;
    const double want = reference(op, elements[i], parameter);
    const double got = value_of(out, static_cast<int64_t>(i));
    if (same(got, want)) continue;
    const double allowed =
        tolerance * std::max(size, std::fabs(want)) + epsilon_of(out.view.dtype) * std::fabs(want);
    ASSERT_LE(std::fabs(got - want), allowed)
        << "operator " << static_cast<int>(op) << " over " << base::to_string(in.view) << " mask "
        << mask << " result " << i << ": " << got << " for " << want;
  }
}

TEST_P(VectorReduce, EveryOperatorOverEveryLayout) {
  Generator random(21);
  const std::vector<Dims> shapes = {
      {},        {1},        {9},         {3000},         {5, 7},
      {300, 40}, {40, 1300}, {3, 5, 600}, {4, 16, 3, 33}, {2, 3, 2, 2, 2}};
  for (const Dims& dims : shapes) {
    for (uint32_t mask = 0; mask < (1u << dims.size()); mask += 1 + (dims.size() > 3)) {
      for (int layout = 0; layout < 2; ++layout) {
        Dims order(dims.size());
        std::iota(order.begin(), order.end(), 0);
        if (layout == 1) std::shuffle(order.begin(), order.end(), random);
        const Tensor floats = random_tensor(DType::kFloat, dims, random, order, layout);
        for (ReduceOp op : {ReduceOp::kSum, ReduceOp::kMean, ReduceOp::kMax, ReduceOp::kMin,
                            ReduceOp::kArgMax, ReduceOp::kArgMin, ReduceOp::kL1Norm, ReduceOp::kAny,
                            ReduceOp::kAll, ReduceOp::kCountNonzero}) {
          check(floats, op, mask, 0, 2e-7);
        }
        check(floats, ReduceOp::kNorm, mask, 2, 1e-6);
        check(floats, ReduceOp::kNorm, mask, 3, 1e-6);
        if (floats.numel() > 40 && mask + 1 == (1u << dims.size())) {
          check(floats, ReduceOp::kVar, mask, 1, 1e-6);
          check(floats, ReduceOp::kStd, mask, 0, 1e-6);
        }
        const Tensor integers = random_tensor(DType::kInt32, dims, random, order, layout);
        for (ReduceOp op : {ReduceOp::kSum, ReduceOp::kMax, ReduceOp::kArgMin, ReduceOp::kAll}) {
          check(integers, op, mask, 0, 0);
        }
        check(random_tensor(DType::kHalf, dims, random, order, layout), ReduceOp::kSum, mask, 0,
              2e-7);
        check(random_tensor(DType::kBool, dims, random, order, layout), ReduceOp::kAny, mask, 0, 0);
      }
    }
  }
}

TEST_P(VectorReduce, ProductsOfFloatsAndIntegers) {
  Generator random(3);
  Tensor floats(DType::kFloat, {3, 50});
  for (int64_t i = 0; i < floats.numel(); ++i) {
    floats.set(i, 1 + 0.1 * static_cast<double>(pick(random, -3, 3)));
  }
  check(floats, ReduceOp::kProd, 2, 0, 1e-5);
  check(tensor_of(DType::kInt64, {5}, {1, -2, 3, 4, -5}), ReduceOp::kProd, 1, 0, 0);
  check(tensor_of(DType::kFloat, {4}, {1e30, 1e30, 1e-30, 1e-30}), ReduceOp::kProd, 1, 0, 1e-6);
}

TEST_P(VectorReduce, TenMillionElementsKeepTheirDigits) {
  constexpr int64_t kCount = 10'000'000;
  Generator random(8);
  std::uniform_real_distribution<float> uniform(0, 1);
  Tensor in(DType::kFloat, {kCount});
  double sum = 0, squares = 0;
  for (int64_t i = 0; i < kCount; ++i) {
    const float x = uniform(random) + 100;  // a mean far from 0 spoils careless variances
    in.view.as<float>()[i] = x;
    sum += x;
  }
  const double mean = sum / kCount;
  for (int64_t i = 0; i < kCount; ++i) {
    squares += (in.view.as<float>()[i] - mean) * (in.view.as<float>()[i] - mean);
  }
  ThreadWorkers workers(2);
  const auto result = [&](ReduceOp op) {
    Tensor out(DType::kFloat, {1});
    Reduce command;
    command.op = op;
    command.in = in.view;
    command.out = out.view;
    command.reduced_dims = 1;
    command.parameter = 1;
    run(command, workers);
    return out.get(0);
  };
  EXPECT_LE(ulps(result(ReduceOp::kSum), sum, DType::kFloat), 1);
  EXPECT_LE(ulps(result(ReduceOp::kMean), mean, DType::kFloat), 1);
  EXPECT_NEAR(result(ReduceOp::kVar), squares / (kCount - 1), 1e-6 * squares / kCount);
}

TEST_P(VectorReduce, NanWinsAndTheFirstOfEqualsIsNamed) {
  const Tensor in = tensor_of(
      DType::kFloat, {3, 6},
      {1, 5, 5, 2, -1, -1, 1, NAN, 7, NAN, -3, 0, -INFINITY, INFINITY, INFINITY, -INFINITY, 0, 1});
  for (bool largest : {true, false}) {
    Tensor values(DType::kFloat, {3, 1}), indices(DType::kInt64, {3, 1});
    Reduce command;
    command.op = largest ? ReduceOp::kMax : ReduceOp::kMin;
    command.in = in.view;
    command.out = values.view;
    command.indices = indices.view;
    command.reduced_dims = 2;
    run_serial(command);
    expect_equal(
        values,
        largest ? std::vector<double>{5, NAN, INFINITY} : std::vector<double>{-1, NAN, -INFINITY},
        "values");
    expect_equal(indices, largest ? std::vector<double>{1, 1, 1} : std::vector<double>{4, 1, 0},
                 "indices");
  }
}

TEST_P(VectorReduce, EmptyInputsHaveNeutralResults) {
  const struct {
    ReduceOp op;
    double want;
  } rows[] = {{ReduceOp::kSum, 0},  {ReduceOp::kProd, 1},        {ReduceOp::kMean, NAN},
              {ReduceOp::kAny, 0},  {ReduceOp::kAll, 1},         {ReduceOp::kVar, NAN},
              {ReduceOp::kNorm, 0}, {ReduceOp::kCountNonzero, 0}};
  for (const auto& row : rows) {
    const Tensor in(DType::kFloat, {2, 0});
    Tensor out(result_type(row.op, DType::kFloat), {2, 1});
    Reduce command;
    command.op = row.op;
    command.in = in.view;
    command.out = out.view;
    command.reduced_dims = 2;
    command.parameter = 2;
    run_serial(command);
    expect_equal(out, {row.want, row.want}, "operator " + std::to_string(static_cast<int>(row.op)));
  }
  const Tensor one = tensor_of(DType::kFloat, {1}, {3});
  Tensor out(DType::kFloat, {1});
  Reduce variance;
  variance.op = ReduceOp::kVar;
  variance.in = one.view;
  variance.out = out.view;
  variance.reduced_dims = 1;
  variance.parameter = 1;
  run_serial(variance);
  EXPECT_TRUE(std::isnan(out.get(0)));
}

TEST_P(VectorReduce, ThreadsNeverShow) {
  Generator random(6);
  const Tensor flat = random_tensor(DType::kFloat, {200'003}, random);
  const Tensor matrix = random_tensor(DType::kFloat, {5000, 70}, random);
  for (ReduceOp op : {ReduceOp::kSum, ReduceOp::kVar, ReduceOp::kProd, ReduceOp::kNorm,
                      ReduceOp::kArgMax, ReduceOp::kMean}) {
    for (const Tensor* in : {&flat, &matrix}) {
      const auto make = [&] {
        const Dims dims(in->view.dims.begin(), in->view.dims.begin() + in->view.rank);
        auto out = std::make_shared<Tensor>(result_type(op, DType::kFloat), reduced_shape(dims, 1));
        Reduce command;
        command.op = op;
        command.in = in->view;
        command.out = out->view;
        command.reduced_dims = 1;
        command.parameter = 2;
        return std::pair(command, std::vector{out});
      };
      expect_independent_of_threads(make, "operator " + std::to_string(static_cast<int>(op)));
    }
  }
}

NPU_EVERY_ISA(VectorReduce);

}  // namespace
}  // namespace npu::davinci::test
