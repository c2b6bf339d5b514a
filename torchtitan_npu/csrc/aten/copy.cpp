// SPDX-License-Identifier: Apache-2.0
// Copies in every direction. Types, strides and broadcasting are converted on the npu where an npu
// is the destination, and on the CPU where that is; what crosses is one block of bytes.
#include "torchtitan_npu/csrc/aten/copy.h"

#include <ATen/Dispatch_v2.h>
#include <ATen/MemoryOverlap.h>
#include <ATen/ops/_neg_view.h>
#include <ATen/ops/conj.h>
#include <ATen/ops/empty.h>
#include <c10/core/DeviceGuard.h>
#include <torch/library.h>

#include "aclnnop/factory.h"
#include "aclnnop/move.h"
#include "torchtitan_npu/csrc/aten/factory.h"
#include "torchtitan_npu/csrc/aten/op_call.h"
#include "torchtitan_npu/csrc/core/check.h"
#include "torchtitan_npu/csrc/core/device.h"
#include "torchtitan_npu/csrc/core/event.h"
#include "torchtitan_npu/csrc/core/host_allocator.h"
#include "torchtitan_npu/csrc/core/stream.h"

namespace torchtitan_npu {
namespace {

void issue(void* dst, const void* src, size_t bytes, aclrtMemcpyKind kind,
           const NPUStream& stream) {
  NPU_CHECK(FN(aclrtMemcpyAsync)(dst, bytes, src, bytes, kind, stream.handle()));
}

// Whether one block of bytes is a copy of one to the other.
bool same_layout(const at::Tensor& a, const at::Tensor& b) {
  return a.scalar_type() == b.scalar_type() && a.sizes() == b.sizes() &&
         ((a.is_contiguous() && b.is_contiguous()) ||
          (a.strides() == b.strides() && a.is_non_overlapping_and_dense()));
}

// Only a copy to or from pinned memory may still be under way when this returns.
void transfer(const at::Tensor& dst, const at::Tensor& src, aclrtMemcpyKind kind,
              bool non_blocking) {
  const NPUStream stream = current_stream();
  // CANN itself waits in a copy to pageable memory, and Ctrl-C would have to wait with it.
  if (kind == ACL_MEMCPY_DEVICE_TO_HOST && !is_pinned(dst.data_ptr())) stream.synchronize();
  issue(dst.data_ptr(), src.const_data_ptr(), src.nbytes(), kind, stream);
  const at::Tensor& host = kind == ACL_MEMCPY_HOST_TO_DEVICE ? src : dst;
  const bool pinned =
      record_host_use(host.data_ptr(), host.storage().data_ptr().get_context(), stream);
  if (!non_blocking || !pinned) stream.synchronize();
}

void copy_on_device(const at::Tensor& dst, const at::Tensor& src) {
  ACLNN(InplaceCopy)(dst, src.sizes() == dst.sizes() ? src : src.expand(dst.sizes()));
}

void host_to_device(const at::Tensor& dst, const at::Tensor& src, bool non_blocking) {
  if (src.numel() == 1 && !src.is_complex() && !dst.is_complex()) {
    ACLNN(InplaceFillScalar)(dst, src.item());
    return;
  }
  if (same_layout(dst, src)) return transfer(dst, src, ACL_MEMCPY_HOST_TO_DEVICE, non_blocking);
  const at::Tensor block = src.contiguous();
  const at::Tensor staging = new_tensor(block.sizes(), {}, block.scalar_type());
  transfer(staging, block, ACL_MEMCPY_HOST_TO_DEVICE, non_blocking && block.is_same(src));
  copy_on_device(dst, staging);
}

void device_to_host(const at::Tensor& dst, const at::Tensor& src, bool non_blocking) {
  if (same_layout(dst, src)) return transfer(dst, src, ACL_MEMCPY_DEVICE_TO_HOST, non_blocking);
  const at::Tensor block = src.contiguous();
  if (same_layout(dst, block)) return transfer(dst, block, ACL_MEMCPY_DEVICE_TO_HOST, non_blocking);
  at::Tensor host = at::empty(block.sizes(), block.options().device(at::kCPU));
  transfer(host, block, ACL_MEMCPY_DEVICE_TO_HOST, false);
  dst.copy_(host);
}

// The source's stream carries the copy; the destination's waits for it, so that both sides may go
// on, and free their memory, in the order of their own streams.
void device_to_device(const at::Tensor& dst, const at::Tensor& src) {
  const NPUStream from = current_stream(src.device().index());
  const NPUStream to = current_stream(dst.device().index());
  at::Tensor block;
  {
    const c10::DeviceGuard guard(src.device());
    block = new_tensor(src.sizes(), {}, dst.scalar_type());
    copy_on_device(block, src);
  }
  const c10::DeviceGuard guard(dst.device());
  const bool direct = same_layout(dst, block);
  const at::Tensor landing = direct ? dst : new_tensor(block.sizes(), {}, block.scalar_type());
  NPUEvent free_to_write, written;
  free_to_write.record(to);
  {
    const c10::DeviceGuard on_source(src.device());
    free_to_write.block(from);
    issue(landing.data_ptr(), block.const_data_ptr(), block.nbytes(), ACL_MEMCPY_DEVICE_TO_DEVICE,
          from);
    written.record(from);
  }
  written.block(to);
  if (!direct) copy_on_device(dst, landing);
}

// The same memory without the lazy conjugate and negative bits.
at::Tensor without_bits(const at::Tensor& tensor) {
  at::Tensor plain = tensor.is_conj() ? tensor.conj() : tensor;
  return plain.is_neg() ? plain._neg_view() : plain;
}

at::Tensor copy_from(const at::Tensor& src, const at::Tensor& dst, bool non_blocking) {
  if (C10_UNLIKELY(src.is_conj() || src.is_neg() || dst.is_conj() || dst.is_neg())) {
    at::Tensor plain = without_bits(dst);
    copy_from(without_bits(src), plain, non_blocking);
    if (src.is_conj() != dst.is_conj()) plain.conj_physical_();
    if (src.is_neg() != dst.is_neg()) plain.neg_();
    return dst;
  }
  if (dst.numel() == 0 || dst.is_same(src)) return dst;
  at::assert_no_internal_overlap(dst);
  const c10::DeviceGuard guard(dst.device().type() == kNpu ? dst.device() : src.device());
  if (src.is_cpu()) {
    host_to_device(dst, src, non_blocking);
  } else if (dst.is_cpu()) {
    device_to_host(dst, src, non_blocking);
  } else if (src.device() == dst.device()) {
    copy_on_device(dst, src);
  } else {
    TORCH_CHECK(src.device().type() == kNpu && dst.device().type() == kNpu, "cannot copy from ",
                src.device(), " to ", dst.device(), "; go through the CPU",
                error_suffix(ErrorCode::kNotSupported, Module::kOperators));
    device_to_device(dst, src);
  }
  return dst;
}

at::Tensor copy_from_and_resize(const at::Tensor& src, const at::Tensor& dst) {
  if (dst.sizes() != src.sizes()) dst.resize_(src.sizes());
  return copy_from(src, dst, false);
}

}  // namespace

at::Scalar read_scalar(const at::Tensor& self) {
  TORCH_CHECK(self.numel() == 1, "a Tensor with ", self.numel(),
              " elements cannot be converted to Scalar");
  const c10::DeviceGuard guard(self.device());
  alignas(16) char bytes[16];
  current_stream().synchronize();  // first, because the copy's own wait does not see Ctrl-C
  NPU_CHECK(FN(aclrtMemcpy)(bytes, sizeof(bytes), self.const_data_ptr(), self.itemsize(),
                            ACL_MEMCPY_DEVICE_TO_HOST));
  return AT_DISPATCH_V2(self.scalar_type(), "_local_scalar_dense", AT_WRAP([&] {
                          return at::Scalar(*reinterpret_cast<const scalar_t*>(bytes));
                        }),
                        AT_EXPAND(AT_ALL_TYPES_AND_COMPLEX), at::kComplexHalf, at::kHalf, at::kBool,
                        at::kBFloat16, AT_EXPAND(AT_BAREBONES_UNSIGNED_TYPES));
}

at::Tensor to_device(const at::Tensor& tensor, at::Device device) {
  return tensor.device() == device ? tensor : tensor.to(device);
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("_copy_from", &copy_from);
  m.impl("_copy_from_and_resize", &copy_from_and_resize);
  m.impl("_local_scalar_dense", &read_scalar);
}

// The copy itself resolves lazy bits; PyTorch's fallback for them would call it again.
TORCH_LIBRARY_IMPL(aten, Conjugate, m) {
  m.impl("_copy_from", torch::CppFunction::makeFallthrough());
}
TORCH_LIBRARY_IMPL(aten, Negative, m) {
  m.impl("_copy_from", torch::CppFunction::makeFallthrough());
}

}  // namespace torchtitan_npu
