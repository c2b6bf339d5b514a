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
  std::string folder = (std::filesystem::temp_directory_path() / "softnpu-test-XXXXXX").string();
  pid_t owner = getpid();  // a forked child must not remove it

  OwnDevices() {
    if (mkdtemp(folder.data()) != nullptr) setenv("SOFTNPU_SHM", folder.c_str(), 1);
  }
  ~OwnDevices() {
    std::error_code ignored;
    if (getpid() == owner) std::filesystem::remove_all(folder, ignored);
  }
};

const OwnDevices own_devices;

}  // namespace
