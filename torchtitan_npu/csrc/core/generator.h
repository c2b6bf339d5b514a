// SPDX-License-Identifier: Apache-2.0
// Random numbers: a Philox counter per generator. Operators take (seed, offset) and advance the
// offset by what they consume; the state is the 16 bytes {seed, offset}. Hold mutex_ (or use
// philox()) when a generator is shared between threads.
#pragma once

#include <ATen/core/Generator.h>
#include <c10/core/GeneratorImpl.h>
#include <c10/macros/Export.h>

#include <optional>
#include <utility>

namespace torchtitan_npu {

class C10_EXPORT NPUGeneratorImpl final : public c10::GeneratorImpl {
 public:
  explicit NPUGeneratorImpl(c10::DeviceIndex device);

  static c10::DeviceType device_type() { return c10::DeviceType::PrivateUse1; }

  void set_current_seed(uint64_t seed) override;
  void set_offset(uint64_t offset) override;
  uint64_t get_offset() const override { return offset_; }
  uint64_t current_seed() const override { return seed_; }
  uint64_t seed() override;
  void set_state(const c10::TensorImpl& state) override;
  c10::intrusive_ptr<c10::TensorImpl> get_state() const override;
  void graphsafe_set_state(const c10::intrusive_ptr<c10::GeneratorImpl>& state) override;
  c10::intrusive_ptr<c10::GeneratorImpl> graphsafe_get_state() const override;

  /// (seed, offset) for an operator that draws at most `count` numbers a thread; advances the
  /// offset past them, rounded up to Philox's four. Takes mutex_.
  std::pair<uint64_t, uint64_t> philox(uint64_t count);

 private:
  NPUGeneratorImpl* clone_impl() const override;

  uint64_t seed_ = c10::default_rng_seed_val;
  uint64_t offset_ = 0;
};

/// The device's default generator (-1: the current device's); lives as long as the process.
C10_EXPORT const at::Generator& default_generator(c10::DeviceIndex device = -1);
/// Seeds every device's default generator, also those of devices that are used only later; needs no
/// device.
C10_EXPORT void seed_default_generators(uint64_t seed);
C10_EXPORT at::Generator create_generator(c10::DeviceIndex device = -1);

/// The generator to draw from: `given` (throws when it is not an npu generator) or the default.
C10_EXPORT NPUGeneratorImpl* generator_or_default(const std::optional<at::Generator>& given,
                                                  c10::DeviceIndex device = -1);

}  // namespace torchtitan_npu
