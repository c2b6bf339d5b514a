// SPDX-License-Identifier: Apache-2.0
// VectorOp: names of the element-wise operators, from vector_ops.def. Free of the standard library,
// because kernels that are built for one instruction set include it.
#pragma once

#include <stdint.h>

namespace npu::davinci {

enum class VectorOp : uint8_t {
#define VECTOR_OP(name, ...) name,
#include "softnpu/davinci/vector_ops.def"
#undef VECTOR_OP
};

/// Rows in vector_ops.def.
constexpr int kNumVectorOps = 0
#define VECTOR_OP(...) +1
#include "softnpu/davinci/vector_ops.def"
#undef VECTOR_OP
    ;

}  // namespace npu::davinci
