// SPDX-License-Identifier: Apache-2.0
// What softnpu offers beyond CANN. A client looks these up by name and works without them.
#pragma once

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Graph level of the process: 0 runs every operator alone, 1 fuses conservatively, 2 aggressively.
ACL_FUNC_VISIBILITY aclError softnpuSetGraphLevel(int32_t level);
ACL_FUNC_VISIBILITY aclError softnpuGetGraphLevel(int32_t* level);

/// In stream order from here on, nobody reads the `bytes` bytes at device address `ptr` before
/// somebody writes them: results still pending for them need not be stored.
ACL_FUNC_VISIBILITY aclError softnpuMemoryReleased(void* ptr, size_t bytes, aclrtStream stream);

/// A counter of the process by name, e.g. "nodes_run"; an unknown name is an error that lists all.
ACL_FUNC_VISIBILITY aclError softnpuGetCounter(const char* name, int64_t* value);

#ifdef __cplusplus
}
#endif
