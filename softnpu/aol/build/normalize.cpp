// SPDX-License-Identifier: Apache-2.0
#include "softnpu/aol/build/normalize.h"

#include <limits>
#include <tuple>

#include "softnpu/aol/build/elementwise.h"
#include "softnpu/davinci/rms_norm.h"

namespace npu::aol {
namespace {

/// A parameter or statistic with one number a channel, or undefined.
TensorView per_channel(const aclTensor* tensor, int64_t channels, const char* role) {
  const TensorView result = optional_view(tensor, role);
  if (!result.defined()) return result;
  expect_shape(result, {channels}, role);
  expect_floating(result, role);
  return result;
}

/// Statistics that clients may also pass as an empty tensor.
TensorView statistic(const aclTensor* tensor, int64_t channels, const char* role) {
  const TensorView result = optional_view(tensor, role);
  if (!result.defined() || (result.numel() == 0 && channels != 0)) return {};
  return per_channel(tensor, channels, role);
}

TensorView input_of(const BatchNormArgs& args) {
  const TensorView in = view(args.input, "input");
  expect_rank(in, 2, 5, "input");
  expect_floating(in, "input");
  return in;
}

void fill_if(Plan& plan, const TensorView& out, double value) {
  if (out.defined()) add(plan, make_fill(out, Scalar::of(value)));
}

int normalized_rank(const TensorView& in, const aclIntArray* normalized) {
  const auto dims = ints(normalized, "normalizedShape");
  const int rank = static_cast<int>(dims.size());
  expect(rank >= 1 && rank <= in.rank, "normalizedShape has ", rank, " dimensions; input, ",
         base::to_string(in), ", allows 1 to ", static_cast<int>(in.rank));
  for (int i = 0; i < rank; ++i) {
    expect(dims[i] == in.dims[in.rank - rank + i], "normalizedShape ends with ",
           to_string(Shape(dims)), "; input is ", base::to_string(in));
  }
  return rank;
}

/// The dimensions that are normalised.
Shape tail(const TensorView& in, int rank) {
  return Shape(std::span(in.dims.data() + in.rank - rank, static_cast<size_t>(rank)));
}

/// A mean or rstd: one number a line, with or without trailing dimensions of size 1.
TensorView line_statistic(const aclTensor* tensor, const TensorView& in, int rank, bool required,
                          const char* role) {
  const TensorView result = required ? view(tensor, role) : optional_view(tensor, role);
  if (!result.defined()) return result;
  int64_t lines = 1;
  for (int i = 0; i < in.rank - rank; ++i) lines *= in.dims[i];
  if (result.numel() == 0 && lines != 0 && !required) return {};
  expect(result.numel() == lines, role, " is ", base::to_string(result), "; it must have ", lines,
         " elements");
  expect_floating(result, role);
  return result;
}

}  // namespace

Plan batch_norm(const BatchNormArgs& args, double momentum, const aclTensor* out,
                const aclTensor* save_mean, const aclTensor* save_invstd) {
  const TensorView in = input_of(args);
  const int64_t channels = in.dims[1];
  davinci::BatchNorm command;
  command.in = in;
  command.out = view(out, "output");
  expect_shape(command.out, Shape::of(in), "output");
  expect_native(command.out, "output");
  expect_no_overlap(command.out, "output", in, "input");
  command.weight = per_channel(args.weight, channels, "weight");
  command.bias = per_channel(args.bias, channels, "bias");
  command.running_mean = per_channel(args.running_mean, channels, "runningMean");
  command.running_var = per_channel(args.running_var, channels, "runningVar");
  command.training = args.training;
  command.momentum = momentum;
  command.epsilon = args.eps;
  if (args.training) {
    command.save_mean = statistic(save_mean, channels, "saveMean");
    command.save_invstd = statistic(save_invstd, channels, "saveInvstd");
  } else {
    expect(command.running_mean.defined() && command.running_var.defined(),
           "runningMean and runningVar must not be null when training is false");
  }
  Plan plan;
  if (in.numel() == 0) {
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    fill_if(plan, command.save_mean, kNan);
    fill_if(plan, command.save_invstd, kNan);
    return plan;
  }
  plan.then(std::move(command));
  return plan;
}

Plan batch_norm_backward(const aclTensor* grad_out, const BatchNormArgs& args,
                         const aclTensor* save_mean, const aclTensor* save_invstd,
                         const aclBoolArray* mask, const aclTensor* grad_input,
                         const aclTensor* grad_weight, const aclTensor* grad_bias) {
  const TensorView in = input_of(args);
  const int64_t channels = in.dims[1];
  davinci::BatchNormBackward command;
  command.in = in;
  command.grad_out = view(grad_out, "gradOut");
  expect_shape(command.grad_out, Shape::of(in), "gradOut");
  expect_native(command.grad_out, "gradOut");
  command.weight = per_channel(args.weight, channels, "weight");
  command.running_mean = per_channel(args.running_mean, channels, "runningMean");
  command.running_var = per_channel(args.running_var, channels, "runningVar");
  command.training = args.training;
  command.epsilon = args.eps;
  if (args.training) {
    command.save_mean = statistic(save_mean, channels, "saveMean");
    command.save_invstd = statistic(save_invstd, channels, "saveInvstd");
    expect(command.save_mean.defined() && command.save_invstd.defined(),
           "saveMean and saveInvstd must not be null when training is true");
  } else {
    expect(command.running_mean.defined() && command.running_var.defined(),
           "runningMean and runningVar must not be null when training is false");
  }
  const auto wanted = bools(mask, 3, "outputMask");
  if (wanted[0] != 0) {
    command.grad_in = view(grad_input, "gradInput");
    expect_shape(command.grad_in, Shape::of(in), "gradInput");
    expect_native(command.grad_in, "gradInput");
    expect_distinct_elements(command.grad_in, "gradInput");
  }
  if (wanted[1] != 0) {
    view(grad_weight, "gradWeight");
    command.grad_weight = per_channel(grad_weight, channels, "gradWeight");
  }
  if (wanted[2] != 0) {
    view(grad_bias, "gradBias");
    command.grad_bias = per_channel(grad_bias, channels, "gradBias");
  }
  Plan plan;
  if (in.numel() == 0) {
    fill_if(plan, command.grad_weight, 0);
    fill_if(plan, command.grad_bias, 0);
    return plan;
  }
  if (wanted[0] + wanted[1] + wanted[2] != 0) plan.then(std::move(command));
  return plan;
}

Plan layer_norm(const aclTensor* input, const aclIntArray* normalized, const aclTensor* weight,
                const aclTensor* bias, double eps, const aclTensor* out, const aclTensor* mean,
                const aclTensor* rstd) {
  davinci::LayerNorm command;
  command.in = view(input, "input");
  expect_floating(command.in, "input");
  command.normalized_rank = normalized_rank(command.in, normalized);
  command.epsilon = eps;
  const Shape shape = tail(command.in, command.normalized_rank);
  for (auto [to, handle, role] :
       {std::tuple(&command.weight, weight, "weight"), std::tuple(&command.bias, bias, "bias")}) {
    *to = optional_view(handle, role);
    if (to->defined()) {
      expect_shape(*to, shape, role);
      expect_floating(*to, role);
    }
  }
  command.out = view(out, "out");
  expect_shape(command.out, Shape::of(command.in), "out");
  expect_floating(command.out, "out");
  expect_no_overlap(command.out, "out", command.in, "input");
  command.mean = line_statistic(mean, command.in, command.normalized_rank, false, "meanOut");
  command.rstd = line_statistic(rstd, command.in, command.normalized_rank, false, "rstdOut");
  Plan plan;
  if (command.in.numel() != 0) {
    plan.then(std::move(command));
  } else if (shape.numel() == 0) {  // lines without elements
    fill_if(plan, command.mean, 0);
    fill_if(plan, command.rstd, std::numeric_limits<double>::quiet_NaN());
  }
  return plan;
}

Plan layer_norm_backward(const aclTensor* grad_out, const aclTensor* input,
                         const aclIntArray* normalized, const aclTensor* mean,
                         const aclTensor* rstd, const aclTensor* weight, const aclTensor* bias,
                         const aclBoolArray* mask, const aclTensor* grad_input,
                         const aclTensor* grad_weight, const aclTensor* grad_bias) {
  davinci::LayerNormBackward command;
  command.in = view(input, "input");
  expect_floating(command.in, "input");
  command.grad_out = view(grad_out, "gradOut");
  expect_shape(command.grad_out, Shape::of(command.in), "gradOut");
  expect_floating(command.grad_out, "gradOut");
  const int rank = normalized_rank(command.in, normalized);
  command.normalized_rank = rank;
  const Shape shape = tail(command.in, rank);
  command.mean = line_statistic(mean, command.in, rank, true, "mean");
  command.rstd = line_statistic(rstd, command.in, rank, true, "rstd");
  command.weight = optional_view(weight, "weight");
  if (command.weight.defined()) expect_shape(command.weight, shape, "weight");
  if (bias != nullptr) expect_shape(view(bias, "bias"), shape, "bias");
  const auto wanted = bools(mask, 3, "outputMask");
  const auto gradient = [&](const aclTensor* handle, const Shape& expected, const char* role) {
    const TensorView result = view(handle, role);
    expect_shape(result, expected, role);
    expect_floating(result, role);
    expect_distinct_elements(result, role);
    return result;
  };
  if (wanted[0] != 0) command.grad_in = gradient(grad_input, Shape::of(command.in), "gradInput");
  if (wanted[1] != 0) command.grad_weight = gradient(grad_weight, shape, "gradWeight");
  if (wanted[2] != 0) command.grad_bias = gradient(grad_bias, shape, "gradBias");
  Plan plan;
  if (command.in.numel() == 0) {
    fill_if(plan, command.grad_weight, 0);
    fill_if(plan, command.grad_bias, 0);
    return plan;
  }
  if (wanted[0] + wanted[1] + wanted[2] != 0) plan.then(std::move(command));
  return plan;
}

namespace {

/// gamma has the shape of the last dimensions of x, which are normalised; without it, the last one.
int rank_of_gamma(const TensorView& x, const TensorView& gamma) {
  expect_rank(x, 1, base::kMaxRank, "x");
  expect_type(x, {DType::kFloat, DType::kHalf, DType::kBFloat16}, "x");
  if (!gamma.defined()) return 1;
  expect_rank(gamma, 1, x.rank, "gamma");
  expect_shape(gamma, tail(x, gamma.rank), "gamma");
  expect_type(gamma, {DType::kFloat, DType::kHalf, DType::kBFloat16}, "gamma");
  return gamma.rank;
}

void append_rms_norm(Plan& plan, const aclTensor* x, const aclTensor* gamma, double eps,
                     const aclTensor* out, const aclTensor* rstd) {
  davinci::RmsNorm command;
  command.in = view(x, "x");
  command.weight = optional_view(gamma, "gamma");
  command.normalized_rank = rank_of_gamma(command.in, command.weight);
  command.epsilon = eps;
  command.out = view(out, "yOut");
  expect_shape(command.out, Shape::of(command.in), "yOut");
  expect_floating(command.out, "yOut");
  expect_no_overlap(command.out, "yOut", command.in, "x");
  command.rstd = line_statistic(rstd, command.in, command.normalized_rank, false, "rstdOut");
  if (command.in.numel() != 0) plan.then(std::move(command));
}

}  // namespace

Plan rms_norm(const aclTensor* x, const aclTensor* gamma, double eps, const aclTensor* out,
              const aclTensor* rstd) {
  Plan plan;
  append_rms_norm(plan, x, gamma, eps, out, rstd);
  return plan;
}

Plan add_rms_norm(const aclTensor* x1, const aclTensor* x2, const aclTensor* gamma, double eps,
                  const aclTensor* out, const aclTensor* rstd, const aclTensor* x) {
  const TensorView sum = view(x, "xOut");
  const TensorView left = view(x1, "x1"), right = view(x2, "x2");
  expect_shape(left, Shape::of(sum), "x1");
  expect_shape(right, Shape::of(sum), "x2");
  Plan plan;
  add(plan, make_elementwise(VectorOp::kAdd, {{left, "x1"}, {right, "x2"}}, sum, Rule::kSame,
                             {Scalar::of_int(1)}));
  append_rms_norm(plan, x, gamma, eps, out, rstd);
  return plan;
}

Plan rms_norm_backward(const aclTensor* dy, const aclTensor* x, const aclTensor* rstd,
                       const aclTensor* gamma, const aclTensor* dx, const aclTensor* dgamma) {
  davinci::RmsNormBackward command;
  command.in = view(x, "x");
  command.weight = optional_view(gamma, "gamma");
  const int rank = command.normalized_rank = rank_of_gamma(command.in, command.weight);
  command.rstd = line_statistic(rstd, command.in, rank, true, "rstd");
  const auto gradient = [&](const aclTensor* handle, const Shape& shape, const char* role) {
    const TensorView result = view(handle, role);
    expect_shape(result, shape, role);
    expect_floating(result, role);
    expect_distinct_elements(result, role);
    return result;
  };
  command.grad_out = view(dy, "dy");
  expect_shape(command.grad_out, Shape::of(command.in), "dy");
  expect_floating(command.grad_out, "dy");
  command.grad_in = gradient(dx, Shape::of(command.in), "dxOut");
  if (command.weight.defined()) {
    command.grad_weight = gradient(dgamma, tail(command.in, rank), "dgammaOut");
  }
  Plan plan;
  if (command.in.numel() == 0) {
    fill_if(plan, command.grad_weight, 0);
    return plan;
  }
  plan.then(std::move(command));
  return plan;
}

}  // namespace npu::aol
