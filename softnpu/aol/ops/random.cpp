// SPDX-License-Identifier: Apache-2.0
// Random numbers and dropout. seed and offset name a place in the Philox sequence: the same
// ones give the same numbers.
#include <limits>

#include "aclnnop/activation.h"
#include "aclnnop/random.h"
#include "softnpu/aol/build/elementwise.h"
#include "softnpu/davinci/multinomial.h"

namespace npu::ge {

void visit(davinci::Multinomial& c, auto v) { v.read(c.weights), v.write(c.out); }

}  // namespace npu::ge

namespace npu::aol {
namespace {

using davinci::Random;
using davinci::RandomOp;

Random command_for(RandomOp op, const TensorView& out, int64_t seed, int64_t offset) {
  expect_native(out, "selfRef");
  expect_distinct_elements(out, "selfRef");
  Random command;
  command.op = op;
  command.out = out;
  command.seed = static_cast<uint64_t>(seed);
  command.offset = static_cast<uint64_t>(offset);
  return command;
}

Plan unless_empty(Random command) {
  if (command.out.numel() == 0) return {};
  return command;
}

void expect_probability(double p, const char* role) {
  expect(p >= 0 && p <= 1, role, " is ", p, "; a probability is in [0, 1]");
}

Plan bernoulli(const aclTensor* self, double p, const TensorView& each, int64_t seed,
               int64_t offset) {
  Random command = command_for(RandomOp::kBernoulli, view(self, "selfRef"), seed, offset);
  if (each.defined()) {
    expect_floating(each, "prob");
    command.probability = expand(each, Shape::of(command.out), "prob");
    expect_no_overlap(command.out, "selfRef", command.probability, "prob");
  } else {
    expect_probability(p, "prob");
    command.a = p;
  }
  return unless_empty(std::move(command));
}

Plan normal(const aclTensor* out, double mean, double std, int64_t seed, int64_t offset) {
  Random command = command_for(RandomOp::kNormal, view(out, "out"), seed, offset);
  expect_floating(command.out, "out");
  expect(std >= 0, "std is ", std, "; it must not be negative");
  command.a = mean, command.b = std;
  return unless_empty(std::move(command));
}

/// mean + std * N(0, 1)
Plan normal_of(const Input& mean, const Input& std, int64_t seed, int64_t offset,
               const aclTensor* out) {
  const TensorView to = view(out, "out");
  Plan plan = normal(out, 0, 1, seed, offset);
  const Input inputs[] = {mean, std, {to, "out"}};
  if (!plan.empty())
    add(plan, make_elementwise(VectorOp::kAddcmul, inputs, to, Rule::kSame, {Scalar::of(1)}));
  return plan;
}

Plan uniform(const aclTensor* self, double from, double to, uint64_t seed, uint64_t offset) {
  Random command = command_for(RandomOp::kUniform, view(self, "selfRef"),
                               static_cast<int64_t>(seed), static_cast<int64_t>(offset));
  expect_floating(command.out, "selfRef");
  expect(from <= to, "from is ", from, " and to is ", to, "; from must not be larger");
  command.a = from, command.b = to;
  return unless_empty(std::move(command));
}

Plan random_int(const aclTensor* self, int64_t from, int64_t to, int64_t seed, int64_t offset) {
  Random command = command_for(RandomOp::kRandomInt, view(self, "selfRef"), seed, offset);
  expect(from < to, "from is ", from, " and to is ", to, "; from must be smaller");
  command.int_a = from, command.int_b = to;
  return unless_empty(std::move(command));
}

/// One more than the largest integer up to which the type holds all, as PyTorch's random_().
int64_t past_largest(DType dtype) {
  switch (dtype) {
    case DType::kBool:
      return 2;
    case DType::kUInt8:
      return 256;
    case DType::kInt8:
      return 128;
    case DType::kInt16:
      return 1 << 15;
    case DType::kInt32:
      return int64_t{1} << 31;
    case DType::kHalf:
      return (1 << 11) + 1;
    case DType::kBFloat16:
      return (1 << 8) + 1;
    case DType::kFloat:
      return (1 << 24) + 1;
    case DType::kDouble:
      return (int64_t{1} << 53) + 1;
    default:
      return std::numeric_limits<int64_t>::max();
  }
}

Plan multinomial(const aclTensor* self, int64_t samples, bool replacement, int64_t seed,
                 int64_t offset, const aclTensor* out) {
  TensorView weights = view(self, "self"), to = view(out, "out");
  expect_floating(weights, "self");
  expect_rank(weights, 1, 2, "self");
  expect_type(to, {DType::kInt64}, "out");
  expect_distinct_elements(to, "out");
  Shape shape = Shape::of(weights);
  shape.dims[shape.rank - 1] = samples;
  expect(samples > 0, "numsamples is ", samples, "; it must be positive");
  expect(replacement || samples <= weights.dims[weights.rank - 1], "numsamples is ", samples,
         "; self has only ", weights.dims[weights.rank - 1],
         " categories, which is not enough without replacement");
  expect_shape(to, shape, "out");
  if (to.numel() == 0) return {};
  expect(weights.numel() != 0, "self is ", base::to_string(weights), "; it has no categories");
  if (weights.rank == 1) weights = insert_dim(weights, 0), to = insert_dim(to, 0);
  return davinci::Multinomial{weights, to, replacement, static_cast<uint64_t>(seed),
                              static_cast<uint64_t>(offset)};
}

/// Leaky ReLU; training draws each slope and keeps it in `noise` (1 where self is positive).
Plan rrelu(const aclTensor* self, const aclTensor* noise, const Scalar& lower, const Scalar& upper,
           bool training, int64_t seed, int64_t offset, const aclTensor* out,
           const char* out_role) {
  const TensorView in = view(self, "self"), to = view(out, out_role);
  expect_floating(in, "self");
  expect_same_type(in, "self", to, out_role);
  expect(lower.f <= upper.f, "lower is ", lower.f, " and upper is ", upper.f,
         "; lower must not be larger");
  Plan plan;
  if (!training) {
    add(plan, make_elementwise(VectorOp::kLeakyRelu, {in}, to, Rule::kSame,
                               {Scalar::of((lower.f + upper.f) / 2)}));
    return plan;
  }
  const TensorView slopes = view(noise, "noise");
  expect_same_type(in, "self", slopes, "noise");
  expect_shape(slopes, Shape::of(in), "noise");
  expect_distinct_elements(slopes, "noise");
  if (in.numel() == 0) return plan;
  const TensorView drawn = plan.temporary(working_type(in.dtype), in);
  const TensorView negative = plan.temporary(DType::kBool, in);
  Random command = command_for(RandomOp::kUniform, drawn, seed, offset);
  command.a = lower.f, command.b = upper.f;
  plan.then(std::move(command));
  add(plan, make_elementwise(VectorOp::kLe, {in, Scalar::of_int(0)}, negative, Rule::kTruth));
  add(plan, make_elementwise(VectorOp::kWhere, {negative, drawn, Scalar::of_int(1)}, slopes,
                             Rule::kSame));
  add(plan, make_elementwise(VectorOp::kMul, {in, slopes}, to, Rule::kSame));
  return plan;
}

int64_t product(std::span<const int64_t> dims) {
  int64_t count = 1;
  for (const int64_t dim : dims) {
    expect(dim >= 0, "shape has the negative value ", dim);
    count *= dim;
  }
  return count;
}

void expect_bits(const TensorView& bits, int64_t count, const char* role) {
  expect_type(bits, {DType::kUInt8, DType::kInt8, DType::kBool, DType::kUInt1}, role);
  expect(bits.is_contiguous(), role, " must be contiguous");
  const int64_t held = bits.numel() * (bits.dtype == DType::kUInt1 ? 1 : 8);
  expect(held >= count, role, " is ", base::to_string(bits), "; it must hold ", count, " bits");
}

Plan dropout_mask(int64_t count, double p, int64_t seed, int64_t offset, const TensorView& out) {
  expect_probability(p, "prob");
  expect_bits(out, count, "out");
  Random command = command_for(RandomOp::kDropoutMask, out, seed, offset);
  command.out.dtype = DType::kUInt8;
  command.a = p;
  command.count = count;
  if (count == 0) return {};
  return command;
}

davinci::DropoutApply apply_command(const TensorView& in, const TensorView& mask, double p,
                                    const TensorView& out) {
  expect_floating(in, "self");
  expect_floating(out, "out");
  expect_probability(p, "prob");
  expect_bits(mask, in.numel(), "mask");
  expect_shape(out, Shape::of(in), "out");
  expect_distinct_elements(out, "out");
  expect_no_overlap(out, "out", in, "self");
  return {in, mask, out, p};
}

Plan dropout_apply(const TensorView& in, const TensorView& mask, double p, const TensorView& out) {
  davinci::DropoutApply command = apply_command(in, mask, p, out);
  if (in.numel() == 0) return {};
  return command;
}

}  // namespace

ACLNN_OP(aclnnInplaceBernoulli,
         (const aclTensor* selfRef, const aclScalar* prob, int64_t seed, int64_t offset),
         (selfRef, prob, seed, offset)) {
  return bernoulli(selfRef, number(prob, "prob").f, {}, seed, offset);
}
ACLNN_OP(aclnnInplaceBernoulliTensor,
         (const aclTensor* selfRef, const aclTensor* prob, int64_t seed, int64_t offset),
         (selfRef, prob, seed, offset)) {
  return bernoulli(selfRef, 0, view(prob, "prob"), seed, offset);
}
ACLNN_OP(aclnnDropoutDoMask,
         (const aclTensor* self, const aclTensor* mask, double prob, aclTensor* out),
         (self, mask, prob, out)) {
  return dropout_apply(view(self, "self"), view(mask, "mask"), prob, view(out, "out"));
}
ACLNN_OP(aclnnDropoutGenMask,
         (const aclIntArray* shape, double prob, int64_t seed, int64_t offset, aclTensor* out),
         (shape, prob, seed, offset, out)) {
  return dropout_mask(product(ints(shape, "shape")), prob, seed, offset, view(out, "out"));
}
ACLNN_OP(aclnnDropoutGenMaskV2,
         (const aclIntArray* shape, double prob, int64_t seed, int64_t offset,
          aclDataType probDataType, aclTensor* out),
         (shape, prob, seed, offset, probDataType, out)) {
  return dropout_mask(product(ints(shape, "shape")), prob, seed, offset, view(out, "out"));
}
ACLNN_OP(aclnnDropoutV3,
         (const aclTensor* input, const aclTensor* optionalNoiseShape, double p, int64_t seed,
          int64_t offset, aclTensor* out, aclTensor* maskOut),
         (input, optionalNoiseShape, p, seed, offset, out, maskOut)) {
  expect(optionalNoiseShape == nullptr, "optionalNoiseShape is not supported; it must be null");
  const TensorView in = view(input, "input"), bits = view(maskOut, "maskOut");
  Plan plan = dropout_mask(in.numel(), p, seed, offset, bits);
  if (in.numel() != 0) plan.then(apply_command(in, bits, p, view(out, "out")));
  return plan;
}
ACLNN_OP(aclnnDropoutV3Grad,
         (const aclTensor* gradY, const aclTensor* mask, double scale, aclTensor* gradX),
         (gradY, mask, scale, gradX)) {
  expect(scale == 0 || scale >= 1, "scale is ", scale, "; it must be 0 or at least 1");
  return dropout_apply(view(gradY, "gradY"), view(mask, "mask"), scale == 0 ? 1 : 1 - 1 / scale,
                       view(gradX, "gradX"));
}
ACLNN_OP(aclnnMultinomial,
         (const aclTensor* self, int64_t numsamples, bool replacement, int64_t seed, int64_t offset,
          aclTensor* out),
         (self, numsamples, replacement, seed, offset, out)) {
  return multinomial(self, numsamples, replacement, seed, offset, out);
}
ACLNN_OP(aclnnRReluWithNoise,
         (const aclTensor* self, const aclTensor* noise, const aclScalar* lower,
          const aclScalar* upper, bool training, int64_t seed, int64_t offset, aclTensor* out),
         (self, noise, lower, upper, training, seed, offset, out)) {
  return rrelu(self, noise, number(lower, "lower"), number(upper, "upper"), training, seed, offset,
               out, "out");
}
ACLNN_OP(aclnnInplaceRReluWithNoise,
         (const aclTensor* self, const aclTensor* noise, const aclScalar* lower,
          const aclScalar* upper, bool training, int64_t seed, int64_t offset),
         (self, noise, lower, upper, training, seed, offset)) {
  return rrelu(self, noise, number(lower, "lower"), number(upper, "upper"), training, seed, offset,
               self, "self");
}
ACLNN_OP(aclnnInplaceNormal,
         (const aclTensor* selfRef, float mean, float std, int64_t seed, int64_t offset),
         (selfRef, mean, std, seed, offset)) {
  return normal(selfRef, mean, std, seed, offset);
}
ACLNN_OP(aclnnNormalFloatFloat,
         (float mean, float std, int64_t seed, int64_t offset, aclTensor* out),
         (mean, std, seed, offset, out)) {
  return normal(out, mean, std, seed, offset);
}
ACLNN_OP(aclnnNormalFloatTensor,
         (float mean, const aclTensor* std, int64_t seed, int64_t offset, aclTensor* out),
         (mean, std, seed, offset, out)) {
  return normal_of(Scalar::of(mean), Input(view(std, "std"), "std"), seed, offset, out);
}
ACLNN_OP(aclnnNormalTensorFloat,
         (const aclTensor* mean, float std, int64_t seed, int64_t offset, aclTensor* out),
         (mean, std, seed, offset, out)) {
  return normal_of(Input(view(mean, "mean"), "mean"), Scalar::of(std), seed, offset, out);
}
ACLNN_OP(aclnnNormalTensorTensor,
         (const aclTensor* mean, const aclTensor* std, int64_t seed, int64_t offset,
          aclTensor* out),
         (mean, std, seed, offset, out)) {
  return normal_of(Input(view(mean, "mean"), "mean"), Input(view(std, "std"), "std"), seed, offset,
                   out);
}
ACLNN_OP(aclnnInplaceRandom,
         (const aclTensor* selfRef, int64_t from, int64_t to, int64_t seed, int64_t offset),
         (selfRef, from, to, seed, offset)) {
  return random_int(selfRef, from, to, seed, offset);
}
ACLNN_OP(aclnnInplaceRandomWithoutFromTo, (const aclTensor* selfRef, int64_t seed, int64_t offset),
         (selfRef, seed, offset)) {
  return random_int(selfRef, 0, past_largest(view(selfRef, "selfRef").dtype), seed, offset);
}
ACLNN_OP(aclnnRandperm, (int64_t n, int64_t seed, int64_t offset, aclTensor* out),
         (n, seed, offset, out)) {
  const TensorView to = view(out, "out");
  expect_shape(to, {n}, "out");
  expect_native(to, "out");
  if (n == 0) return {};
  return davinci::RandomPermutation{to, static_cast<uint64_t>(seed), static_cast<uint64_t>(offset)};
}
ACLNN_OP(aclnnInplaceUniform,
         (const aclTensor* selfRef, double from, double to, uint64_t seed, uint64_t offset),
         (selfRef, from, to, seed, offset)) {
  return uniform(selfRef, from, to, seed, offset);
}

}  // namespace npu::aol
