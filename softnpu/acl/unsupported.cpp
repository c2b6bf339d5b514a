// SPDX-License-Identifier: Apache-2.0
// Functions that clients link to or look up and that softnpu does not have: each says so by name.
#include "acl/acl.h"
#include "acl/acl_op.h"
#include "softnpu/acl/entry.h"

using npu::acl::require_pointer;
using npu::acl::unsupported;
using npu::base::guard;

aclError aclrtReserveMemAddress(void** virPtr, size_t size, size_t alignment, void* expectPtr,
                                uint64_t flags) {
  return unsupported("aclrtReserveMemAddress", "virtual memory", virPtr, size, alignment, expectPtr,
                     flags);
}

aclError aclrtReleaseMemAddress(void* virPtr) {
  return unsupported("aclrtReleaseMemAddress", "virtual memory", virPtr);
}

aclError aclrtMallocPhysical(aclrtDrvMemHandle* handle, size_t size,
                             const aclrtPhysicalMemProp* prop, uint64_t flags) {
  return unsupported("aclrtMallocPhysical", "virtual memory", handle, size, prop, flags);
}

aclError aclrtFreePhysical(aclrtDrvMemHandle handle) {
  return unsupported("aclrtFreePhysical", "virtual memory", handle);
}

aclError aclrtMapMem(void* virPtr, size_t size, size_t offset, aclrtDrvMemHandle handle,
                     uint64_t flags) {
  return unsupported("aclrtMapMem", "virtual memory", virPtr, size, offset, handle, flags);
}

aclError aclrtUnmapMem(void* virPtr) {
  return unsupported("aclrtUnmapMem", "virtual memory", virPtr);
}

aclError aclrtMemGetAllocationGranularity(aclrtPhysicalMemProp* prop,
                                          aclrtMemGranularityOptions option, size_t* granularity) {
  return unsupported("aclrtMemGetAllocationGranularity", "virtual memory", prop, option,
                     granularity);
}

aclError aclrtMemExportToShareableHandle(aclrtDrvMemHandle handle, aclrtMemHandleType handleType,
                                         uint64_t flags, uint64_t* shareableHandle) {
  return unsupported("aclrtMemExportToShareableHandle", "virtual memory", handle, handleType, flags,
                     shareableHandle);
}

aclError aclrtMemImportFromShareableHandle(uint64_t shareableHandle, int32_t deviceId,
                                           aclrtDrvMemHandle* handle) {
  return unsupported("aclrtMemImportFromShareableHandle", "virtual memory", shareableHandle,
                     deviceId, handle);
}

aclError aclrtMemSetPidToShareableHandle(uint64_t shareableHandle, int32_t* pid, size_t pidNum) {
  return unsupported("aclrtMemSetPidToShareableHandle", "virtual memory", shareableHandle, pid,
                     pidNum);
}

aclError aclrtIpcMemGetExportKey(void* devPtr, size_t size, char* key, size_t len, uint64_t flags) {
  return unsupported("aclrtIpcMemGetExportKey", "memory shared between processes", devPtr, size,
                     static_cast<const void*>(key), len, flags);
}

aclError aclrtIpcMemImportByKey(void** devPtr, const char* key, uint64_t flags) {
  return unsupported("aclrtIpcMemImportByKey", "memory shared between processes", devPtr, key,
                     flags);
}

aclError aclrtIpcMemSetImportPid(const char* key, int32_t* pid, size_t num) {
  return unsupported("aclrtIpcMemSetImportPid", "memory shared between processes", key, pid, num);
}

aclError aclrtIpcMemClose(const char* key) {
  return unsupported("aclrtIpcMemClose", "memory shared between processes", key);
}

aclError aclrtIpcGetEventHandle(aclrtEvent event, aclrtIpcEventHandle* handle) {
  return unsupported("aclrtIpcGetEventHandle", "events shared between processes", event, handle);
}

aclError aclrtIpcOpenEventHandle(aclrtIpcEventHandle handle, aclrtEvent* event) {
  return unsupported("aclrtIpcOpenEventHandle", "events shared between processes", event);
}

aclError aclrtBinaryLoadFromData(const void* data, size_t length,
                                 const aclrtBinaryLoadOptions* options, aclrtBinHandle* binHandle) {
  return unsupported("aclrtBinaryLoadFromData", "compiled device code", data, length, options,
                     binHandle);
}

aclError aclrtBinaryGetFunction(const aclrtBinHandle binHandle, const char* kernelName,
                                aclrtFuncHandle* funcHandle) {
  return unsupported("aclrtBinaryGetFunction", "compiled device code", binHandle, kernelName,
                     funcHandle);
}

aclError aclrtGetFunctionAddr(aclrtFuncHandle funcHandle, void** aicAddr, void** aivAddr) {
  return unsupported("aclrtGetFunctionAddr", "compiled device code", funcHandle, aicAddr, aivAddr);
}

rtError_t rtDevBinaryRegister(const rtDevBinary_t* bin, void** hdl) {
  return unsupported("rtDevBinaryRegister", "compiled device code", bin, hdl);
}

