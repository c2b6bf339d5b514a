// SPDX-License-Identifier: Apache-2.0
// The chip table: documented facts of the SoCs that softnpu can stand for. Zero = not documented.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace npu::base {

struct Soc {
  const char* name;        // aclrtGetSocName's, e.g. "Ascend910B1"
  const char* short_name;  // the family, e.g. "Ascend910B"
  int ai_cores;
  int cube_cores;
  int vector_cores;
  int ai_cpus;
  int cube_mhz;
  int vector_mhz;
  // Multiply-adds a cycle and cube core; 0 = the cube does not take the type.
  int cube_fp16, cube_bf16, cube_fp32, cube_int8;
  // Elements a cycle and vector core.
  int vector_fp16, vector_fp32;
  int64_t ub_bytes, l1_bytes, l0a_bytes, l0b_bytes, l0c_bytes;  // of one core
  int64_t l2_bytes;
  int64_t hbm_bytes;
  double hbm_gbs;  // peak
  double l2_gbs;
};

std::span<const Soc> socs();
/// nullptr for an unknown name.
const Soc* find_soc(std::string_view name);
/// "Ascend910A, Ascend910B1, ...": the valid names, for messages.
std::string soc_names();
/// The chip of SOFTNPU_SOC. Options that name none are an error of options(); then this is the
/// default chip.
const Soc& soc();

}  // namespace npu::base
