// SPDX-License-Identifier: Apache-2.0
#include "softnpu/aol/build/pool.h"

#include "softnpu/aol/build/elementwise.h"
#include "softnpu/aol/build/matmul.h"

namespace npu::aol {
namespace {

using davinci::PoolShape;

std::array<int64_t, 2> pair_of(const aclIntArray* array, const char* role, int64_t lowest) {
  const auto values = ints(array, role);
  expect(values.size() == 1 || values.size() == 2, role, " has ", values.size(),
         " values; it must have 1 or 2");
  for (const int64_t value : values) {
    expect(value >= lowest, role, " is ", value, "; it must be at least ", lowest);
  }
  return {values.front(), values.back()};
}

PoolShape read_shape(const PoolArgs& args) {
  PoolShape shape;
  shape.kernel = pair_of(args.kernel, "kernelSize", 1);
  const bool own_stride = args.stride != nullptr && !ints(args.stride, "stride").empty();
  shape.stride = own_stride ? pair_of(args.stride, "stride", 1) : shape.kernel;
  shape.padding = pair_of(args.padding, "padding", 0);
  if (args.dilation != nullptr) shape.dilation = pair_of(args.dilation, "dilation", 1);
  for (int i = 0; i < 2; ++i) {
    expect(2 * shape.padding[i] <= shape.kernel[i], "padding is ", shape.padding[i],
           "; it must be at most half of the kernel's ", shape.kernel[i]);
  }
  return shape;
}

/// With a batch of 1 in front for [C, H, W].
TensorView with_batch(const TensorView& view, const char* role) {
  expect_rank(view, 3, 4, role);
  return view.rank == 3 ? insert_dim(view, 0) : view;
}

TensorView images(const aclTensor* tensor, const char* role) {
  const TensorView result = view(tensor, role);
  expect_floating(result, role);
  return with_batch(result, role);
}

int64_t pooled_size(const PoolShape& s, int i, int64_t in, bool ceil_mode) {
  const int64_t room = in + 2 * s.padding[i] - s.dilation[i] * (s.kernel[i] - 1) - 1;
  expect(room >= 0, "the window, ", s.kernel[i], ", is larger than the padded input, ",
         in + 2 * s.padding[i]);
  int64_t size = (room + (ceil_mode ? s.stride[i] - 1 : 0)) / s.stride[i] + 1;
  // The last window must start inside the input or its left padding.
  if (ceil_mode && (size - 1) * s.stride[i] >= in + s.padding[i]) --size;
  return size;
}

void expect_pooled(const TensorView& pooled, const TensorView& in, const PoolShape& s,
                   bool ceil_mode, const char* role) {
  expect_shape(pooled,
               {in.dims[0], in.dims[1], pooled_size(s, 0, in.dims[2], ceil_mode),
                pooled_size(s, 1, in.dims[3], ceil_mode)},
               role);
}

/// Where the mask's bytes keep positions: one byte an output element while an offset in the window
/// fits, else four. CANN's mask is always larger than that.
TensorView mask_positions(const aclTensor* mask, const TensorView& pooled, const PoolShape& s) {
  const TensorView bytes = view(mask, "indices");
  expect_type(bytes, {DType::kInt8, DType::kUInt8}, "indices");
  expect(bytes.is_contiguous(), "indices must be contiguous");
  const bool small = s.kernel[0] * s.kernel[1] <= 127;
  const DType dtype = small ? DType::kInt8 : DType::kInt32;
  const int64_t needed = pooled.numel() * static_cast<int64_t>(base::size_of(dtype));
  expect(bytes.numel() >= needed, "indices has ", bytes.numel(), " bytes; at least ", needed,
         " are needed");
  return contiguous_view(bytes.data, dtype, Shape::of(pooled));
}

TensorView index_positions(const aclTensor* indices, const TensorView& pooled) {
  TensorView result = with_batch(view(indices, "indices"), "indices");
  expect_index(result, "indices");
  expect_shape(result, Shape::of(pooled), "indices");
  return result;
}

TensorView positions_of(const aclTensor* tensor, Positions kind, const TensorView& pooled,
                        const PoolShape& s) {
  return kind == Positions::kMask ? mask_positions(tensor, pooled, s)
                                  : index_positions(tensor, pooled);
}

/// A gradient of the input; all zeros when nothing was pooled.
Plan zero_or_empty(const TensorView& grad_in) {
  Plan plan;
  add(plan, make_fill(grad_in, Scalar::of_int(0)));
  return plan;
}

TensorView gradient_of(const aclTensor* grad_input, const TensorView& in) {
  const TensorView result = images(grad_input, "gradInput");
  expect_shape(result, Shape::of(in), "gradInput");
  expect_distinct_elements(result, "gradInput");
  return result;
}

}  // namespace

Plan max_pool2d(const aclTensor* self, const PoolArgs& args, Positions kind, const aclTensor* out,
                const aclTensor* positions) {
  davinci::MaxPool2d command;
  command.in = images(self, "self");
  command.out = images(out, "out");
  command.shape = read_shape(args);
  expect_pooled(command.out, command.in, command.shape, args.ceil_mode, "out");
  expect_same_type(command.in, "self", command.out, "out");
  expect_distinct_elements(command.out, "out");
  command.positions = positions_of(positions, kind, command.out, command.shape);
  if (command.out.numel() == 0) return {};
  return command;
}

Plan max_pool2d_backward(const aclTensor* grad_out, const aclTensor* self,
                         const aclTensor* positions, const PoolArgs& args, Positions kind,
                         const aclTensor* grad_input) {
  const TensorView in = images(self, "self");
  davinci::MaxPool2dBackward command;
  command.grad_out = images(grad_out, "gradOutput");
  command.shape = read_shape(args);
  expect_pooled(command.grad_out, in, command.shape, args.ceil_mode, "gradOutput");
  command.positions = positions_of(positions, kind, command.grad_out, command.shape);
  command.grad_in = gradient_of(grad_input, in);
  if (command.grad_out.numel() == 0) return zero_or_empty(command.grad_in);
  return command;
}

Plan avg_pool2d(const aclTensor* self, const PoolArgs& args, const AverageArgs& average,
                const aclTensor* out) {
  check_cube_math_type(average.cube_math_type);
  davinci::AvgPool2d command;
  command.in = images(self, "self");
  command.out = images(out, "out");
  command.shape = read_shape(args);
  command.count_include_pad = average.count_include_pad;
  command.divisor_override = average.divisor_override;
  expect_pooled(command.out, command.in, command.shape, args.ceil_mode, "out");
  expect_distinct_elements(command.out, "out");
  if (command.out.numel() == 0) return {};
  return command;
}

Plan avg_pool2d_backward(const aclTensor* grad_out, const aclTensor* self, const PoolArgs& args,
                         const AverageArgs& average, const aclTensor* grad_input) {
  check_cube_math_type(average.cube_math_type);
  const TensorView in = images(self, "self");
  davinci::AvgPool2dBackward command;
  command.grad_out = images(grad_out, "gradOutput");
  command.shape = read_shape(args);
  command.count_include_pad = average.count_include_pad;
  command.divisor_override = average.divisor_override;
  expect_pooled(command.grad_out, in, command.shape, args.ceil_mode, "gradOutput");
  command.grad_in = gradient_of(grad_input, in);
  if (command.grad_out.numel() == 0) return zero_or_empty(command.grad_in);
  return command;
}

Plan adaptive_avg_pool2d(const aclTensor* self, const aclIntArray* output_size,
                         const aclTensor* out) {
  const TensorView in = images(self, "self"), to = images(out, "out");
  const auto size = pair_of(output_size, "outputSize", 0);
  expect_shape(to, {in.dims[0], in.dims[1], size[0], size[1]}, "out");
  expect_distinct_elements(to, "out");
  expect(in.dims[2] > 0 && in.dims[3] > 0, "self is ", base::to_string(in),
         "; there is nothing to average");
  if (to.numel() == 0) return {};
  return davinci::AdaptiveAvgPool2d{in, to};
}

Plan adaptive_avg_pool2d_backward(const aclTensor* grad_out, const aclTensor* self,
                                  const aclTensor* grad_input) {
  const TensorView in = images(self, "self"), g = images(grad_out, "gradOutput");
  expect(g.dims[0] == in.dims[0] && g.dims[1] == in.dims[1], "gradOutput is ", base::to_string(g),
         " and self ", base::to_string(in), "; batch and channels must be equal");
  const TensorView to = gradient_of(grad_input, in);
  if (to.numel() == 0) return {};
  if (g.numel() == 0) return zero_or_empty(to);
  return davinci::AdaptiveAvgPool2dBackward{g, to};
}

}  // namespace npu::aol
