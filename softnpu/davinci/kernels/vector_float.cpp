// SPDX-License-Identifier: Apache-2.0
#include "softnpu/davinci/kernels/vector_tiles.h"

namespace npu::davinci::NPU_ISA {

VectorTile vector_tile_float(VectorOp op) {
  return VectorTiles<float>::kTable[static_cast<int>(op)];
}

}  // namespace npu::davinci::NPU_ISA
