// SPDX-License-Identifier: Apache-2.0
// The handles: creation, getters, and what happens to null, destroyed and abandoned ones.
#include "tests/softnpu/aol/device_tensor.h"

namespace npu::testing {
namespace {

aclTensor* tensor_of(const Dims& dims, const int64_t* strides = nullptr, int64_t offset = 0) {
  return aclCreateTensor(dims.data(), dims.size(), ACL_FLOAT, strides, offset, ACL_FORMAT_NCHW,
                         dims.data(), dims.size(), nullptr);
}

TEST(Meta, TensorReportsWhatItWasMadeOf) {
  const Dims dims = {2, 3, 4}, strides = {12, 1, 3};
  aclTensor* tensor = tensor_of(dims, strides.data(), 5);
  ASSERT_NE(tensor, nullptr);
  int64_t* values = nullptr;
  uint64_t count = 0;
  ASSERT_EQ(aclGetViewShape(tensor, &values, &count), 0);
  EXPECT_EQ(Dims(values, values + count), dims);
  delete[] values;
  ASSERT_EQ(aclGetViewStrides(tensor, &values, &count), 0);
  EXPECT_EQ(Dims(values, values + count), strides);
  delete[] values;
  ASSERT_EQ(aclGetStorageShape(tensor, &values, &count), 0);
  EXPECT_EQ(Dims(values, values + count), dims);
  delete[] values;
  int64_t offset = 0;
  aclFormat format = ACL_FORMAT_ND;
  aclDataType dtype = ACL_BOOL;
  ASSERT_EQ(aclGetViewOffset(tensor, &offset), 0);
  ASSERT_EQ(aclGetFormat(tensor, &format), 0);
  ASSERT_EQ(aclGetDataType(tensor, &dtype), 0);
  EXPECT_EQ(offset, 5);
  EXPECT_EQ(format, ACL_FORMAT_NCHW);
  EXPECT_EQ(dtype, ACL_FLOAT);
  EXPECT_EQ(aclDestroyTensor(tensor), 0);
}

TEST(Meta, TensorWithoutStridesIsContiguous) {
  aclTensor* tensor = tensor_of({2, 3, 4});
  int64_t* strides = nullptr;
  uint64_t count = 0;
  ASSERT_EQ(aclGetViewStrides(tensor, &strides, &count), 0);
  EXPECT_EQ(Dims(strides, strides + count), (Dims{12, 4, 1}));
  delete[] strides;
  aclDestroyTensor(tensor);
}

TEST(Meta, InitTensorDescribesAnew) {
  aclTensor* tensor = tensor_of({2, 3});
  const int64_t dims[] = {7};
  ASSERT_EQ(aclInitTensor(tensor, dims, 1, ACL_INT64, nullptr, 0, ACL_FORMAT_ND, dims, 1, nullptr),
            0);
  aclDataType dtype = ACL_BOOL;
  ASSERT_EQ(aclGetDataType(tensor, &dtype), 0);
  EXPECT_EQ(dtype, ACL_INT64);
  aclDestroyTensor(tensor);
}

TEST(Meta, BadDescriptionsGiveNullAndAMessage) {
  const int64_t negative[] = {2, -3};
  EXPECT_EQ(
      aclCreateTensor(negative, 2, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, negative, 2, nullptr),
      nullptr);
  EXPECT_NE(last_message().find("viewDims[1] is -3"), std::string::npos) << last_message();
  const int64_t nine[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
  EXPECT_EQ(aclCreateTensor(nine, 9, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, nine, 9, nullptr),
            nullptr);
  EXPECT_EQ(aclCreateTensor(nullptr, 2, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, nullptr, 0, nullptr),
            nullptr);
  EXPECT_EQ(aclCreateTensor(nine, 1, ACL_STRING, nullptr, 0, ACL_FORMAT_ND, nine, 1, nullptr),
            nullptr);
  EXPECT_EQ(aclCreateScalar(nullptr, ACL_FLOAT), nullptr);
}

TEST(Meta, NullAndDestroyedHandlesAreRefused) {
  int64_t offset = 0;
  EXPECT_EQ(aclGetViewOffset(nullptr, &offset), ACLNN_ERR_PARAM_NULLPTR);
  EXPECT_EQ(aclDestroyTensor(nullptr), 0);
  aclTensor* tensor = tensor_of({2});
  EXPECT_EQ(aclGetViewOffset(tensor, nullptr), ACLNN_ERR_PARAM_NULLPTR);
  EXPECT_EQ(aclDestroyTensor(tensor), 0);
  EXPECT_EQ(aclDestroyTensor(tensor), ACLNN_ERR_PARAM_INVALID);
  EXPECT_EQ(aclGetViewOffset(tensor, &offset), ACLNN_ERR_PARAM_INVALID);
}

TEST(Meta, ListsOwnTheirElements) {
  aclTensor* elements[] = {tensor_of({1}), tensor_of({2})};
  aclTensorList* list = aclCreateTensorList(elements, 2);
  uint64_t size = 0;
  EXPECT_EQ(aclGetTensorListSize(list, &size), 0);
  EXPECT_EQ(size, 2u);
  EXPECT_EQ(aclDestroyTensorList(list), 0);
  int64_t offset = 0;
  EXPECT_EQ(aclGetViewOffset(elements[0], &offset), ACLNN_ERR_PARAM_INVALID);
  EXPECT_EQ(aclGetTensorListSize(list, &size), ACLNN_ERR_PARAM_INVALID);
}

TEST(Meta, ArraysReportTheirSize) {
  const int64_t ints[] = {1, 2, 3};
  const bool bools[] = {true, false};
  const float floats[] = {1.5f};
  aclIntArray* a = aclCreateIntArray(ints, 3);
  aclBoolArray* b = aclCreateBoolArray(bools, 2);
  aclFloatArray* c = aclCreateFloatArray(floats, 1);
  uint64_t size = 0;
  EXPECT_EQ(aclGetIntArraySize(a, &size), 0);
  EXPECT_EQ(size, 3u);
  EXPECT_EQ(aclGetBoolArraySize(b, &size), 0);
  EXPECT_EQ(size, 2u);
  EXPECT_EQ(aclGetFloatArraySize(c, &size), 0);
  EXPECT_EQ(size, 1u);
  EXPECT_EQ(aclGetIntArraySize(a, nullptr), ACLNN_ERR_PARAM_NULLPTR);
  aclDestroyIntArray(a);
  aclDestroyBoolArray(b);
  aclDestroyFloatArray(c);
}

TEST(Meta, RawAddressCanBeReplaced) {
  aclTensor* tensor = tensor_of({2});
  int word = 0;
  void* address = nullptr;
  EXPECT_EQ(aclSetRawTensorAddr(tensor, &word), 0);
  EXPECT_EQ(aclGetRawTensorAddr(tensor, &address), 0);
  EXPECT_EQ(address, &word);
  aclDestroyTensor(tensor);
}

}  // namespace
}  // namespace npu::testing
