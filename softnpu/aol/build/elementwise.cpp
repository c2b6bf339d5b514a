// SPDX-License-Identifier: Apache-2.0
#include "softnpu/aol/build/elementwise.h"

namespace npu::aol {
namespace {

/// Common type of the operands: tensors first, then numbers may raise its kind.
DType common_type(std::span<const Input> inputs, DType otherwise) {
  DType type = DType::kUndefined;
  for (const Input& input : inputs) {
    if (!input.view.defined()) continue;
    type = type == DType::kUndefined ? input.view.dtype : promote(type, input.view.dtype);
  }
  if (type == DType::kUndefined) type = otherwise;
  for (const Input& input : inputs) {
    if (!input.view.defined()) type = promote(type, input.constant);
  }
  return type;
}

Shape common_shape(std::span<const Input> inputs, const TensorView& out) {
  const TensorView* first = nullptr;
  bool same = true;
  for (const Input& input : inputs) {
    if (!input.view.defined()) continue;
    if (first == nullptr) {
      first = &input.view;
    } else {
      same = same && same_shape(*first, input.view);
    }
  }
  if (first == nullptr) return Shape::of(out);
  Shape shape = Shape::of(*first);
  if (same) return shape;
  for (const Input& input : inputs) {
    if (input.view.defined()) shape = broadcast(shape, Shape::of(input.view));
  }
  return shape;
}

[[noreturn]] void refuse_type(DType type) {
  const std::string text =
      base::message("operands of type ", base::name_of(type), " are not supported");
  if (base::is_complex(type)) throw NoNativeKernel(ACLNN_ERR_PARAM_INVALID, text);
  base::fail(ACLNN_ERR_PARAM_INVALID, text);
}

}  // namespace

Input::Input(const Operand& operand, const char* default_role)
    : view(operand.is_scalar ? TensorView{}
                             : aol::view(operand.tensor, operand.role_or(default_role))),
      role(operand.role_or(default_role)) {
  if (operand.is_scalar) constant = number(operand.scalar, role);
}

Elementwise make_elementwise(VectorOp op, std::span<const Input> inputs, const TensorView& out,
                             Rule rule, const Params& params, const char* out_role) {
  DType type = common_type(inputs, out.dtype);
  if (rule == Rule::kFloating || rule == Rule::kFloatingTruth) type = floating_of(type);
  if (base::is_complex(type) || base::is_complex(out.dtype)) refuse_type(type);
  Elementwise command;
  command.op = op;
  command.compute = davinci::compute_type(type);
  if (!davinci::has_vector_op(op, command.compute)) refuse_type(type);
  if (rule == Rule::kSame || rule == Rule::kFloating) expect_storable(type, out, out_role);

  const Shape shape = common_shape(inputs, out);
  expect_shape(out, shape, out_role);
  expect_distinct_elements(out, out_role);
  command.num_inputs = static_cast<int>(inputs.size());
  command.out = out;
  command.scalars = params;
  for (int i = 0; i < command.num_inputs; ++i) {
    const Input& input = inputs[i];
    if (!input.view.defined()) {
      command.scalars[i + 1] = input.constant;
      continue;
    }
    command.inputs[i] =
        same_shape(input.view, out) ? input.view : expand(input.view, shape, input.role);
    expect_no_overlap(out, out_role, command.inputs[i], input.role);
  }
  return command;
}

void add(Plan& plan, Elementwise command) {
  if (command.out.numel() != 0) plan.then(std::move(command));
}

Plan elementwise(VectorOp op, std::span<const Input> inputs, const aclTensor* out, Rule rule,
                 const Params& params) {
  Elementwise command = make_elementwise(op, inputs, view(out, "out"), rule, params);
  if (command.out.numel() == 0) return {};
  return command;
}

Plan scaled(VectorOp op, const Operand& self, const Operand& other, const aclScalar* alpha,
            const aclTensor* out) {
  const Scalar factor = number_or(alpha, Scalar::of_int(1), "alpha");
  return binary(op, self, other, out, Rule::kSame, {factor});
}

Elementwise make_fill(const TensorView& out, const Scalar& value) {
  expect_native(out, "out");
  expect_distinct_elements(out, "out");
  Elementwise command;
  command.op = VectorOp::kFill;
  command.compute = davinci::compute_type(out.dtype);
  command.out = out;
  command.scalars[0] = value;
  // A fractional number is true, though its integer part is 0.
  if (out.dtype == DType::kBool) command.scalars[0] = Scalar::of_int(value.f != 0 || value.i != 0);
  return command;
}

Plan fill(const aclTensor* out, const Scalar& value, const char* role) {
  const TensorView to = view(out, role);
  Plan plan;
  if (!base::is_complex(to.dtype)) {
    add(plan, make_fill(to, value));
    return plan;
  }
  const TensorView parts = real_view(to);
  add(plan, make_fill(select(parts, to.rank, 0), value));
  add(plan, make_fill(select(parts, to.rank, 1), Scalar::of(value.imag)));
  return plan;
}

Elementwise make_copy(const TensorView& self, const TensorView& out, const char* role) {
  Elementwise command;
  command.op = VectorOp::kCopy;
  command.num_inputs = 1;
  command.compute = davinci::copy_compute_type(self.dtype, out.dtype);
  command.inputs[0] = same_shape(self, out) ? self : expand(self, Shape::of(out), role);
  command.out = out;
  expect_distinct_elements(out, "out");
  expect_no_overlap(out, "out", command.inputs[0], role);
  return command;
}

TensorView real_view(const TensorView& view) {
  TensorView parts = view;
  parts.dtype = view.dtype == DType::kComplex128  ? DType::kDouble
                : view.dtype == DType::kComplex64 ? DType::kFloat
                                                  : DType::kHalf;
  for (int i = 0; i < view.rank; ++i) parts.strides[i] *= 2;
  parts = insert_dim(parts, view.rank);
  parts.dims[view.rank] = 2;
  parts.strides[view.rank] = 1;
  return parts;
}

void add_copy(Plan& plan, const TensorView& self, const TensorView& out, const char* role) {
  const bool from_complex = base::is_complex(self.dtype), to_complex = base::is_complex(out.dtype);
  if (self.dtype == out.dtype || (!from_complex && !to_complex)) {
    return add(plan, make_copy(self, out, role));
  }
  const TensorView in = expand(self, Shape::of(out), role);
  if (from_complex && to_complex) return add(plan, make_copy(real_view(in), real_view(out), role));
  if (from_complex) return add(plan, make_copy(select(real_view(in), in.rank, 0), out, role));
  add(plan, make_copy(in, select(real_view(out), out.rank, 0), role));
  add(plan, make_fill(select(real_view(out), out.rank, 1), Scalar::of_int(0)));
}

TensorView flat_view(Plan& plan, const TensorView& view, bool copied) {
  TensorView flat = at_least_1d(view);
  if (!copied && flatten(flat, 0, flat.rank - 1)) return flat;
  TensorView copy = at_least_1d(plan.temporary(view.dtype, view));
  add_copy(plan, view, view.rank == 0 ? remove_dim(copy, 0) : copy);
  flatten(copy, 0, copy.rank - 1);
  return copy;
}

}  // namespace npu::aol
