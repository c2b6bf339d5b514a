// SPDX-License-Identifier: Apache-2.0
#include "torchtitan_npu/csrc/core/options.h"

#include <utility>

namespace torchtitan_npu {
namespace {

// Leaked: destructors of other statics may still report errors.
Options& stored() noexcept {
  static Options* const options = new Options();
  return *options;
}

}  // namespace

const Options& options() noexcept { return stored(); }
void set_options(Options options) { stored() = std::move(options); }

}  // namespace torchtitan_npu
