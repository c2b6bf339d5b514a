// SPDX-License-Identifier: Apache-2.0
// The one exported function of libsoftnpu_aicpu.so, as kEntry of library_interface.h.
#pragma once

#include "softnpu/aicpu/library_interface.h"

extern "C" __attribute__((visibility("default"))) const npu::aicpu::Library* softnpu_aicpu_library(
    char* message);
