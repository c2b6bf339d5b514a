// SPDX-License-Identifier: Apache-2.0
// Allocation and storage: empty, resize, set.
#include "torchtitan_npu/csrc/aten/factory.h"

#include <ATen/Context.h>
#include <ATen/EmptyTensor.h>
#include <ATen/detail/PrivateUse1HooksInterface.h>
#include <ATen/native/Resize.h>
#include <ATen/native/TensorFactories.h>
#include <c10/core/DeviceGuard.h>
#include <torch/library.h>

#include "torchtitan_npu/csrc/core/allocator.h"
#include "torchtitan_npu/csrc/core/check.h"
#include "torchtitan_npu/csrc/core/device.h"
#include "torchtitan_npu/csrc/core/stream.h"

namespace torchtitan_npu {
namespace {

constexpr c10::DispatchKeySet kKeys(c10::DispatchKey::PrivateUse1);

at::Tensor filled_when_deterministic(at::Tensor tensor) {
  const at::Context& context = at::globalContext();
  if (C10_UNLIKELY(context.deterministicAlgorithms() &&
                   context.deterministicFillUninitializedMemory())) {
    at::native::fill_empty_deterministic_(tensor);
  }
  return tensor;
}

void check_factory(std::optional<at::Layout> layout, std::optional<bool> pin_memory) {
  TORCH_CHECK(c10::layout_or_default(layout) == at::kStrided, "npu has strided tensors only, not ",
              c10::layout_or_default(layout));
  TORCH_CHECK(!c10::pinned_memory_or_default(pin_memory), "Only dense CPU tensors can be pinned");
}

at::Tensor empty(at::IntArrayRef sizes, std::optional<at::ScalarType> dtype,
                 std::optional<at::Layout> layout, std::optional<at::Device> device,
                 std::optional<bool> pin_memory, std::optional<at::MemoryFormat> format) {
  check_factory(layout, pin_memory);
  const c10::OptionalDeviceGuard guard(device);
  return filled_when_deterministic(new_tensor(sizes, {}, c10::dtype_or_default(dtype), format));
}

at::Tensor empty_strided(at::IntArrayRef sizes, at::IntArrayRef strides,
                         std::optional<at::ScalarType> dtype, std::optional<at::Layout> layout,
                         std::optional<at::Device> device, std::optional<bool> pin_memory) {
  check_factory(layout, pin_memory);
  const c10::OptionalDeviceGuard guard(device);
  return filled_when_deterministic(at::Tensor(at::detail::empty_strided_generic(
      sizes, strides, allocator(), kKeys, c10::dtype_or_default(dtype))));
}

/// Zeros without memory, which gradients that do not depend on an input are made of.
at::Tensor zeros_without_memory(at::IntArrayRef sizes, std::optional<at::ScalarType> dtype,
                                std::optional<at::Layout> layout, std::optional<at::Device> device,
                                std::optional<bool> pin_memory) {
  check_factory(layout, pin_memory);
  const c10::OptionalDeviceGuard guard(device);
  at::native::ZeroTensorAllocator nothing({c10::DeviceType::PrivateUse1, current_device()});
  return at::Tensor(at::detail::empty_generic(
      sizes, &nothing, kKeys | c10::DispatchKeySet(c10::DispatchKey::ZeroTensor),
      c10::dtype_or_default(dtype), std::nullopt));
}

void grow_storage(c10::TensorImpl* self, size_t bytes) {
  const c10::Storage& storage = self->unsafe_storage();
  TORCH_CHECK(storage, "Tensor: invalid null storage");
  if (self->numel() == 0 || bytes <= storage.nbytes()) return;
  TORCH_CHECK(storage.unsafeGetStorageImpl()->resizable(),
              "Trying to resize storage that is not resizable");
  at::detail::getPrivateUse1Hooks().resizePrivateUse1Bytes(storage, bytes);
}

const at::Tensor& resize_(const at::Tensor& self, at::IntArrayRef sizes,
                          std::optional<at::MemoryFormat> format) {
  const c10::OptionalDeviceGuard guard(self.device());
  c10::TensorImpl* impl = self.unsafeGetTensorImpl();
  const size_t old_bytes = self.storage().nbytes();
  if (impl->sizes() != sizes) {
    impl->set_sizes_contiguous(sizes);
    grow_storage(impl, at::detail::computeStorageNbytesContiguous(sizes, self.itemsize(),
                                                                  self.storage_offset()));
  }
  if (format.has_value()) {
    TORCH_CHECK(*format != at::MemoryFormat::Preserve, "Unsupported memory format ", *format);
    impl->empty_tensor_restride(*format);
  }
  const at::Context& context = at::globalContext();
  if (C10_UNLIKELY(context.deterministicAlgorithms() &&
                   context.deterministicFillUninitializedMemory())) {
    at::native::fill_resize_deterministic_(self, static_cast<int64_t>(old_bytes));
  }
  return self;
}

at::Tensor& set_storage_view(at::Tensor& self, at::Storage source, int64_t offset,
                             at::IntArrayRef sizes, at::IntArrayRef strides) {
  at::native::checkSetStorage(self, std::move(source), offset, sizes, strides);
  c10::TensorImpl* impl = self.unsafeGetTensorImpl();
  impl->set_storage_offset(offset);
  if (strides.data() == nullptr) {
    impl->set_sizes_contiguous(sizes);
  } else {
    impl->set_sizes_and_strides(sizes, strides);
  }
  const c10::OptionalDeviceGuard guard(self.device());
  grow_storage(impl, at::detail::computeStorageNbytes(self.sizes(), self.strides(), self.itemsize(),
                                                      offset));
  return self;
}

at::Tensor& set_storage(at::Tensor& self, at::Storage source) {
  const auto size = static_cast<int64_t>(source.nbytes() / self.itemsize());
  return set_storage_view(self, std::move(source), 0, size, {});
}

at::Tensor& set_tensor(at::Tensor& self, const at::Tensor& source) {
  if (self.is_same(source)) return self;
  return set_storage_view(self, source.storage(), source.storage_offset(), source.sizes(),
                          source.strides());
}

at::Tensor& set_empty(at::Tensor& self) {
  const c10::OptionalDeviceGuard guard(self.device());
  at::Storage storage(c10::Storage::use_byte_size_t(), 0, allocator(), true);
  return set_storage_view(self, std::move(storage), 0, {0}, {});
}

void record_tensor_stream(at::Tensor& self, c10::Stream stream) {
  record_stream(self.storage().data_ptr(), NPUStream(stream));
}

}  // namespace

at::Tensor new_tensor(at::IntArrayRef sizes, at::IntArrayRef strides, at::ScalarType dtype,
                      std::optional<at::MemoryFormat> format) {
  if (strides.empty()) {
    return at::Tensor(at::detail::empty_generic(sizes, allocator(), kKeys, dtype, format));
  }
  return at::Tensor(at::detail::empty_strided_generic(sizes, strides, allocator(), kKeys, dtype));
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("empty.memory_format", &empty);
  m.impl("empty_strided", &empty_strided);
  m.impl("_efficientzerotensor", &zeros_without_memory);
  m.impl("resize_", &resize_);
  m.impl("set_.source_Storage", &set_storage);
  m.impl("set_.source_Storage_storage_offset", &set_storage_view);
  m.impl("set_.source_Tensor", &set_tensor);
  m.impl("set_", &set_empty);
  m.impl("record_stream", &record_tensor_stream);
}

}  // namespace torchtitan_npu
