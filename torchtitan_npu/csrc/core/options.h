// SPDX-License-Identifier: Apache-2.0
// The adapter's options as the Python side read them (torchtitan_npu/_options.py): C++ never reads
// the environment. Set once while the package is imported; read-only afterwards, except the rank.
#pragma once

#include <c10/macros/Export.h>

#include <string>

namespace torchtitan_npu {

enum class FallbackMode { kError, kWarn, kSilent };

struct Options {
  std::string cann = "auto";                     // TORCHTITAN_NPU_CANN: auto | soft | a folder
  std::string bundled_cann;                      // the software CANN of this package, or ""
  std::string ascend_home;                       // ASCEND_HOME_PATH
  std::string allocator;                         // PYTORCH_NPU_ALLOC_CONF
  FallbackMode fallback = FallbackMode::kError;  // TORCHTITAN_NPU_FALLBACK
  bool launch_blocking = false;                  // ASCEND_LAUNCH_BLOCKING
  bool compact_errors = false;  // no `[ERROR] …` line: REPL or TORCH_NPU_COMPACT_ERROR_OUTPUT=1
  int rank = -1;                // RANK, for error messages
  std::string problem;          // why the options are unusable, or "": raised at first use
};

C10_EXPORT const Options& options() noexcept;
C10_EXPORT void set_options(Options options);

}  // namespace torchtitan_npu
