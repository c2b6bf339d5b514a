// SPDX-License-Identifier: Apache-2.0
// A weak definition of every operator that clients look up, which refuses by name. Where aol or
// aicpu defines the operator, its strong definition wins at link time, so this list needs no
// upkeep. Arguments are not read, so one parameterless signature serves them all (C calling
// convention).
#include "softnpu/base/abi.h"

namespace {

constexpr int kParamInvalid = 161002;  // ACLNN_ERR_PARAM_INVALID

int refuse(const char* name) {
  return npu::base::guard(name, [] {
    npu::base::fail(kParamInvalid,
                    "unsupported: softnpu has no implementation of this operator; compute this "
                    "step on the CPU");
  });
}

}  // namespace

#define ACLNN_NAME(name)                                                                 \
  extern "C" __attribute__((weak, visibility("default"))) int name##GetWorkspaceSize() { \
    return refuse(#name);                                                                \
  }                                                                                      \
  extern "C" __attribute__((weak, visibility("default"))) int name() { return refuse(#name); }
#include "softnpu/cann/official_names.inc"
