// SPDX-License-Identifier: Apache-2.0
#include "torchtitan_npu/csrc/core/generator.h"

#include <ATen/EmptyTensor.h>
#include <ATen/core/Generator.h>
#include <ATen/core/TensorBase.h>

#include <cstring>
#include <memory>
#include <mutex>
#include <optional>

#include "torchtitan_npu/csrc/core/check.h"
#include "torchtitan_npu/csrc/core/device.h"

namespace torchtitan_npu {
namespace {

constexpr int64_t kStateBytes = 2 * sizeof(uint64_t);
// One Philox call yields four numbers; an offset is a count of them.
constexpr uint64_t kPhiloxWidth = 4;

struct DefaultGenerators {
  std::mutex mutex;
  at::Generator generators[kMaxDevices];
  std::optional<uint64_t> seed;  // for those that do not exist yet
};

DefaultGenerators& defaults() {
  static auto* const generators = new DefaultGenerators();
  return *generators;
}

}  // namespace

NPUGeneratorImpl::NPUGeneratorImpl(c10::DeviceIndex device)
    : c10::GeneratorImpl(c10::Device(kNpu, device),
                         c10::DispatchKeySet(c10::DispatchKey::PrivateUse1)) {}

void NPUGeneratorImpl::set_current_seed(uint64_t seed) {
  seed_ = seed;
  offset_ = 0;
}

void NPUGeneratorImpl::set_offset(uint64_t offset) {
  TORCH_CHECK(offset % kPhiloxWidth == 0, "the offset of an npu generator must be a multiple of ",
              kPhiloxWidth, ", got ", offset, error_suffix(ErrorCode::kValue));
  offset_ = offset;
}

uint64_t NPUGeneratorImpl::seed() {
  const uint64_t random = c10::detail::getNonDeterministicRandom();
  set_current_seed(random);
  return random;
}

c10::intrusive_ptr<c10::TensorImpl> NPUGeneratorImpl::get_state() const {
  at::TensorBase state = at::detail::empty_cpu({kStateBytes}, at::kByte);
  auto* bytes = static_cast<uint8_t*>(state.mutable_data_ptr());
  std::memcpy(bytes, &seed_, sizeof(seed_));
  std::memcpy(bytes + sizeof(seed_), &offset_, sizeof(offset_));
  return state.getIntrusivePtr();
}

void NPUGeneratorImpl::set_state(const c10::TensorImpl& state) {
  at::detail::check_rng_state(state);
  TORCH_CHECK(state.numel() == kStateBytes, "the state of an npu generator has ", kStateBytes,
              " bytes, got ", state.numel(), error_suffix(ErrorCode::kValue));
  const auto* bytes = static_cast<const uint8_t*>(state.data());
  uint64_t seed = 0;
  uint64_t offset = 0;
  std::memcpy(&seed, bytes, sizeof(seed));
  std::memcpy(&offset, bytes + sizeof(seed), sizeof(offset));
  set_offset(offset);  // checks before anything changes
  seed_ = seed;
}

// A graph that captured this generator reads the state through it, so both sides share values
// rather than objects.
void NPUGeneratorImpl::graphsafe_set_state(const c10::intrusive_ptr<c10::GeneratorImpl>& state) {
  const auto* other = dynamic_cast<const NPUGeneratorImpl*>(state.get());
  TORCH_CHECK(other != nullptr, "expected the state of an npu generator",
              error_suffix(ErrorCode::kType));
  seed_ = other->seed_;
  offset_ = other->offset_;
}

c10::intrusive_ptr<c10::GeneratorImpl> NPUGeneratorImpl::graphsafe_get_state() const {
  return clone();
}

std::pair<uint64_t, uint64_t> NPUGeneratorImpl::philox(uint64_t count) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const uint64_t offset = offset_;
  offset_ += (count + kPhiloxWidth - 1) / kPhiloxWidth * kPhiloxWidth;
  return {seed_, offset};
}

NPUGeneratorImpl* NPUGeneratorImpl::clone_impl() const {
  auto copy = std::make_unique<NPUGeneratorImpl>(device().index());
  copy->seed_ = seed_;
  copy->offset_ = offset_;
  return copy.release();
}

const at::Generator& default_generator(c10::DeviceIndex device) {
  if (device < 0) device = current_device();
  check_device_index(device);
  DefaultGenerators& all = defaults();
  const std::lock_guard<std::mutex> lock(all.mutex);
  at::Generator& generator = all.generators[device];
  if (!generator.defined()) {
    generator = at::make_generator<NPUGeneratorImpl>(device);
    if (all.seed.has_value()) {
      generator.set_current_seed(*all.seed);
    } else {
      generator.seed();
    }
  }
  return generator;
}

void seed_default_generators(uint64_t seed) {
  DefaultGenerators& all = defaults();
  const std::lock_guard<std::mutex> lock(all.mutex);
  all.seed = seed;
  for (at::Generator& generator : all.generators) {
    if (!generator.defined()) continue;
    const std::lock_guard<std::mutex> generator_lock(generator.mutex());
    generator.set_current_seed(seed);
  }
}

at::Generator create_generator(c10::DeviceIndex device) {
  if (device < 0) device = current_device();
  check_device_index(device);
  return at::make_generator<NPUGeneratorImpl>(device);
}

NPUGeneratorImpl* generator_or_default(const std::optional<at::Generator>& given,
                                       c10::DeviceIndex device) {
  const bool use_given = given.has_value() && given->defined();
  const at::Generator& generator = use_given ? *given : default_generator(device);
  TORCH_CHECK(generator.device().type() == kNpu, "expected an npu generator, got one of ",
              generator.device(), ". Make it with torch.Generator(device=\"npu\").",
              error_suffix(ErrorCode::kType));
  return generator.get<NPUGeneratorImpl>();
}

}  // namespace torchtitan_npu
