// SPDX-License-Identifier: Apache-2.0
#include "softnpu/aol/build/conv.h"

#include "softnpu/aol/build/elementwise.h"
#include "softnpu/aol/build/matmul.h"
#include "softnpu/aol/build/reduce.h"

namespace npu::aol {
namespace {

using davinci::ConvolutionShape;

/// The last `spatial` of three values; one value counts for all dimensions.
void read_spatial(const aclIntArray* array, const char* role, int spatial, int64_t lowest,
                  std::array<int64_t, 3>& to) {
  std::span<const int64_t> values = ints(array, role);
  // Values of both sides, one after the other, when they are equal.
  std::array<int64_t, 3> pairs{};
  if (std::string_view(role) == "padding" && std::ssize(values) == 2 * spatial && spatial > 1) {
    for (int i = 0; i < spatial; ++i) {
      expect(values[2 * i] == values[2 * i + 1], "padding is ", values[2 * i], " before and ",
             values[2 * i + 1],
             " after a dimension; softnpu needs both equal. Pad the input first");
      pairs[i] = values[2 * i];
    }
    values = std::span(pairs.data(), static_cast<size_t>(spatial));
  }
  expect(values.size() == 1 || std::ssize(values) == spatial, role, " has ", values.size(),
         " values; it must have 1 or ", spatial);
  for (int i = 0; i < spatial; ++i) {
    const int64_t value = values[values.size() == 1 ? 0 : i];
    expect(value >= lowest, role, " is ", value, "; it must be at least ", lowest);
    to[3 - spatial + i] = value;
  }
}

ConvolutionShape read_shape(const ConvolutionArgs& args, int spatial) {
  ConvolutionShape shape;
  read_spatial(args.stride, "stride", spatial, 1, shape.stride);
  read_spatial(args.padding, "padding", spatial, 0, shape.padding);
  read_spatial(args.dilation, "dilation", spatial, 1, shape.dilation);
  shape.transposed = args.transposed;
  if (args.transposed && args.output_padding != nullptr) {
    read_spatial(args.output_padding, "outputPadding", spatial, 0, shape.output_padding);
  }
  expect(args.groups >= 1, "groups is ", args.groups, "; it must be at least 1");
  shape.groups = args.groups;
  return shape;
}

/// Dimensions N, C, spatial in this order, whatever the format says they are.
TensorView channels_first(TensorView view) {
  if (view.format != ACL_FORMAT_NHWC && view.format != ACL_FORMAT_NDHWC) return view;
  for (int i = view.rank - 1; i > 1; --i) view = transpose(view, i, i - 1);
  view.format = ACL_FORMAT_ND;
  return view;
}

TensorView as_volume(TensorView view) {
  while (view.defined() && view.rank < 5) view = insert_dim(view, 2);
  return view;
}

int64_t output_size(const ConvolutionShape& s, int i, int64_t in, int64_t kernel) {
  const int64_t reach = s.dilation[i] * (kernel - 1);
  if (s.transposed) {
    return (in - 1) * s.stride[i] - 2 * s.padding[i] + reach + s.output_padding[i] + 1;
  }
  const int64_t room = in + 2 * s.padding[i] - reach - 1;
  return room < 0 ? -1 : room / s.stride[i] + 1;
}

void check_types(const TensorView& in, const TensorView& weight, const TensorView& out) {
  expect_floating(in, "input");
  expect_same_type(in, "input", weight, "weight");
  expect_same_type(in, "input", out, "output");
}

/// `out` is the forward pass' result, or its gradient. All are volumes.
void check_shapes(const ConvolutionShape& s, const TensorView& in, const TensorView& weight,
                  const TensorView& out, const char* out_role) {
  const int64_t in_channels = s.transposed ? weight.dims[0] : weight.dims[1] * s.groups;
  const int64_t out_channels = s.transposed ? weight.dims[1] * s.groups : weight.dims[0];
  expect(in.dims[1] == in_channels, "input has ", in.dims[1], " channels; weight ",
         base::to_string(weight), " with groups ", s.groups, " needs ", in_channels);
  expect((s.transposed ? in_channels : out_channels) % s.groups == 0, "groups ", s.groups,
         " does not divide the channels of weight ", base::to_string(weight));
  Shape expected{in.dims[0], out_channels, 0, 0, 0};
  for (int i = 0; i < 3; ++i) {
    expected.dims[2 + i] = output_size(s, i, in.dims[2 + i], weight.dims[2 + i]);
    expect(expected.dims[2 + i] >= 0, "the kernel, ", weight.dims[2 + i],
           ", is larger than the padded input, ", in.dims[2 + i] + 2 * s.padding[i]);
  }
  expect_shape(out, expected, out_role);
}

}  // namespace

Plan convolution(const aclTensor* input, const aclTensor* weight, const aclTensor* bias,
                 const ConvolutionArgs& args, const aclTensor* out, int8_t math) {
  check_cube_math_type(math);
  TensorView in = channels_first(view(input, "input"));
  expect_rank(in, 3, 5, "input");
  const int rank = in.rank;
  TensorView w = channels_first(view(weight, "weight")), to = channels_first(view(out, "output"));
  expect_rank(w, rank, rank, "weight");
  expect_rank(to, rank, rank, "output");
  check_types(in, w, to);
  davinci::Convolution command;
  command.shape = read_shape(args, rank - 2);
  command.in = as_volume(in), command.weight = as_volume(w), command.out = as_volume(to);
  check_shapes(command.shape, command.in, command.weight, command.out, "output");
  if (bias != nullptr) {
    command.bias = view(bias, "bias");
    expect_shape(command.bias, {to.dims[1]}, "bias");
    expect_native(command.bias, "bias");
  }
  expect_distinct_elements(to, "output");
  Plan plan;
  if (to.numel() == 0) return plan;
  if (in.numel() == 0) {  // no channels, or nothing but padding: the bias alone
    Elementwise constant = make_fill(to, Scalar::of_int(0));
    if (command.bias.defined()) {
      TensorView b = command.bias;
      for (int i = 2; i < rank; ++i) b = insert_dim(b, b.rank);
      constant = make_copy(b, to, "bias");
    }
    add(plan, std::move(constant));
    return plan;
  }
  plan.then(std::move(command));
  return plan;
}

Plan convolution_backward(const aclTensor* grad_out, const aclTensor* input,
                          const aclTensor* weight, const ConvolutionArgs& args,
                          const aclBoolArray* mask, const aclTensor* grad_input,
                          const aclTensor* grad_weight, const aclTensor* grad_bias, int8_t math) {
  check_cube_math_type(math);
  const TensorView in = channels_first(view(input, "input"));
  expect_rank(in, 3, 5, "input");
  const int rank = in.rank;
  const TensorView w = channels_first(view(weight, "weight"));
  const TensorView g = channels_first(view(grad_out, "gradOutput"));
  expect_rank(w, rank, rank, "weight");
  expect_rank(g, rank, rank, "gradOutput");
  check_types(in, w, g);
  const auto wanted = bools(mask, 3, "outputMask");
  davinci::ConvolutionBackward command;
  command.shape = read_shape(args, rank - 2);
  command.grad_out = as_volume(g), command.in = as_volume(in), command.weight = as_volume(w);
  check_shapes(command.shape, command.in, command.weight, command.grad_out, "gradOutput");
  const auto gradient = [&](const aclTensor* handle, const Shape& shape, const char* role) {
    const TensorView result = channels_first(view(handle, role));
    expect_shape(result, shape, role);
    expect_native(result, role);
    expect_distinct_elements(result, role);
    return result;
  };
  if (wanted[0] != 0) command.grad_in = as_volume(gradient(grad_input, Shape::of(in), "gradInput"));
  if (wanted[1] != 0) {
    command.grad_weight = as_volume(gradient(grad_weight, Shape::of(w), "gradWeight"));
  }
  if (wanted[2] != 0) command.grad_bias = gradient(grad_bias, {g.dims[1]}, "gradBias");
  Plan plan;
  if (g.numel() == 0 || in.numel() == 0) {
    for (const TensorView* result : {&command.grad_in, &command.grad_weight, &command.grad_bias}) {
      if (result->defined()) add(plan, make_fill(*result, Scalar::of_int(0)));
    }
    if (wanted[2] != 0 && g.numel() != 0) {
      add_reduce(plan, ReduceOp::kSum, g, dim_mask({}, rank, "dim") & ~2u, false,
                 command.grad_bias);
    }
    return plan;
  }
  if (wanted[0] + wanted[1] + wanted[2] != 0) plan.then(std::move(command));
  return plan;
}

}  // namespace npu::aol
