// SPDX-License-Identifier: Apache-2.0
// AtenCall: the command of operators that run on the AI CPU. A row names an ATen overload and its
// arguments in the order of its schema; arguments beyond the schema's take the results:
//
//   ACLNN_OP(aclnnErfinv, (const aclTensor* self, aclTensor* out), (self, out)) {
//     return aicpu("aten::erfinv.out", self, out);
//   }
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "softnpu/aicpu/library_interface.h"
#include "softnpu/aol/plan.h"
#include "softnpu/base/workers.h"

namespace npu::aicpu {

/// An owned argument.
struct AtenArgument {
  AtenValue::Kind kind = AtenValue::Kind::kNone;
  bool written = false;
  base::DType dtype = base::DType::kUndefined;
  base::Scalar scalar;
  std::string text;
  std::vector<base::TensorView> tensors;
  std::vector<int64_t> integers;
  std::vector<float> floats;
  std::vector<uint8_t> bools;
  // The handle of a tensor that takes a result, to tell its client the shape; null for others.
  const aclTensor* handle = nullptr;
  uint32_t generation = 0;
  int64_t capacity_bytes = 0;
};

struct AtenCall {
  const char* overload = nullptr;  // static storage
  const void* operation = nullptr;
  bool wide = false;
  std::vector<AtenArgument> arguments;
};
void visit(AtenCall& call, auto views) {
  for (AtenArgument& argument : call.arguments) {
    argument.written ? views.update(argument.tensors) : views.read(argument.tensors);
  }
}
/// Throws ACL_ERROR_RT_AICPU_EXCEPTION with ATen's message.
void run(AtenCall& call, base::Workers& workers);

AtenArgument make_argument(const aol::Argument& argument);
aol::Plan make_plan(const char* overload, std::vector<AtenArgument> arguments, bool wide = false);

template <class... Args>
std::vector<AtenArgument> make_arguments(const Args&... args) {
  std::vector<AtenArgument> arguments;
  arguments.reserve(sizeof...(args));
  (arguments.push_back(make_argument(aol::Argument(args))), ...);
  return arguments;
}

template <class... Args>
aol::Plan aicpu(const char* overload, const Args&... args) {
  return make_plan(overload, make_arguments(args...));
}
/// For operators whose CPU kernels do not take half precision or add up in it, or want their
/// indices as int64: half precision is computed with as float32 and rounded once, int32 as int64.
template <class... Args>
aol::Plan aicpu_wide(const char* overload, const Args&... args) {
  return make_plan(overload, make_arguments(args...), true);
}

}  // namespace npu::aicpu
