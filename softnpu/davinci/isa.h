// SPDX-License-Identifier: Apache-2.0
// Which build of the kernels this machine runs: the best instruction set that the processor, the
// operating system and SOFTNPU_ISA allow. Chosen once; any thread may ask.
#pragma once

#include <cstdint>
#include <vector>

namespace npu::davinci {

enum class Isa : uint8_t { kBaseline, kAvx2, kAvx512 };

/// "baseline", "avx2" or "avx512": SOFTNPU_ISA's values.
const char* name_of(Isa isa);

/// What this machine can run, from slowest to fastest; never empty.
const std::vector<Isa>& available_isas();

/// The instruction set in use.
Isa current_isa();

/// Tests run the same checks on every build. Not to be called while commands run.
void set_isa_for_test(Isa isa);

}  // namespace npu::davinci
