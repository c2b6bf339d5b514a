// SPDX-License-Identifier: Apache-2.0
#include "softnpu/davinci/kernels/vector_tiles.h"

namespace npu::davinci::NPU_ISA {

VectorTile vector_tile_int32(VectorOp op) {
  return VectorTiles<int32_t>::kTable[static_cast<int>(op)];
}

}  // namespace npu::davinci::NPU_ISA
