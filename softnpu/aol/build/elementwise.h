// SPDX-License-Identifier: Apache-2.0
// Element-wise plans: one vector operator over tensors and numbers that broadcast to the output.
// The type to compute in follows from the operands and the rule; the result is converted to the
// output's type.
#pragma once

#include <span>

#include "softnpu/aol/build/shape.h"
#include "softnpu/aol/build/types.h"

namespace npu::aol {

using davinci::Elementwise;
using davinci::VectorOp;

enum class Rule : uint8_t {
  kSame,           // the result has the operands' common type
  kFloating,       // ... or float32 if that is an integer type
  kTruth,          // the result is true or false, stored as any type
  kFloatingTruth,  // ... of floating-point operands, integers as float32
};

/// Scalars s0 .. s3 of vector_ops.def.
using Params = std::array<Scalar, 4>;

/// A parameter of an operator: a tensor or a number. `role` names it in messages when it was not
/// passed to the operator itself; by default its position decides.
struct Operand {
  const aclTensor* tensor = nullptr;
  const aclScalar* scalar = nullptr;
  const char* role = nullptr;

  Operand(const aclTensor* t, const char* r = nullptr) : tensor(t), role(r) {}  // NOLINT
  Operand(const aclScalar* s, const char* r = nullptr)                          // NOLINT
      : scalar(s), role(r) {
    is_scalar = true;
  }
  const char* role_or(const char* otherwise) const { return role != nullptr ? role : otherwise; }
  bool is_scalar = false;
};

/// The same, looked at: an undefined view stands for the constant.
struct Input {
  TensorView view;
  Scalar constant;
  const char* role = "self";

  Input(const TensorView& v, const char* r = "self") : view(v), role(r) {}      // NOLINT
  Input(const Scalar& s, const char* r = "a number") : constant(s), role(r) {}  // NOLINT
  Input(const Operand& operand, const char* default_role);
};

/// Checks types, shapes and overlap. The command may have no elements.
Elementwise make_elementwise(VectorOp op, std::span<const Input> inputs, const TensorView& out,
                             Rule rule, const Params& params = {}, const char* out_role = "out");
inline Elementwise make_elementwise(VectorOp op, std::initializer_list<Input> inputs,
                                    const TensorView& out, Rule rule, const Params& params = {}) {
  return make_elementwise(op, std::span(inputs.begin(), inputs.size()), out, rule, params);
}

Plan elementwise(VectorOp op, std::span<const Input> inputs, const aclTensor* out, Rule rule,
                 const Params& params);

inline Plan unary(VectorOp op, const Operand& self, const aclTensor* out,
                  Rule rule = Rule::kFloating, const Params& params = {}) {
  const Input inputs[] = {{self, "self"}};
  return elementwise(op, inputs, out, rule, params);
}
inline Plan binary(VectorOp op, const Operand& self, const Operand& other, const aclTensor* out,
                   Rule rule = Rule::kSame, const Params& params = {}) {
  const Input inputs[] = {{self, "self"}, {other, "other"}};
  return elementwise(op, inputs, out, rule, params);
}
inline Plan ternary(VectorOp op, const Operand& a, const Operand& b, const Operand& c,
                    const aclTensor* out, Rule rule = Rule::kSame, const Params& params = {}) {
  const Input inputs[] = {{a, "self"}, {b, "tensor1"}, {c, "tensor2"}};
  return elementwise(op, inputs, out, rule, params);
}
/// self <op> other with a factor on one of them; null counts as 1.
Plan scaled(VectorOp op, const Operand& self, const Operand& other, const aclScalar* alpha,
            const aclTensor* out);

/// out = number.
Plan fill(const aclTensor* out, const Scalar& value, const char* role = "out");
Elementwise make_fill(const TensorView& out, const Scalar& value);
/// out = self, converted; for real types. See add_copy.
Elementwise make_copy(const TensorView& self, const TensorView& out, const char* role = "self");

/// Adds the command unless it has no elements.
void add(Plan& plan, Elementwise command);
/// Adds out = self, converted; any pair of types, as PyTorch converts them.
void add_copy(Plan& plan, const TensorView& self, const TensorView& out, const char* role = "self");
/// A 1-dimensional view of the elements in row-major order: of a copy if `copied`, or if the
/// strides ask for it.
TensorView flat_view(Plan& plan, const TensorView& view, bool copied = false);
/// A complex view as one of its parts' type, with a last dimension of 2.
TensorView real_view(const TensorView& view);

}  // namespace npu::aol
