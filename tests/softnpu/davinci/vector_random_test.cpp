// SPDX-License-Identifier: Apache-2.0
// Philox against Random123's published answers, the mapping from counters to elements, the
// distributions' moments and bounds, and dropout.
#include "softnpu/davinci/kernel_table.h"
#include "tests/softnpu/davinci/vector_test_util.h"

namespace npu::davinci::test {
namespace {

class VectorRandom : public VectorTest {};

using Four = std::array<uint32_t, 4>;

// Philox4x32-10 as the paper writes it.
Four philox_reference(Four c, uint32_t k0, uint32_t k1) {
  for (int round = 0; round < 10; ++round) {
    const uint64_t a = 0xD2511F53ull * c[0], b = 0xCD9E8D57ull * c[2];
    c = {static_cast<uint32_t>(b >> 32) ^ c[1] ^ k0, static_cast<uint32_t>(b),
         static_cast<uint32_t>(a >> 32) ^ c[3] ^ k1, static_cast<uint32_t>(a)};
    k0 += 0x9E3779B9;
    k1 += 0xBB67AE85;
  }
  return c;
}

TEST(PhiloxReference, GivesTheKnownAnswersOfRandom123) {
  constexpr uint32_t kOnes = 0xffffffff;
  EXPECT_EQ(philox_reference({0, 0, 0, 0}, 0, 0),
            (Four{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox_reference({kOnes, kOnes, kOnes, kOnes}, kOnes, kOnes),
            (Four{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(
      philox_reference({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, 0xa4093822, 0x299f31d0),
      (Four{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST_P(VectorRandom, KernelMatchesTheReferenceAtEveryCounter) {
  for (uint64_t seed : {0ull, 1ull, 0xa409382229f31d0cull}) {
    for (uint64_t first : {0ull, 5ull, 0xfffffffdull, 0x123456789abcdefull}) {
      for (int64_t counters : {1, 2, 7, 8, 9, 33}) {
        std::vector<uint32_t> got(static_cast<size_t>(4 * counters) + 1, 0xabcd);
        kernels().philox(got.data(), seed, first, counters);
        for (int64_t i = 0; i < counters; ++i) {
          const uint64_t counter = first + static_cast<uint64_t>(i);
          const Four want = philox_reference(
              {static_cast<uint32_t>(counter), static_cast<uint32_t>(counter >> 32), 0, 0},
              static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32));
          for (size_t w = 0; w < 4; ++w) {
            ASSERT_EQ(got[static_cast<size_t>(4 * i) + w], want[w]) << counter << " word " << w;
          }
        }
        ASSERT_EQ(got.back(), 0xabcdu);
      }
    }
  }
}

Random command_for(RandomOp op, const Tensor& out, double a, double b) {
  Random command;
  command.op = op;
  command.out = out.view;
  command.a = a;
  command.b = b;
  command.seed = 2024;
  command.offset = 77;
  return command;
}

TEST_P(VectorRandom, UniformUsesTheTopBitsOfItsOwnCounter) {
  Tensor out(DType::kFloat, {3, 401}, {1, 0});
  ThreadWorkers workers(3);
  run(command_for(RandomOp::kUniform, out, 0, 1), workers);
  for (int64_t i = 0; i < out.numel(); ++i) {
    const Four words = philox_reference({static_cast<uint32_t>(77 + i / 4), 0, 0, 0}, 2024, 0);
    ASSERT_EQ(out.get(i), std::ldexp(words[static_cast<size_t>(i % 4)] >> 8, -24)) << i;
  }
}

struct Moments {
  double mean = 0, variance = 0, least = INFINITY, most = -INFINITY;
};
Moments moments_of(const Tensor& t) {
  Moments m;
  const auto n = static_cast<double>(t.numel());
  for (int64_t i = 0; i < t.numel(); ++i) {
    const double x = value_of(t, i);
    m.mean += x / n;
    m.least = std::min(m.least, x);
    m.most = std::max(m.most, x);
  }
  for (int64_t i = 0; i < t.numel(); ++i) m.variance += std::pow(value_of(t, i) - m.mean, 2) / n;
  return m;
}

constexpr int64_t kCount = 200'001;

TEST_P(VectorRandom, DistributionsHaveTheirMomentsAndBounds) {
  ThreadWorkers workers(2);
  const double error = 5 / std::sqrt(static_cast<double>(kCount));  // five deviations
  for (DType dtype : {DType::kFloat, DType::kDouble, DType::kHalf, DType::kBFloat16}) {
    const double coarse = dtype == DType::kBFloat16 ? 4e-3 : dtype == DType::kHalf ? 5e-4 : 0;
    Tensor t(dtype, {kCount});
    run(command_for(RandomOp::kUniform, t, -2, 3), workers);
    Moments m = moments_of(t);
    EXPECT_NEAR(m.mean, 0.5, 1.45 * error + 5 * coarse) << base::name_of(dtype);
    EXPECT_NEAR(m.variance, 25.0 / 12, 3 * error + 5 * coarse);
    EXPECT_GE(m.least, -2);
    EXPECT_LT(m.most, 3);
    run(command_for(RandomOp::kUniform, t, 0, 1), workers);
    EXPECT_LT(moments_of(t).most, 1) << base::name_of(dtype);
    run(command_for(RandomOp::kNormal, t, 1, 2), workers);
    m = moments_of(t);
    EXPECT_NEAR(m.mean, 1, 2 * error + coarse) << base::name_of(dtype);
    EXPECT_NEAR(m.variance, 4, 6 * error + coarse);
    EXPECT_GT(m.most, 1 + 2 * 3.8);
    EXPECT_LT(m.least, 1 - 2 * 3.8);
    run(command_for(RandomOp::kExponential, t, 0.5, 0), workers);
    m = moments_of(t);
    EXPECT_NEAR(m.mean, 2, 2 * error + coarse) << base::name_of(dtype);
    EXPECT_NEAR(m.variance, 4, 12 * error + 4 * coarse);
    EXPECT_GT(m.least, 0);
  }
}

TEST_P(VectorRandom, NormalsFillTheBell) {
  Tensor t(DType::kFloat, {kCount});
  run_serial(command_for(RandomOp::kNormal, t, 0, 1));
  for (double limit : {-2.0, -1.0, 0.0, 0.5, 1.5}) {
    double below = 0;
    for (int64_t i = 0; i < kCount; ++i) below += t.get(i) < limit;
    EXPECT_NEAR(below / kCount, 0.5 * std::erfc(-limit / std::sqrt(2.0)), 0.006) << limit;
  }
  // Neighbours come from one pair: they must not be correlated.
  double product = 0;
  for (int64_t i = 0; i + 1 < kCount; i += 2) product += t.get(i) * t.get(i + 1);
  EXPECT_NEAR(product / (kCount / 2), 0, 0.016);
}

TEST_P(VectorRandom, IntegersAndBernoulli) {
  Tensor t(DType::kInt64, {kCount});
  Random integers = command_for(RandomOp::kRandomInt, t, 0, 0);
  integers.int_a = -3;
  integers.int_b = 4;
  run_serial(integers);
  Moments m = moments_of(t);
  EXPECT_EQ(m.least, -3);
  EXPECT_EQ(m.most, 3);
  EXPECT_NEAR(m.variance, 4, 0.06);
  integers.int_a = std::numeric_limits<int64_t>::min();
  integers.int_b = std::numeric_limits<int64_t>::max();
  run_serial(integers);
  int64_t ones = 0;
  for (int64_t i = 0; i < kCount; ++i) ones += __builtin_popcountll(t.view.as<uint64_t>()[i]);
  EXPECT_NEAR(static_cast<double>(ones) / kCount, 32, 0.1);

  Tensor flags(DType::kBool, {kCount});
  run_serial(command_for(RandomOp::kBernoulli, flags, 0.3, 0));
  EXPECT_NEAR(moments_of(flags).mean, 0.3, 0.006);
  run_serial(command_for(RandomOp::kBernoulli, flags, 1, 0));
  EXPECT_EQ(moments_of(flags).least, 1);
  run_serial(command_for(RandomOp::kBernoulli, flags, 0, 0));
  EXPECT_EQ(moments_of(flags).most, 0);
  Tensor each(DType::kFloat, {kCount});
  for (int64_t i = 0; i < kCount; ++i) each.set(i, i % 2 == 0 ? 0 : 0.8);
  Random by_element = command_for(RandomOp::kBernoulli, flags, 0, 0);
  by_element.probability = each.view;
  run_serial(by_element);
  for (int64_t i = 0; i < kCount; i += 2) ASSERT_EQ(value_of(flags, i), 0);
  EXPECT_NEAR(moments_of(flags).mean, 0.4, 0.006);
}

TEST_P(VectorRandom, SeedsAndOffsetsSelectTheStream) {
  Tensor a(DType::kFloat, {1024}), b(DType::kFloat, {1024}), c(DType::kFloat, {1024});
  run_serial(command_for(RandomOp::kUniform, a, 0, 1));
  Random shifted = command_for(RandomOp::kUniform, b, 0, 1);
  shifted.offset += 1;
  run_serial(shifted);
  for (int64_t i = 0; i + 4 < 1024; ++i) ASSERT_EQ(b.get(i), a.get(i + 4));
  Random other = command_for(RandomOp::kUniform, c, 0, 1);
  other.seed += 1ull << 32;
  run_serial(other);
  int equal = 0;
  for (int64_t i = 0; i < 1024; ++i) equal += c.get(i) == a.get(i);
  EXPECT_LT(equal, 3);
}

TEST_P(VectorRandom, DropoutKeepsScalesAndDrops) {
  Generator random(51);
  for (DType dtype : {DType::kFloat, DType::kHalf, DType::kDouble}) {
    for (const Dims& order : {Dims{0, 1}, Dims{1, 0}}) {
      const Tensor in = random_tensor(dtype, {37, 1001}, random, order);
      Tensor out(dtype, {37, 1001}), mask(DType::kUInt8, {(37 * 1001 + 7) / 8});
      Random make_mask = command_for(RandomOp::kDropoutMask, mask, 0.25, 0);
      make_mask.count = 37 * 1001;
      ThreadWorkers workers(3);
      run(make_mask, workers);
      run(DropoutApply{in.view, mask.view, out.view, 0.25}, workers);
      double kept = 0;
      for (int64_t i = 0; i < in.numel(); ++i) {
        const bool keep = (mask.view.as<uint8_t>()[i / 8] >> (i % 8) & 1) != 0;
        const Four words = philox_reference({static_cast<uint32_t>(77 + i / 4), 0, 0, 0}, 2024, 0);
        ASSERT_EQ(keep, words[static_cast<size_t>(i % 4)] < 0xC0000000u) << i;
        kept += keep;
        const double want = keep ? in.get(i) * (1 / 0.75) : 0;
        ASSERT_LE(ulps(out.get(i), want, dtype), 1) << i;
      }
      EXPECT_NEAR(kept / static_cast<double>(in.numel()), 0.75, 0.012);
    }
  }
  const Tensor in = tensor_of(DType::kFloat, {16}, std::vector<double>(16, INFINITY));
  Tensor out(DType::kFloat, {16}), mask(DType::kUInt8, {2});
  for (double p : {0.0, 1.0}) {
    Random make_mask = command_for(RandomOp::kDropoutMask, mask, p, 0);
    make_mask.count = 16;
    run_serial(make_mask);
    run_serial(DropoutApply{in.view, mask.view, out.view, p});
    expect_equal(out, std::vector<double>(16, p == 0 ? INFINITY : 0), "p " + std::to_string(p));
  }
}

TEST_P(VectorRandom, PermutationsHoldEveryNumberOnce) {
  for (int64_t n : {0, 1, 2, 9, 1000, 5001}) {
    Tensor out(DType::kInt32, {n});
    run_serial(RandomPermutation{out.view, 5, 6});
    std::vector<double> sorted = values_of(out), want(sorted.size());
    std::sort(sorted.begin(), sorted.end());
    std::iota(want.begin(), want.end(), 0.0);
    EXPECT_EQ(sorted, want);
    if (n >= 1000) {
      int64_t fixed = 0;
      for (int64_t i = 0; i < n; ++i) fixed += out.get(i) == static_cast<double>(i);
      EXPECT_LT(fixed, 8);
    }
  }
}

TEST_P(VectorRandom, ThreadsNeverShow) {
  for (RandomOp op : {RandomOp::kUniform, RandomOp::kNormal, RandomOp::kExponential}) {
    const auto make = [&] {
      auto out = std::make_shared<Tensor>(DType::kFloat, Dims{123'457});
      return std::pair(command_for(op, *out, 0.5, 1), std::vector{out});
    };
    expect_independent_of_threads(make, "random");
  }
}

TEST(Random, NumbersDoNotDependOnTheInstructionSet) {
  std::vector<double> first;
  const Isa before = current_isa();
  for (Isa isa : available_isas()) {
    set_isa_for_test(isa);
    Tensor out(DType::kFloat, {5000});
    run_serial(command_for(RandomOp::kUniform, out, 0, 1));
    if (first.empty()) first = values_of(out);
    EXPECT_EQ(values_of(out), first) << name_of(isa);
  }
  set_isa_for_test(before);
}

TEST(IsaChoice, TheCurrentOneIsAvailableAndNamed) {
  const auto& found = available_isas();
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.front(), Isa::kBaseline);
  EXPECT_NE(std::find(found.begin(), found.end(), current_isa()), found.end());
  EXPECT_STREQ(name_of(Isa::kAvx2), "avx2");
}

NPU_EVERY_ISA(VectorRandom);

}  // namespace
}  // namespace npu::davinci::test
