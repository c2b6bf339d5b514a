// SPDX-License-Identifier: Apache-2.0
#include "torchtitan_npu/csrc/core/library.h"

#include <dlfcn.h>
#include <link.h>

#include <array>
#include <filesystem>
#include <map>
#include <mutex>
#include <string_view>
#include <vector>

#include "torchtitan_npu/csrc/core/check.h"
#include "torchtitan_npu/csrc/core/options.h"

namespace torchtitan_npu {
namespace {

namespace fs = std::filesystem;

constexpr const char* kAclLibrary = "libascendcl.so";

// Libraries of which a process must have one CANN's only: they hold its state.
constexpr std::array<std::string_view, 8> kStatefulLibraries = {
    "libascendcl.so", "libruntime.so", "libopapi.so",     "libnnopbase.so",
    "libhccl.so",     "libgraph.so",   "libge_runner.so", "libsoftnpu.so"};

// Where functions of a name are looked for, in order; dlsym also searches a library's dependencies.
struct Route {
  std::string_view prefix;
  std::vector<const char*> libraries;
};
const std::vector<Route>& routes() {
  static const auto* const table = new std::vector<Route>{
      {"aclnn",
       {"libopapi.so", "libopapi_math.so", "libopapi_nn.so", "libopapi_cv.so",
        "libopapi_transformer.so", "libopapi_legacy.so", "libaclnn_math.so",
        "libaclnn_ops_infer.so", "libaclnn_ops_train.so", "libaclnn_fft.so", "libaclnn_rand.so",
        "libaclnn_sparse.so"}},
      {"Hccl", {"libhccl.so"}},
      {"softnpu", {kAclLibrary}},
      {"", {kAclLibrary, "libnnopbase.so", "libopapi.so", "libacl_op_compiler.so"}},
  };
  return *table;
}

fs::path real_path(const fs::path& path) {
  std::error_code error;
  fs::path result = fs::canonical(path, error);
  return error ? path : result;
}

/// The folder below `root` that holds AscendCL, or an empty path.
fs::path library_folder_of(const fs::path& root) {
  std::error_code error;
  for (const fs::path& folder : {root / "lib64", root / "runtime" / "lib64", root}) {
    if (fs::exists(folder / kAclLibrary, error)) return folder;
  }
  return {};
}

/// A stateful library in this process that is not the one in `folder`, or "".
std::string foreign_library(const fs::path& folder) {
  struct Search {
    const fs::path& folder;
    const fs::path root;
    std::string found;
  } search{folder, real_path(folder).parent_path(), ""};
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* data) {
        auto& search = *static_cast<Search*>(data);
        const fs::path path = info->dlpi_name;
        const std::string name = path.filename().string();
        const size_t end = name.find(".so");
        if (end == std::string::npos) return 0;
        const std::string stem = name.substr(0, end + 3);  // libx.so.1 is libx.so as well
        for (std::string_view stateful : kStatefulLibraries) {
          if (stem != stateful) continue;
          const fs::path real = real_path(path);
          const bool ours = real == real_path(search.folder / name) ||
                            real.string().starts_with(search.root.string() + "/");
          if (!ours) search.found = path.string();
        }
        return search.found.empty() ? 0 : 1;
      },
      &search);
  return search.found;
}

std::string mixture_text(const std::string& foreign, const fs::path& folder) {
  return "two CANNs would meet in this process: " + foreign + " is loaded already, and " +
         folder.string() +
         " was asked for. Start again with only one of them on LD_LIBRARY_PATH, or set "
         "TORCHTITAN_NPU_CANN to the folder of the one that is loaded.";
}

class Library {
 public:
  /// Chooses and loads a CANN; never throws: a failure stays in problem().
  Library() {
    try {
      choose();
    } catch (const std::exception& error) {
      problem_ = error.what();
    }
    if (problem_.empty()) info_.version = ask_version();
  }

  const std::string& problem() const { return problem_; }
  const CannInfo& info() const { return info_; }

