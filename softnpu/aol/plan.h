// SPDX-License-Identifier: Apache-2.0
// Plan: what phase one of an aclnn operator returns. ACLNN_OP defines both exported functions of an
// operator from one block: signature, argument names (for the trace) and a body that returns a
// Plan.
//
//   ACLNN_OP(aclnnExp, (const aclTensor* self, aclTensor* out), (self, out)) {
//     return unary(VectorOp::kExp, self, out);
//   }
#pragma once

#include <cstdint>
#include <memory>

#include "aclnnop/aclnn_base.h"
#include "softnpu/base/abi.h"
#include "softnpu/ge/operator_node.h"

namespace npu::aol {

struct Plan {
  std::unique_ptr<ge::OperatorNode> node;  // nullptr: nothing to do (empty tensors)
  uint64_t workspace = 0;                  // bytes
};

/// Name of the operator being planned on this thread ("aclnnAdd"), for builders' messages.
const char* current_operator();

/// Phase one: runs `plan`, hands out an executor that owns it. Phase two: enqueues it on the
/// stream.
template <class Body, class... Args>
aclnnStatus plan_call(const char* name, uint64_t* workspace_size, aclOpExecutor** executor,
                      Body&& plan, const Args&... args);
aclnnStatus launch_call(const char* name, void* workspace, uint64_t workspace_size,
                        aclOpExecutor* executor, aclrtStream stream);

}  // namespace npu::aol

#define NPU_UNPACK(...) __VA_ARGS__
#define ACLNN_OP(name, parameters, arguments)                                                 \
  static npu::aol::Plan name##_plan parameters;                                               \
  extern "C" __attribute__((visibility("default"))) aclnnStatus name##GetWorkspaceSize(       \
      NPU_UNPACK parameters, uint64_t* workspaceSize, aclOpExecutor** executor) {             \
    return npu::aol::plan_call(                                                               \
        #name, workspaceSize, executor, [&] { return name##_plan arguments; },                \
        NPU_UNPACK arguments);                                                                \
  }                                                                                           \
  extern "C" __attribute__((visibility("default"))) aclnnStatus name(                         \
      void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, aclrtStream stream) { \
    return npu::aol::launch_call(#name, workspace, workspaceSize, executor, stream);          \
  }                                                                                           \
  static npu::aol::Plan name##_plan parameters
