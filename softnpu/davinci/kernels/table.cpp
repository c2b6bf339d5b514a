// SPDX-License-Identifier: Apache-2.0
#include "softnpu/davinci/kernel_table.h"

namespace npu::davinci::NPU_ISA {

extern const KernelTable kTable;
const KernelTable kTable = {
#define KERNEL(result, name, parameters) &name,
#include "softnpu/davinci/kernels.def"
#undef KERNEL
};

}  // namespace npu::davinci::NPU_ISA
