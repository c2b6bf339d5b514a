// SPDX-License-Identifier: Apache-2.0
// The CANN that softnpu answers as.
#pragma once

#include <cstdint>

namespace npu::acl {

constexpr const char* kCannVersion = "8.5.0";
constexpr int kCannMajor = 8, kCannMinor = 5, kCannPatch = 0;
/// As CANN counts: 8.5.0 is 80500000.
constexpr int32_t kCannVersionNumber = kCannMajor * 10'000'000 + kCannMinor * 100'000 + kCannPatch;
/// Version of the AscendCL interface itself.
constexpr int32_t kInterfaceMajor = 1, kInterfaceMinor = 17, kInterfacePatch = 0;

}  // namespace npu::acl
