// SPDX-License-Identifier: Apache-2.0
// Loading and launching compiled device code, by the acl and by the older rt names.
#pragma once

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef void* aclrtBinHandle;
typedef void* aclrtFuncHandle;

typedef enum aclrtBinaryLoadOptionType {
  ACL_RT_BINARY_LOAD_OPT_LAZY_LOAD = 1,
  ACL_RT_BINARY_LOAD_OPT_LAZY_MAGIC = 2,
  ACL_RT_BINARY_LOAD_OPT_MAGIC = 2,
  ACL_RT_BINARY_LOAD_OPT_CPU_KERNEL_MODE = 3,
} aclrtBinaryLoadOptionType;

typedef union aclrtBinaryLoadOptionValue {
  uint32_t isLazyLoad;
  uint32_t magic;
  int32_t cpuKernelMode;
  uint32_t rsv[4];
} aclrtBinaryLoadOptionValue;

typedef struct {
  aclrtBinaryLoadOptionType type;
  aclrtBinaryLoadOptionValue value;
} aclrtBinaryLoadOption;

typedef struct aclrtBinaryLoadOptions {
  aclrtBinaryLoadOption* options;
  size_t numOpt;
} aclrtBinaryLoadOptions;

ACL_FUNC_VISIBILITY aclError aclrtBinaryLoadFromData(const void* data, size_t length,
                                                     const aclrtBinaryLoadOptions* options,
                                                     aclrtBinHandle* binHandle);
ACL_FUNC_VISIBILITY aclError aclrtBinaryGetFunction(const aclrtBinHandle binHandle,
                                                    const char* kernelName,
                                                    aclrtFuncHandle* funcHandle);
ACL_FUNC_VISIBILITY aclError aclrtGetFunctionAddr(aclrtFuncHandle funcHandle, void** aicAddr,
                                                  void** aivAddr);

typedef int32_t rtError_t;
typedef void* rtStream_t;
typedef struct tagRtDevBinary rtDevBinary_t;
typedef struct tagRtSmCtrl rtSmDesc_t;

ACL_FUNC_VISIBILITY rtError_t rtDevBinaryRegister(const rtDevBinary_t* bin, void** hdl);
ACL_FUNC_VISIBILITY rtError_t rtFunctionRegister(void* binHandle, const void* stubFunc,
                                                 const char* stubName, const void* kernelInfoExt,
                                                 uint32_t funcMode);
ACL_FUNC_VISIBILITY rtError_t rtKernelLaunch(const void* stubFunc, uint32_t numBlocks, void* args,
                                             uint32_t argsSize, rtSmDesc_t* smDesc, rtStream_t stm);
ACL_FUNC_VISIBILITY rtError_t rtGetC2cCtrlAddr(uint64_t* addr, uint32_t* len);

#ifdef __cplusplus
}
#endif
