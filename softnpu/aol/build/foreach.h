// SPDX-License-Identifier: Apache-2.0
// Plans of one vector operator over lists of tensors.
#pragma once

#include "softnpu/aol/build/elementwise.h"

namespace npu::aol {

/// An operand of every item: a tensor of a list, a number, a number of a list, or one number that
/// lies on the device.
struct ListOperand {
  std::vector<Input> values;  // one for all, or one an item
  bool one_each = false;

  ListOperand(const aclTensorList* list, const char* role = "x");  // NOLINT
  ListOperand(const aclScalar* scalar);                            // NOLINT
  ListOperand(const aclScalarList* scalars);                       // NOLINT
  ListOperand(const aclTensor* number);                            // NOLINT

  const Input& at(size_t i) const { return values[one_each ? i : 0]; }
};

Plan foreach_op(VectorOp op, std::initializer_list<ListOperand> operands, const aclTensorList* out,
                Rule rule = Rule::kSame, const Params& params = {});

}  // namespace npu::aol
