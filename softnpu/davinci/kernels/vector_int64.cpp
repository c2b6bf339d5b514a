// SPDX-License-Identifier: Apache-2.0
#include "softnpu/davinci/kernels/vector_tiles.h"

namespace npu::davinci::NPU_ISA {

VectorTile vector_tile_int64(VectorOp op) {
  return VectorTiles<int64_t>::kTable[static_cast<int>(op)];
}

}  // namespace npu::davinci::NPU_ISA
