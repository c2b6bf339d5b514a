// SPDX-License-Identifier: Apache-2.0
// Linked into every C++ test: devices of its own, so that what other processes allocate at the same
// time does not count.
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <system_error>

namespace {

struct OwnDevices {
  std::string folder;      // empty in a process that a test started: it has its test's devices
  pid_t owner = getpid();  // a forked child must not remove the folder

  OwnDevices() {
    if (getenv("SOFTNPU_SHM") != nullptr) return;
    folder = (std::filesystem::temp_directory_path() / "softnpu-test-XXXXXX").string();
    if (mkdtemp(folder.data()) != nullptr) setenv("SOFTNPU_SHM", folder.c_str(), 1);
  }
  ~OwnDevices() {
    std::error_code ignored;
    if (!folder.empty() && getpid() == owner) std::filesystem::remove_all(folder, ignored);
  }
};

const OwnDevices own_devices;

}  // namespace