rtError_t rtFunctionRegister(void* binHandle, const void* stubFunc, const char* stubName,
                             const void* kernelInfoExt, uint32_t funcMode) {
  return unsupported("rtFunctionRegister", "compiled device code", binHandle, stubFunc, stubName,
                     kernelInfoExt, funcMode);
}

rtError_t rtKernelLaunch(const void* stubFunc, uint32_t numBlocks, void* args, uint32_t argsSize,
                         rtSmDesc_t* smDesc, rtStream_t stm) {
  return unsupported("rtKernelLaunch", "compiled device code", stubFunc, numBlocks, args, argsSize,
                     smDesc, stm);
}

rtError_t rtGetC2cCtrlAddr(uint64_t* addr, uint32_t* len) {
  return unsupported("rtGetC2cCtrlAddr", "compiled device code", addr, len);
}

aclError aclmdlRICaptureBegin(aclrtStream stream, aclmdlRICaptureMode mode) {
  return unsupported("aclmdlRICaptureBegin", "graph capture", stream, mode);
}

aclError aclmdlRICaptureEnd(aclrtStream stream, aclmdlRI* modelRI) {
  return unsupported("aclmdlRICaptureEnd", "graph capture", stream, modelRI);
}

aclError aclmdlRICaptureTaskGrpBegin(aclrtStream stream) {
  return unsupported("aclmdlRICaptureTaskGrpBegin", "graph capture", stream);
}

aclError aclmdlRICaptureTaskGrpEnd(aclrtStream stream, aclrtTaskGrp* handle) {
  return unsupported("aclmdlRICaptureTaskGrpEnd", "graph capture", stream, handle);
}

aclError aclmdlRICaptureTaskUpdateBegin(aclrtStream stream, aclrtTaskGrp handle) {
  return unsupported("aclmdlRICaptureTaskUpdateBegin", "graph capture", stream, handle);
}

aclError aclmdlRICaptureTaskUpdateEnd(aclrtStream stream) {
  return unsupported("aclmdlRICaptureTaskUpdateEnd", "graph capture", stream);
}

aclError aclmdlRIExecuteAsync(aclmdlRI modelRI, aclrtStream stream) {
  return unsupported("aclmdlRIExecuteAsync", "graph capture", modelRI, stream);
}

aclError aclmdlRIDestroy(aclmdlRI modelRI) {
  return unsupported("aclmdlRIDestroy", "graph capture", modelRI);
}

aclError aclmdlRIDebugPrint(aclmdlRI modelRI) {
  return unsupported("aclmdlRIDebugPrint", "graph capture", modelRI);
}

aclError aclmdlRIDebugJsonPrint(aclmdlRI modelRI, const char* path, uint32_t flags) {
  return unsupported("aclmdlRIDebugJsonPrint", "graph capture", modelRI, path, flags);
}

aclError aclmdlRICaptureThreadExchangeMode(aclmdlRICaptureMode* mode) {
  return unsupported("aclmdlRICaptureThreadExchangeMode", "graph capture", mode);
}

aclError aclmdlInitDump() { return unsupported("aclmdlInitDump", "data dump"); }

aclError aclmdlSetDump(const char* dumpCfgPath) {
  return unsupported("aclmdlSetDump", "data dump", dumpCfgPath);
}

aclError aclmdlFinalizeDump() { return unsupported("aclmdlFinalizeDump", "data dump"); }

aclError aclGenGraphAndDumpForOp(const char* opType, int numInputs,
                                 const aclTensorDesc* const inputDesc[],
                                 const aclDataBuffer* const inputs[], int numOutputs,
                                 const aclTensorDesc* const outputDesc[],
                                 aclDataBuffer* const outputs[], const aclopAttr* attr,
                                 aclopEngineType engineType, const char* graphDumpPath,
                                 const aclGraphDumpOption* graphDumpOpt) {
  return unsupported("aclGenGraphAndDumpForOp", "data dump", opType, numInputs, inputDesc, inputs,
                     numOutputs, outputDesc, outputs, attr, engineType, graphDumpPath,
                     graphDumpOpt);
}

aclError aclDestroyGraphDumpOpt(const aclGraphDumpOption* graphDumpOpt) {
  return unsupported("aclDestroyGraphDumpOpt", "data dump", graphDumpOpt);
}

aclGraphDumpOption* aclCreateGraphDumpOpt() {
  unsupported("aclCreateGraphDumpOpt", "data dump");
  return nullptr;
}

// Asked around operators by clients that can capture: nothing ever is captured.
aclError aclmdlRICaptureGetInfo(aclrtStream stream, aclmdlRICaptureStatus* status,
                                aclmdlRI* modelRI) {
  return guard(
      "aclmdlRICaptureGetInfo",
      [&] {
        require_pointer(status, "status");
        *status = ACL_MODEL_RI_CAPTURE_STATUS_NONE;
        if (modelRI != nullptr) *modelRI = nullptr;
      },
      stream, status, modelRI);
}
