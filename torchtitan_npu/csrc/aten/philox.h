// SPDX-License-Identifier: Apache-2.0
// What a random operator takes from a generator.
#pragma once

#include <ATen/core/Tensor.h>

#include <optional>

#include "torchtitan_npu/csrc/core/generator.h"

namespace torchtitan_npu {

// Where a draw of `numbers` numbers (by default as many as `out` has elements) starts; the
// generator is past them after.
struct Philox {
  Philox(const at::Tensor& out, const std::optional<at::Generator>& generator)
      : Philox(out, generator, out.numel()) {}
  Philox(const at::Tensor& out, const std::optional<at::Generator>& generator, int64_t numbers) {
    const auto drawn = generator_or_default(generator, out.device().index())
                           ->philox(static_cast<uint64_t>(numbers));
    seed = static_cast<int64_t>(drawn.first);
    offset = static_cast<int64_t>(drawn.second);
  }
  int64_t seed, offset;
};

}  // namespace torchtitan_npu