  void* find(std::string_view name) {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const Route& route : routes()) {
      if (!name.starts_with(route.prefix)) continue;
      for (const char* file : route.libraries) {
        void* const handle = open(file);
        if (handle == nullptr) continue;
        if (void* const address = dlsym(handle, name.data())) return address;
      }
      return nullptr;
    }
    return nullptr;
  }

 private:
  void choose() {
    const Options& wanted = options();
    if (!wanted.problem.empty()) {
      problem_ = wanted.problem;
    } else if (wanted.cann == "soft") {
      load_bundled();
    } else if (wanted.cann != "auto") {
      load_from(wanted.cann, "TORCHTITAN_NPU_CANN=" + wanted.cann);
    } else if (!try_installed()) {
      load_bundled();
    }
  }

  /// True when the CANN of ASCEND_HOME_PATH has a device (it is loaded then) or when it failed for
  /// good; false, with the reason in info_.note, when the bundled one shall be taken instead.
  bool try_installed() {
    const Options& wanted = options();
    if (wanted.ascend_home.empty()) return false;
    const fs::path folder = library_folder_of(wanted.ascend_home);
    const std::string where = "ASCEND_HOME_PATH=" + wanted.ascend_home;
    if (folder.empty()) {
      info_.note = where + " has no " + kAclLibrary;
      return false;
    }
    if (real_path(folder) == real_path(library_folder_of(wanted.bundled_cann))) return false;
    if (std::string foreign = foreign_library(folder); !foreign.empty()) {
      problem_ = mixture_text(foreign, folder);
      return true;
    }
    void* const handle = dlopen((folder / kAclLibrary).c_str(), RTLD_LAZY | RTLD_LOCAL);
    if (handle == nullptr) {
      info_.note = where + " cannot be loaded: " + dlerror();
    } else if (device_count_of(handle) > 0) {
      adopt(folder, handle);
      return true;
    } else {
      info_.note = where + " finds no device";
      dlclose(handle);
    }
    return false;
  }

  static uint32_t device_count_of(void* handle) {
    const auto count_devices =
        reinterpret_cast<decltype(&aclrtGetDeviceCount)>(dlsym(handle, "aclrtGetDeviceCount"));
    uint32_t count = 0;
    return count_devices != nullptr && count_devices(&count) == ACL_SUCCESS ? count : 0;
  }

  void load_bundled() {
    info_.bundled = true;
    if (options().bundled_cann.empty()) {
      problem_ = "this installation of torchtitan_npu bundles no software CANN";
      if (!info_.note.empty()) problem_ += ", and " + info_.note;
      return;
    }
    load_from(options().bundled_cann, "the bundled CANN");
  }

  void load_from(const fs::path& root, const std::string& what) {
    const fs::path folder = library_folder_of(root);
    if (folder.empty()) {
      problem_ = what + ": there is no " + kAclLibrary + " in " + root.string() + " or its lib64";
      return;
    }
    if (std::string foreign = foreign_library(folder); !foreign.empty()) {
      problem_ = mixture_text(foreign, folder);
      return;
    }
    void* const handle = dlopen((folder / kAclLibrary).c_str(), RTLD_LAZY | RTLD_LOCAL);
    if (handle == nullptr) {
      problem_ = what + " cannot be loaded: " + dlerror();
      return;
    }
    adopt(folder, handle);
  }

  // Dependencies may have been satisfied by name from elsewhere, so look again after loading.
  void adopt(const fs::path& folder, void* handle) {
    info_.library_folder = folder.string();
    handles_[kAclLibrary] = handle;
    if (std::string foreign = foreign_library(folder); !foreign.empty()) {
      problem_ = mixture_text(foreign, folder);
    }
  }

  void* open(const char* file) {
    const auto [entry, added] = handles_.try_emplace(file, nullptr);
    if (added) {
      const fs::path path = fs::path(info_.library_folder) / file;
      entry->second = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
    }
    return entry->second;
  }

  std::string ask_version() {
    char text[ACL_PKG_VERSION_MAX_SIZE] = {};
    char package[] = "runtime";
    const auto by_name = reinterpret_cast<aclError (*)(char*, char*)>(find("aclsysGetVersionStr"));
    if (by_name != nullptr && by_name(package, text) == ACL_SUCCESS) return text;
    aclCANNPackageVersion version = {};
    const auto by_enum = reinterpret_cast<aclError (*)(aclCANNPackageName, aclCANNPackageVersion*)>(
        find("aclsysGetCANNVersion"));
    if (by_enum != nullptr && by_enum(ACL_PKG_NAME_CANN, &version) == ACL_SUCCESS) {
      return version.version;
    }
    return "unknown";
  }

  std::mutex mutex_;
  std::map<std::string, void*> handles_;
  CannInfo info_;
  std::string problem_;
};

// Leaked: tensors may be freed after static destructors began to run.
Library& library() {
  static auto* const library = new Library();
  return *library;
}

}  // namespace

const CannInfo& cann() {
  const Library& loaded = library();
  TORCH_CHECK(loaded.problem().empty(), "torchtitan_npu cannot use an NPU: ", loaded.problem(),
              error_suffix(ErrorCode::kUnavailable));
  return loaded.info();
}

bool cann_usable(std::string* why) noexcept {
  const std::string& problem = library().problem();
  if (why != nullptr) *why = problem;
  return problem.empty();
}

void* find_function(const char* name) {
  cann();
  return library().find(name);
}

void throw_missing_function(const char* name) {
  TORCH_CHECK(false, name, " is not in this CANN (version ", cann().version, ", ",
              cann().library_folder, ").", error_suffix(ErrorCode::kNotFound));
}

}  // namespace torchtitan_npu
