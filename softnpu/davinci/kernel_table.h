// SPDX-License-Identifier: Apache-2.0
// KernelTable: one function pointer for each row of kernels.def. kernels/*.cpp are compiled once an
// instruction set, each build in its own namespace npu::davinci::<isa>, and kernels/table.cpp fills
// that build's table. Drivers outside kernels/ call kernels().name(...).
//
// Note [One text, many instruction sets]: an inline function that a kernel file does not inline is
// a weak symbol, and the linker keeps one copy for the whole program: perhaps the AVX-512 one, on a
// machine without AVX-512. So files in kernels/ include C headers and kernels/*.h only, define
// everything inside namespace npu::davinci::NPU_ISA (or static), and have no global with a
// constructor. tools/check_isa_symbols.py proves it on the objects.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "softnpu/base/dtype.h"
#include "softnpu/davinci/kernel_types.h"

namespace npu::davinci {

using base::DType;

struct KernelTable {
#define KERNEL(result, name, parameters) result(*name) parameters;
#include "softnpu/davinci/kernels.def"
#undef KERNEL
};

/// The table of the instruction set in use.
const KernelTable& kernels();

#ifdef NPU_ISA  // inside a kernel build
namespace NPU_ISA {
#define KERNEL(result, name, parameters) result name parameters;
#include "softnpu/davinci/kernels.def"
#undef KERNEL
}  // namespace NPU_ISA
#endif

}  // namespace npu::davinci
