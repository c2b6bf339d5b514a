// SPDX-License-Identifier: Apache-2.0
// Every environment variable that softnpu reads, read once at first use. docs/options.md lists
// them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace npu::base {

struct Options {
  std::string soc;           // SOFTNPU_SOC, default Ascend910B1; validated by soc.h
  int devices;               // SOFTNPU_DEVICES, default 8
  int64_t hbm_bytes;         // SOFTNPU_HBM (suffix K/M/G allowed), 0 = the chip's
  int threads;               // SOFTNPU_THREADS, 0 = all cores this process may use
  int graph_level;           // SOFTNPU_GRAPH_LEVEL, default 0
  std::string ge_dump;       // SOFTNPU_GE_DUMP
  std::string trace;         // SOFTNPU_TRACE
  std::string isa;           // SOFTNPU_ISA: "", baseline, avx2, avx512 (may only lower the choice)
  std::string shm;           // SOFTNPU_SHM: folder of the processes' shared state, default /dev/shm
  std::vector<int> visible;  // ASCEND_RT_VISIBLE_DEVICES, logical -> physical
  bool launch_blocking;      // ASCEND_LAUNCH_BLOCKING
  std::string error;         // why the options are unusable, or "": reported by every first use
};

const Options& options();

/// Parses what `lookup` (getenv's form) gives; options() is this over the environment.
Options parse_options(const char* (*lookup)(const char* name));

}  // namespace npu::base
