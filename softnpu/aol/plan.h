// SPDX-License-Identifier: Apache-2.0
// Plan: what phase one of an aclnn operator returns. ACLNN_OP defines both exported functions of an
// operator from one block: signature, argument names (for messages and the trace) and a body that
// returns a Plan.
//
//   ACLNN_OP(aclnnExp, (const aclTensor* self, aclTensor* out), (self, out)) {
//     return unary(VectorOp::kExp, self, out);
//   }
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>

#include "aclnnop/aclnn_base.h"
#include "softnpu/aol/argument.h"
#include "softnpu/aol/meta/trace.h"
#include "softnpu/base/abi.h"
#include "softnpu/ge/operator_node.h"

namespace npu::aol {

/// Name of the operator being planned on this thread ("aclnnAdd"); static storage.
const char* current_operator();

/// The operator's nodes in order (none: nothing to do) and the bytes of workspace they need.
class Plan {
 public:
  Plan() = default;
  template <ge::IsCommand Command>
  Plan(Command&& command) {  // NOLINT: most operators are one command
    then(std::forward<Command>(command));
  }

  /// Adds a command that runs after the ones before.
  template <ge::IsCommand Command>
  Plan& then(Command&& command) {
    uint64_t scratch = 0;
    if constexpr (requires { workspace_bytes(command); }) scratch = workspace_bytes(command);
    using Node = ge::CommandNode<std::remove_cvref_t<Command>>;
    auto node = std::make_unique<Node>(current_operator(), std::forward<Command>(command));
    if (scratch != 0) node->set_scratch(reserve(scratch), scratch);
    append(std::move(node));
    return *this;
  }
  /// A contiguous tensor in the workspace that lives as long as the plan's nodes.
  base::TensorView temporary(base::DType dtype, std::span<const int64_t> dims);
  /// A temporary with the shape of `like`.
  base::TensorView temporary(base::DType dtype, const base::TensorView& like) {
    return temporary(dtype, {like.dims.data(), static_cast<size_t>(like.rank)});
  }

  bool empty() const { return first_ == nullptr; }
  uint64_t workspace() const { return workspace_; }
  ge::OperatorNode* first() const { return first_.get(); }
  std::unique_ptr<ge::OperatorNode> take() { return std::move(first_); }

 private:
  uint64_t reserve(uint64_t bytes);
  void append(std::unique_ptr<ge::OperatorNode> node);

  std::unique_ptr<ge::OperatorNode> first_;
  ge::OperatorNode* last_ = nullptr;
  uint64_t workspace_ = 0;
};

/// Thrown by builders for element types that no native kernel has; AI CPU may have the operator.
class NoNativeKernel : public base::Error {
  using Error::Error;
};
/// How aicpu offers operators for NoNativeKernel: an empty function if it is not in the process.
using Fallback = bool (*)(const char* name, std::span<const Argument> arguments, Plan& plan);
inline constinit Fallback fallback = nullptr;

/// What builders' messages say about the call: set by plan_call while the operator is planned.
struct Call {
  const char* name;
  const char* arguments;  // "(self, other, out)"
  std::span<const void* const> pointers;
  Call* outer;
};
class CallScope {
 public:
  CallScope(const char* name, const char* arguments, std::span<const void* const> pointers);
  ~CallScope();
  CallScope(const CallScope&) = delete;
  CallScope& operator=(const CallScope&) = delete;

 private:
  Call call_;
};
/// The parameter's name of a handle that was passed to the operator, else `role`.
std::string argument_name(const void* handle, const char* role);

void publish(Plan plan, const char* name, uint64_t* workspace_size, aclOpExecutor** executor);
Plan plan_on_aicpu(const NoNativeKernel& reason, std::span<const Argument> arguments);

/// Phase one: runs `body`, hands out an executor that owns its plan.
template <class Body, class... Args>
aclnnStatus plan_call(const char* function, const char* name, const char* names,
                      uint64_t* workspace_size, aclOpExecutor** executor, Body&& body,
                      const Args&... args) {
  return base::guard(
      function,
      [&] {
        const void* const pointers[] = {pointer_of(args)...};
        const CallScope scope(name, names, pointers);
        Plan plan;
        try {
          plan = body();
        } catch (const NoNativeKernel& reason) {
          const Argument arguments[] = {Argument(args)...};
          plan = plan_on_aicpu(reason, arguments);
        }
        publish(std::move(plan), name, workspace_size, executor);
      },
      args...);
}
/// Phase two: enqueues the executor's plan on the stream.
aclnnStatus launch_call(const char* name, void* workspace, uint64_t workspace_size,
                        aclOpExecutor* executor, aclrtStream stream);

}  // namespace npu::aol

#define NPU_UNPACK(...) __VA_ARGS__
#define ACLNN_OP(name, parameters, arguments)                                                 \
  static npu::aol::Plan name##_plan parameters;                                               \
  extern "C" __attribute__((visibility("default"))) aclnnStatus name##GetWorkspaceSize(       \
      NPU_UNPACK parameters, uint64_t* workspaceSize, aclOpExecutor** executor) {             \
    return npu::aol::plan_call(                                                               \
        #name "GetWorkspaceSize", #name, #arguments, workspaceSize, executor,                 \
        [&] { return name##_plan arguments; }, NPU_UNPACK arguments);                         \
  }                                                                                           \
  extern "C" __attribute__((visibility("default"))) aclnnStatus name(                         \
      void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, aclrtStream stream) { \
    return npu::aol::launch_call(#name, workspace, workspaceSize, executor, stream);          \
  }                                                                                           \
  static npu::aol::Plan name##_plan parameters
