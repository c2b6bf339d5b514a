// SPDX-License-Identifier: Apache-2.0
// Indexing, gathering, scattering, embeddings, concatenation, triangles, ranges and sorting, each
// against a few straightforward lines.
#include "softnpu/base/error.h"
#include "tests/softnpu/davinci/vector_test_util.h"

namespace npu::davinci::test {
namespace {

class VectorIndex : public VectorTest {};

Tensor index_tensor(const Dims& dims, int64_t low, int64_t high, Generator& random,
                    DType dtype = DType::kInt64) {
  Tensor t(dtype, dims);
  for (int64_t i = 0; i < t.numel(); ++i)
    set_value(t, i, static_cast<double>(pick(random, low, high)));
  return t;
}

int64_t flat_of(const Dims& dims, const Dims& index) {
  int64_t flat = 0;
  for (size_t d = 0; d < dims.size(); ++d) flat = flat * dims[d] + index[d];
  return flat;
}
Dims index_of(const Dims& dims, int64_t flat) {
  Dims index(dims.size());
  for (size_t d = dims.size(); d-- > 0;) {
    index[d] = flat % dims[d];
    flat /= dims[d];
  }
  return index;
}

template <class Command>
std::string message_of(const Command& command) {
  try {
    run_serial(command);
  } catch (const base::Error& e) {
    return e.what();
  }
  return "no error";
}

TEST_P(VectorIndex, IndexSelectAlongEveryDimension) {
  Generator random(41);
  const Dims dims = {5, 6, 70};
  for (int dim = 0; dim < 3; ++dim) {
    for (DType dtype : {DType::kFloat, DType::kHalf, DType::kBool, DType::kDouble}) {
      const Tensor in = random_tensor(dtype, dims, random, {2, 0, 1});
      const int64_t count = 9;
      const Tensor index = index_tensor({count}, 0, dims[static_cast<size_t>(dim)] - 1, random,
                                        dim == 1 ? DType::kInt32 : DType::kInt64);
      Dims out_dims = dims;
      out_dims[static_cast<size_t>(dim)] = count;
      Tensor out(dtype, out_dims);
      ThreadWorkers workers(2);
      run(IndexSelect{in.view, index.view, out.view, dim}, workers);
      for (int64_t i = 0; i < out.numel(); ++i) {
        Dims at = index_of(out_dims, i);
        at[static_cast<size_t>(dim)] =
            static_cast<int64_t>(value_of(index, at[static_cast<size_t>(dim)]));
        ASSERT_EQ(value_of(out, i), value_of(in, flat_of(dims, at)));
      }
    }
  }
  const Tensor in = random_tensor(DType::kFloat, {4, 3}, random);
  Tensor out(DType::kFloat, {2, 3});
  const Tensor bad = tensor_of(DType::kInt64, {2}, {1, 4});
  const std::string text = message_of(IndexSelect{in.view, bad.view, out.view, 0});
  EXPECT_NE(text.find("index 4 at position 1 is out of bounds"), std::string::npos) << text;
}

// Which dimensions are indexed; the index tensors have shape [2, 3].
TEST_P(VectorIndex, AdvancedIndexingReadsAndWrites) {
  Generator random(42);
  const Dims dims = {4, 5, 6, 7};
  for (uint32_t mask = 1; mask < 16; ++mask) {
    Dims indexed, sliced;
    bool adjacent = true;
    std::vector<Tensor> owned;
    std::vector<TensorView> indices;
    for (int d = 0; d < 4; ++d) {
      if ((mask >> d & 1) == 0) {
        sliced.push_back(d);
        indices.push_back({});
        continue;
      }
      if (!indexed.empty() && indexed.back() != d - 1) adjacent = false;
      indexed.push_back(d);
      const int64_t size = dims[static_cast<size_t>(d)];
      owned.push_back(index_tensor({2, 3}, -size, size - 1, random));
      indices.push_back(owned.back().view);
    }
    while (!indices.back().defined()) indices.pop_back();
    const size_t at = adjacent ? static_cast<size_t>(indexed[0]) : 0;
    Dims out_dims;
    for (int64_t d : sliced) out_dims.push_back(dims[static_cast<size_t>(d)]);
    out_dims.insert(out_dims.begin() + static_cast<int64_t>(at), {2, 3});
    // Where an element of the result comes from.
    const auto source = [&](int64_t flat) {
      const Dims o = index_of(out_dims, flat);
      Dims s(4);
      for (size_t k = 0; k < sliced.size(); ++k) {
        s[static_cast<size_t>(sliced[k])] = o[k < at ? k : k + 2];
      }
      for (size_t k = 0; k < indexed.size(); ++k) {
        auto v = static_cast<int64_t>(value_of(owned[k], o[at] * 3 + o[at + 1]));
        const auto d = static_cast<size_t>(indexed[k]);
        s[d] = v < 0 ? v + dims[d] : v;
      }
      return flat_of(dims, s);
    };
    const Tensor in = random_tensor(DType::kFloat, dims, random, {3, 1, 0, 2});
    Tensor out(DType::kFloat, out_dims);
    run_serial(Index{in.view, indices, out.view});
    for (int64_t i = 0; i < out.numel(); ++i) ASSERT_EQ(out.get(i), in.get(source(i))) << mask;

    for (bool accumulate : {false, true}) {
      Tensor self = random_tensor(DType::kInt32, dims, random);
      const Tensor values = random_tensor(DType::kInt32, out_dims, random);
      std::vector<double> want = values_of(self);
      for (int64_t i = 0; i < values.numel(); ++i) {
        double& w = want[static_cast<size_t>(source(i))];
        w = values.get(i) + (accumulate ? w : 0);
      }
      ThreadWorkers workers(3);
      run(IndexPut{self.view, indices, values.view, accumulate}, workers);
      expect_equal(self, want, "mask " + std::to_string(mask));
    }
  }
}

TEST_P(VectorIndex, IndexPutAccumulatesTheSameWayOnAnyThreads) {
  Generator random(43);
  const Tensor start = random_tensor(DType::kFloat, {50, 30}, random);
  const Tensor values = random_tensor(DType::kFloat, {4000, 30}, random);
  const Tensor index = index_tensor({4000}, 0, 49, random);
  const auto make = [&] {
    auto self = std::make_shared<Tensor>(start);
    return std::pair(IndexPut{self->view, {index.view}, values.view, true}, std::vector{self});
  };
  expect_independent_of_threads(make, "index_put");
  const Tensor bad = tensor_of(DType::kInt64, {1}, {-51});
  const Tensor row = random_tensor(DType::kFloat, {1, 30}, random);
  Tensor self = start;
  const std::string text = message_of(IndexPut{self.view, {bad.view}, row.view, true});
  EXPECT_NE(text.find("index -51"), std::string::npos) << text;
}

TEST_P(VectorIndex, GatherAndScatterAlongEveryDimension) {
  Generator random(44);
  const Dims dims = {5, 40, 6}, index_dims = {4, 33, 5};
  for (int dim = 0; dim < 3; ++dim) {
    const auto d = static_cast<size_t>(dim);
    const Tensor index = index_tensor(index_dims, 0, dims[d] - 1, random);
    const auto far = [&](int64_t flat) {
      Dims at = index_of(index_dims, flat);
      at[d] = static_cast<int64_t>(value_of(index, flat));
      return flat_of(dims, at);
    };
    const Tensor in = random_tensor(DType::kFloat, dims, random, {1, 2, 0});
    Tensor out(DType::kFloat, index_dims);
    ThreadWorkers workers(3);
    run(Gather{in.view, index.view, out.view, dim}, workers);
    for (int64_t i = 0; i < out.numel(); ++i) ASSERT_EQ(out.get(i), in.get(far(i)));

    const Tensor src = random_tensor(DType::kInt64, dims, random);  // larger than the index
    for (ScatterOp op : {ScatterOp::kSet, ScatterOp::kAdd, ScatterOp::kMultiply}) {
      for (bool scalar : {false, true}) {
        Tensor self = random_tensor(DType::kInt64, dims, random);
        std::vector<double> want = values_of(self);
        for (int64_t i = 0; i < index.numel(); ++i) {
          double& w = want[static_cast<size_t>(far(i))];
          const double s = scalar ? 2 : src.get(flat_of(dims, index_of(index_dims, i)));
          w = op == ScatterOp::kSet ? s : op == ScatterOp::kAdd ? w + s : w * s;
          // Products of many factors wrap; keep the reference exact by wrapping as well.
          if (std::fabs(w) >= 0x1p53) w = NAN;
        }
        Scatter command{self.view, index.view, {}, base::Scalar::of_int(2), dim, op};
        if (!scalar) command.src = src.view;
        run(command, workers);
        for (int64_t i = 0; i < self.numel(); ++i) {
          if (std::isnan(want[static_cast<size_t>(i)])) continue;
          ASSERT_EQ(self.get(i), want[static_cast<size_t>(i)]) << "dim " << dim << " at " << i;
        }
      }
    }
  }
  const Tensor in = random_tensor(DType::kFloat, {3}, random);
  const Tensor bad = tensor_of(DType::kInt64, {2}, {0, 3});
  Tensor out(DType::kFloat, {2});
  EXPECT_NE(message_of(Gather{in.view, bad.view, out.view, 0}).find("index 3"), std::string::npos);
}

TEST_P(VectorIndex, EmbeddingGradientsSumByRow) {
  Generator random(45);
  for (DType dtype : {DType::kFloat, DType::kHalf}) {
    for (bool scaled : {false, true}) {
      const Dims index_dims = {7, 30};
      const Tensor index = index_tensor(index_dims, 0, 10, random, DType::kInt32);
      const Tensor grad = random_tensor(dtype, {7, 30, 600}, random);
      Tensor weight_grad(dtype, {12, 600});
      ThreadWorkers workers(3);
      run(EmbeddingBackward{grad.view, index.view, weight_grad.view, 3, scaled}, workers);
      std::vector<double> want(12 * 600), counts(12);
      for (int64_t i = 0; i < index.numel(); ++i) counts[static_cast<size_t>(value_of(index, i))]++;
      for (int64_t i = 0; i < index.numel(); ++i) {
        const auto row = static_cast<size_t>(value_of(index, i));
        if (row == 3) continue;
        for (size_t j = 0; j < 600; ++j) {
          want[row * 600 + j] +=
              grad.get(i * 600 + static_cast<int64_t>(j)) / (scaled ? counts[row] : 1);
        }
      }
      expect_close(weight_grad, want, 1e-6, "embedding");
    }
  }
}

TEST_P(VectorIndex, CatConvertsAndSkipsEmptyParts) {
  Generator random(46);
  for (int dim = 0; dim < 3; ++dim) {
    std::vector<Tensor> parts;
    Dims out_dims = {4, 5, 66};
    out_dims[static_cast<size_t>(dim)] = 0;
    for (int64_t length : {3, 1, 0, 8}) {
      Dims dims = {4, 5, 66};
      dims[static_cast<size_t>(dim)] = length;
      parts.push_back(
          random_tensor(length == 1 ? DType::kInt32 : DType::kFloat, dims, random, {1, 0, 2}));
      out_dims[static_cast<size_t>(dim)] += length;
    }
    Tensor out(DType::kFloat, out_dims);
    Cat cat;
    for (const Tensor& p : parts) cat.parts.push_back(p.view);
    cat.parts.push_back(Tensor(DType::kFloat, {0}).view);
    cat.out = out.view;
    cat.dim = dim;
    run_serial(cat);
    int64_t begin = 0;
    for (const Tensor& p : parts) {
      const Dims dims(p.view.dims.begin(), p.view.dims.begin() + 3);
      for (int64_t i = 0; i < p.numel(); ++i) {
        Dims at = index_of(dims, i);
        at[static_cast<size_t>(dim)] += begin;
        ASSERT_EQ(out.get(flat_of(out_dims, at)), p.get(i));
      }
      begin += p.view.dims[dim];
    }
  }
}

TEST_P(VectorIndex, TrianglesAndRanges) {
  Generator random(47);
  const Dims dims = {2, 5, 8};
  const Tensor in = random_tensor(DType::kFloat, dims, random, {0, 2, 1});
  for (int64_t diagonal : {-6, -1, 0, 2, 9}) {
    for (bool upper : {false, true}) {
      Tensor out(DType::kFloat, dims);
      run_serial(Triangle{in.view, out.view, diagonal, upper});
      for (int64_t i = 0; i < out.numel(); ++i) {
        const Dims at = index_of(dims, i);
        const bool kept = upper ? at[2] - at[1] >= diagonal : at[2] - at[1] <= diagonal;
        ASSERT_EQ(out.get(i), kept ? in.get(i) : 0) << diagonal << " " << upper << " " << i;
      }
    }
  }
  Tensor reals(DType::kFloat, {1000}), integers(DType::kInt16, {700});
  run_serial(Arange{reals.view, base::Scalar::of(-1.5), base::Scalar::of(0.1)});
  run_serial(Arange{integers.view, base::Scalar::of_int(9), base::Scalar::of_int(-3)});
  for (int64_t i = 0; i < 1000; ++i) {
    ASSERT_EQ(reals.get(i), static_cast<float>(-1.5 + static_cast<double>(i) * 0.1));
  }
  for (int64_t i = 0; i < 700; ++i) ASSERT_EQ(integers.get(i), 9 - 3 * i);
}

bool before(double a, double b, bool descending) {
  if (std::isnan(a) || std::isnan(b)) {
    return descending ? std::isnan(a) && !std::isnan(b) : !std::isnan(a) && std::isnan(b);
  }
  return descending ? a > b : a < b;
}

TEST_P(VectorIndex, SortIsStableAndPutsNanLast) {
  Generator random(48);
  for (DType dtype : {DType::kFloat, DType::kDouble, DType::kHalf, DType::kInt64, DType::kInt8,
                      DType::kUInt8, DType::kBool}) {
    for (int64_t n : {1, 7, 300, 3000}) {
      Tensor in(dtype, {3, n}, {1, 0});
      for (int64_t i = 0; i < in.numel(); ++i) {
        double x = static_cast<double>(pick(random, dtype == DType::kUInt8 ? 0 : -40, 40));
        if (base::is_floating(dtype)) {
          if (x == 7) x = NAN;
          if (x == 9) x = -0.0;
          if (x == 11) x = -INFINITY;
        }
        set_value(in, i, x);
      }
      for (bool descending : {false, true}) {
        Tensor values(dtype, {3, n}), indices(DType::kInt64, {3, n});
        ThreadWorkers workers(2);
        run(Sort{in.view, values.view, indices.view, 1, descending}, workers);
        const int64_t k = (n + 1) / 2;
        Tensor top(dtype, {3, k}), top_indices(DType::kInt64, {3, k});
        run(TopK{in.view, top.view, top_indices.view, 1, k, descending}, workers);
        for (int64_t row = 0; row < 3; ++row) {
          std::vector<int64_t> order(static_cast<size_t>(n));
          std::iota(order.begin(), order.end(), 0);
          std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
            return before(value_of(in, row * n + a), value_of(in, row * n + b), descending);
          });
          for (int64_t i = 0; i < n; ++i) {
            const int64_t want = order[static_cast<size_t>(i)];
            ASSERT_EQ(indices.get(row * n + i), want) << base::name_of(dtype) << " " << n;
            ASSERT_TRUE(same(value_of(values, row * n + i), value_of(in, row * n + want)));
            if (i < k) {
              ASSERT_EQ(top_indices.get(row * k + i), want);
              ASSERT_TRUE(same(value_of(top, row * k + i), value_of(in, row * n + want)));
            }
          }
        }
      }
    }
  }
}

NPU_EVERY_ISA(VectorIndex);

}  // namespace
}  // namespace npu::davinci::test
