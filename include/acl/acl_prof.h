// SPDX-License-Identifier: Apache-2.0
// Profiling: sessions (aclprof), and the reports that a framework hands to it (Msprof).
#pragma once

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  ACL_AICORE_ARITHMETIC_UTILIZATION = 0,
  ACL_AICORE_PIPE_UTILIZATION = 1,
  ACL_AICORE_MEMORY_BANDWIDTH = 2,
  ACL_AICORE_L0B_AND_WIDTH = 3,
  ACL_AICORE_RESOURCE_CONFLICT_RATIO = 4,
  ACL_AICORE_MEMORY_UB = 5,
  ACL_AICORE_L2_CACHE = 6,
  ACL_AICORE_PIPE_EXECUTE_UTILIZATION = 7,
  ACL_AICORE_MEMORY_ACCESS = 8,
  ACL_AICORE_NONE = 0xFF,
} aclprofAicoreMetrics;

typedef struct aclprofConfig aclprofConfig;
typedef struct aclprofAicoreEvents aclprofAicoreEvents;

ACL_FUNC_VISIBILITY aclError aclprofInit(const char* profilerResultPath, size_t length);
ACL_FUNC_VISIBILITY aclError aclprofFinalize(void);
ACL_FUNC_VISIBILITY aclprofConfig* aclprofCreateConfig(uint32_t* deviceIdList, uint32_t deviceNums,
                                                       aclprofAicoreMetrics aicoreMetrics,
                                                       const aclprofAicoreEvents* aicoreEvents,
                                                       uint64_t dataTypeConfig);
ACL_FUNC_VISIBILITY aclError aclprofDestroyConfig(const aclprofConfig* profilerConfig);
ACL_FUNC_VISIBILITY aclError aclprofStart(const aclprofConfig* profilerConfig);
ACL_FUNC_VISIBILITY aclError aclprofStop(const aclprofConfig* profilerConfig);
ACL_FUNC_VISIBILITY aclError aclprofMarkEx(const char* msg, size_t msgLen, aclrtStream stream);

struct MsprofApi;
typedef int32_t (*ProfCommandHandle)(uint32_t type, void* data, uint32_t len);

/// `handle` is told when profiling starts and stops.
ACL_FUNC_VISIBILITY int32_t MsprofRegisterCallback(uint32_t moduleId, ProfCommandHandle handle);
ACL_FUNC_VISIBILITY int32_t MsprofReportApi(uint32_t nonPersistantFlag,
                                            const struct MsprofApi* api);
ACL_FUNC_VISIBILITY int32_t MsprofReportCompactInfo(uint32_t nonPersistantFlag, void* const data,
                                                    uint32_t length);
ACL_FUNC_VISIBILITY int32_t MsprofReportAdditionalInfo(uint32_t nonPersistantFlag, void* const data,
                                                       uint32_t length);
/// A stable number for a text, for reports to refer to it.
ACL_FUNC_VISIBILITY uint64_t MsprofGetHashId(const char* hashInfo, size_t length);
/// The clock of the reports, in its own ticks.
ACL_FUNC_VISIBILITY uint64_t MsprofSysCycleTime(void);

#ifdef __cplusplus
}
#endif
