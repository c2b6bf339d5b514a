// SPDX-License-Identifier: Apache-2.0
#include "softnpu/davinci/commands.h"
#include "tests/softnpu/davinci/cube_test_util.h"

namespace npu::davinci::test {
namespace {

struct Case {
  int64_t batch, m, n, k;
};

std::vector<double> reference(const Matmul& command, const Tensor& a, const Tensor& b,
                              const Tensor* c) {
  const int64_t batches = command.out.dims[0], m = command.out.dims[1], n = command.out.dims[2];
  const int64_t k = a.view.dims[2];
  const std::vector<double> av = a.values(), bv = b.values();
  std::vector<double> out(batches * m * n);
  for (int64_t s = 0; s < batches; ++s) {
    const int64_t sa = a.view.dims[0] == 1 ? 0 : s, sb = b.view.dims[0] == 1 ? 0 : s;
    for (int64_t i = 0; i < m; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        double sum = 0;
        for (int64_t x = 0; x < k; ++x) {
          sum += av[(sa * m + i) * k + x] * bv[(sb * k + x) * n + j];
        }
        double& o = out[(s * m + i) * n + j];
        o = command.alpha * sum;
        if (c != nullptr && command.beta != 0) {
          const TensorView& v = c->view;
          const int64_t ci = v.dims[1] == 1 ? 0 : i, cj = v.dims[2] == 1 ? 0 : j;
          const int64_t cs = v.dims[0] == 1 ? 0 : s;
          o += command.beta * c->get((cs * v.dims[1] + ci) * v.dims[2] + cj);
        }
      }
    }
  }
  return out;
}

class MatmulTest : public CubeTest {
 protected:
  void check(const Case& s, DType dtype, Generator& random, bool fancy) {
    const auto order = [&] { return fancy && pick(random, 0, 1) ? Dims{0, 2, 1} : Dims{0, 1, 2}; };
    const auto gap = [&] { return fancy ? pick(random, 0, 3) : 0; };
    Tensor a(dtype, {fancy && pick(random, 0, 2) == 0 ? 1 : s.batch, s.m, s.k}, order(), gap());
    Tensor b(dtype, {fancy && pick(random, 0, 2) == 0 ? 1 : s.batch, s.k, s.n}, order(), gap());
    Tensor out(dtype, {s.batch, s.m, s.n}, order(), gap());
    Tensor c;
    Matmul command;
    if (fancy) {
      const int64_t kind = pick(random, 0, 4);
      if (kind == 1) c = Tensor(dtype, {1, 1, s.n});
      if (kind == 2) c = Tensor(dtype, {1, s.m, 1});
      if (kind == 3) c = Tensor(dtype, {s.batch, s.m, s.n}, order());
      command.alpha = pick(random, 0, 1) ? 1 : base::is_floating(dtype) ? 0.5 : 2;
      command.beta = kind == 0 ? 0 : pick(random, 0, 1) ? 1 : base::is_floating(dtype) ? -1.5 : 3;
    }
    fill(a, random);
    fill(b, random);
    if (c.view.defined()) fill(c, random);
    command.a = a.view;
    command.b = b.view;
    command.c = c.view;
    command.out = out.view;
    const std::vector<double> want = reference(command, a, b, c.view.defined() ? &c : nullptr);
    ThreadWorkers workers(static_cast<int>(pick(random, 1, 3)));
    execute(command, workers);
    expect_close(out, want, base::is_floating(dtype) && dtype != DType::kDouble ? 4e-6 : 1e-13,
                 base::to_string(a.view) + " @ " + base::to_string(b.view));
  }
};

TEST_P(MatmulTest, MatchesFloat64OnRandomShapesStridesAndBatches) {
  Generator random(1);
  for (DType dtype : {DType::kFloat, DType::kHalf, DType::kBFloat16}) {
    for (int i = 0; i < 60; ++i) {
      check({pick(random, 1, 3), pick(random, 1, 70), pick(random, 1, 90), pick(random, 1, 80)},
            dtype, random, true);
    }
  }
}

TEST_P(MatmulTest, MatchesFloat64WhereTilesPanelsAndDepthBlocksEnd) {
  Generator random(2);
  for (const Case& s : std::vector<Case>{{1, 250, 33, 257},
                                         {1, 241, 300, 40},
                                         {1, 9, 289, 1030},
                                         {1, 48, 32, 513},
                                         {2, 64, 64, 64},
                                         {1, 128, 10, 512}}) {
    for (int i = 0; i < 3; ++i) check(s, DType::kFloat, random, i > 0);
  }
}

TEST_P(MatmulTest, MatchesFloat64ForVectorsAndFewRows) {
  Generator random(3);
  for (const Case& s : std::vector<Case>{{1, 1, 300, 70},
                                         {1, 300, 1, 70},
                                         {1, 1, 1, 5000},
                                         {3, 1, 1, 9},
                                         {1, 4, 270, 4500},
                                         {1, 2, 3, 1}}) {
    for (DType dtype : {DType::kFloat, DType::kBFloat16}) {
      for (int i = 0; i < 6; ++i) check(s, dtype, random, i > 0);
    }
  }
}

TEST_P(MatmulTest, ComputesDoubleAndIntegersExactly) {
  Generator random(4);
  for (DType dtype : {DType::kDouble, DType::kInt64, DType::kInt32, DType::kInt16}) {
    for (int i = 0; i < 10; ++i) {
      check({pick(random, 1, 3), pick(random, 1, 40), pick(random, 1, 40), pick(random, 1, 300)},
            dtype, random, true);
    }
  }
}

TEST_P(MatmulTest, EmptyDepthGivesBetaTimesC) {
  Tensor a(DType::kFloat, {1, 3, 0}), b(DType::kFloat, {1, 0, 40}), out(DType::kFloat, {1, 3, 40});
  Tensor c(DType::kFloat, {1, 3, 40});
  Generator random(5);
  fill(c, random);
  base::SerialWorkers workers;
  execute(Matmul{a.view, b.view, c.view, out.view, 1, 2}, workers);
  std::vector<double> want = c.values();
  for (double& w : want) w *= 2;
  expect_close(out, want, 0, "beta * c");
  execute(Matmul{a.view, b.view, {}, out.view, 1, 0}, workers);
  expect_close(out, std::vector<double>(120, 0.0), 0, "nothing");
}

TEST_P(MatmulTest, EmptyOutputDoesNothing) {
  Tensor a(DType::kFloat, {1, 0, 4}), b(DType::kFloat, {1, 4, 5}), out(DType::kFloat, {1, 0, 5});
  base::SerialWorkers workers;
  execute(Matmul{a.view, b.view, {}, out.view, 1, 0}, workers);
}

TEST_P(MatmulTest, AccumulatesIntoItsOwnAddend) {
  Generator random(6);
  Tensor a(DType::kFloat, {1, 50, 600}), b(DType::kFloat, {1, 600, 96});
  Tensor out(DType::kFloat, {1, 50, 96});
  for (Tensor* t : {&a, &b, &out}) fill(*t, random);
  const Matmul command{a.view, b.view, out.view, out.view, 1, 0.25};
  const std::vector<double> want = reference(command, a, b, &out);
  ThreadWorkers workers(2);
  execute(command, workers);
  expect_close(out, want, 4e-6, "out = a @ b + out / 4");
}

TEST_P(MatmulTest, ResultDoesNotDependOnTheNumberOfWorkers) {
  Generator random(7);
  Tensor a(DType::kFloat, {1, 300, 700}), b(DType::kFloat, {1, 700, 130});
  fill(a, random);
  fill(b, random);
  std::vector<std::vector<double>> results;
  for (int size : {1, 2, 5}) {
    Tensor out(DType::kFloat, {1, 300, 130});
    ThreadWorkers workers(size);
    execute(Matmul{a.view, b.view, {}, out.view, 1, 0}, workers);
    results.push_back(out.values());
  }
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0], results[2]);
}

INSTANTIATE_TEST_SUITE_P(Isa, MatmulTest, testing::ValuesIn(available_isas()), isa_name);

}  // namespace
}  // namespace npu::davinci::test
