// SPDX-License-Identifier: Apache-2.0
// What ATen asks of the npu backend, registered when the library is loaded.
#include <ATen/detail/PrivateUse1HooksInterface.h>

#include <algorithm>

#include "torchtitan_npu/csrc/core/allocator.h"
#include "torchtitan_npu/csrc/core/check.h"
#include "torchtitan_npu/csrc/core/device.h"
#include "torchtitan_npu/csrc/core/generator.h"
#include "torchtitan_npu/csrc/core/host_allocator.h"
#include "torchtitan_npu/csrc/core/library.h"

namespace torchtitan_npu {
namespace {

struct NPUHooks final : at::PrivateUse1HooksInterface {
  bool isBuilt() const override { return true; }
  bool isAvailable() const override { return device_count() > 0; }
  bool hasPrimaryContext(c10::DeviceIndex device) const override {
    return has_primary_context(device);
  }
  void init() const override {
    check_device_index(current_device());
    ensure_initialized();
  }

  c10::DeviceIndex deviceCount() const override { return device_count(); }
  void setCurrentDevice(c10::DeviceIndex device) const override { set_device(device); }
  c10::DeviceIndex getCurrentDevice() const override { return current_device(); }
  c10::DeviceIndex exchangeDevice(c10::DeviceIndex device) const override {
    return maybe_exchange_device(device);
  }
  c10::DeviceIndex maybeExchangeDevice(c10::DeviceIndex device) const override {
    return maybe_exchange_device(device);
  }
  c10::Device getDeviceFromPtr(void* ptr) const override {
    bind_device();
    aclrtPtrAttributes attributes = {};
    NPU_CHECK(FN(aclrtPointerGetAttributes)(ptr, &attributes));
    TORCH_CHECK(attributes.location.type == ACL_MEM_LOCATION_TYPE_DEVICE, ptr,
                " is not an address in NPU memory", error_suffix(ErrorCode::kPointer));
    return {kNpu, static_cast<c10::DeviceIndex>(attributes.location.id)};
  }

  bool isPinnedPtr(const void* ptr) const override { return is_pinned(ptr); }
  at::Allocator* getPinnedMemoryAllocator() const override { return host_allocator(); }

  const at::Generator& getDefaultGenerator(c10::DeviceIndex device) const override {
    return default_generator(device);
  }
  at::Generator getNewGenerator(c10::DeviceIndex device) const override {
    return create_generator(device);
  }

  void resizePrivateUse1Bytes(const c10::Storage& storage, size_t bytes) const override {
    c10::StorageImpl* const impl = storage.unsafeGetStorageImpl();
    DeviceScope scope(storage.device().index());
    const NPUStream stream = current_stream();
    c10::DataPtr grown = allocator()->allocate(bytes);
    if (const size_t kept = std::min(bytes, impl->nbytes()); kept > 0) {
      NPU_CHECK(FN(aclrtMemcpyAsync)(grown.get(), bytes, impl->data(), kept,
                                     ACL_MEMCPY_DEVICE_TO_DEVICE, stream.handle()));
    }
    impl->set_data_ptr_noswap(std::move(grown));
    impl->set_nbytes(bytes);
  }
};

const bool registered = [] {
  at::RegisterPrivateUse1HooksInterface(new NPUHooks());
  return true;
}();

}  // namespace
}  // namespace torchtitan_npu
