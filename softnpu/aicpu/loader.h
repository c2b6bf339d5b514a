// SPDX-License-Identifier: Apache-2.0
// Finds libsoftnpu_aicpu.so. It is loaded at first need, only if libtorch_cpu is in the process
// already: an NPU without PyTorch works, less these operators. Any thread.
#pragma once

#include "softnpu/aicpu/library_interface.h"

namespace npu::aicpu {

/// Throws ACLNN_ERR_PARAM_INVALID with the reason when there is none. A later call tries again.
const Library& library();

}  // namespace npu::aicpu
