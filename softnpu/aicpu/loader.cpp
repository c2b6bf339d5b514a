// SPDX-License-Identifier: Apache-2.0
#include "softnpu/aicpu/loader.h"

#include <dlfcn.h>

#include <array>
#include <atomic>
#include <string>

#include "aclnnop/aclnn_base.h"
#include "softnpu/aol/plan.h"
#include "softnpu/base/error.h"

namespace npu::aicpu {
namespace {

constinit std::atomic<const Library*> loaded{nullptr};

[[noreturn]] void refuse(const std::string& why) {
  base::fail(ACLNN_ERR_PARAM_INVALID, aol::current_operator(),
             " is not supported here: it runs on the AI CPU, whose kernels are PyTorch's, and ",
             why);
}

/// The folder of the library that this code is in.
std::string own_folder() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&library), &info) == 0 || info.dli_fname == nullptr) {
    refuse("the folder of libsoftnpu is unknown");
  }
  const std::string path = info.dli_fname;
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

const Library& load() {
  void* torch = dlopen("libtorch_cpu.so", RTLD_NOLOAD | RTLD_LAZY);
  if (torch == nullptr) refuse("libtorch_cpu.so is not in this process");
  dlclose(torch);  // stays: somebody else loaded it
  const std::string path = own_folder() + "/libsoftnpu_aicpu.so";
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* why = dlerror();
    refuse(base::message("cannot load ", path, ": ", why == nullptr ? "unknown" : why));
  }
  const auto entry = reinterpret_cast<Entry>(dlsym(handle, kEntry));
  if (entry == nullptr) refuse(path + " is not softnpu's");
  std::array<char, kMessageBytes> message{};
  const Library* found = entry(message.data());
  if (found == nullptr) refuse(message.data());
  loaded.store(found, std::memory_order_release);
  return *found;
}

}  // namespace

const Library& library() {
  if (const Library* found = loaded.load(std::memory_order_acquire)) return *found;
  return load();
}

}  // namespace npu::aicpu
