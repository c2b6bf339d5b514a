// SPDX-License-Identifier: Apache-2.0
// Attributes of an aclop: name and value, checked and kept.
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "acl/acl_op.h"
#include "softnpu/acl/entry.h"

using Integers = std::vector<int64_t>;
using Value = std::variant<bool, int64_t, float, std::string, aclDataType, std::vector<uint8_t>,
                           Integers, std::vector<float>, std::vector<Integers>>;

struct aclopAttr {
  std::map<std::string, Value> values;
};

namespace {

using npu::acl::require_pointer;
using npu::base::guard;
using npu::base::require;

void set(aclopAttr* attr, const char* name, Value value) {
  require_pointer(attr, "attr");
  require_pointer(name, "attrName");
  attr->values.insert_or_assign(name, std::move(value));
}

template <class T>
std::vector<T> list(int count, const T* values) {
  require(count >= 0, ACL_ERROR_INVALID_PARAM, "a list has no ", count, " values");
  if (count > 0) require_pointer(values, "values");
  return {values, values + count};
}

}  // namespace

aclopAttr* aclopCreateAttr() {
  aclopAttr* attr = nullptr;
  guard("aclopCreateAttr", [&] { attr = new aclopAttr; });
  return attr;
}

void aclopDestroyAttr(const aclopAttr* attr) {
  guard("aclopDestroyAttr", [&] { delete attr; }, attr);
}

aclError aclopSetAttrBool(aclopAttr* attr, const char* attrName, uint8_t attrValue) {
  return guard(
      "aclopSetAttrBool", [&] { set(attr, attrName, attrValue != 0); }, attr, attrName, attrValue);
}

aclError aclopSetAttrInt(aclopAttr* attr, const char* attrName, int64_t attrValue) {
  return guard(
      "aclopSetAttrInt", [&] { set(attr, attrName, attrValue); }, attr, attrName, attrValue);
}

aclError aclopSetAttrFloat(aclopAttr* attr, const char* attrName, float attrValue) {
  return guard(
      "aclopSetAttrFloat", [&] { set(attr, attrName, attrValue); }, attr, attrName, attrValue);
}

aclError aclopSetAttrString(aclopAttr* attr, const char* attrName, const char* attrValue) {
  return guard(
      "aclopSetAttrString",
      [&] {
        require_pointer(attrValue, "attrValue");
        set(attr, attrName, std::string(attrValue));
      },
      attr, attrName, attrValue);
}

aclError aclopSetAttrDataType(aclopAttr* attr, const char* attrName, aclDataType attrValue) {
  return guard(
      "aclopSetAttrDataType", [&] { set(attr, attrName, attrValue); }, attr, attrName, attrValue);
}

aclError aclopSetAttrListBool(aclopAttr* attr, const char* attrName, int numValues,
                              const uint8_t* values) {
  return guard(
      "aclopSetAttrListBool", [&] { set(attr, attrName, list(numValues, values)); }, attr, attrName,
      numValues, values);
}

aclError aclopSetAttrListInt(aclopAttr* attr, const char* attrName, int numValues,
                             const int64_t* values) {
  return guard(
      "aclopSetAttrListInt", [&] { set(attr, attrName, list(numValues, values)); }, attr, attrName,
      numValues, values);
}

aclError aclopSetAttrListFloat(aclopAttr* attr, const char* attrName, int numValues,
                               const float* values) {
  return guard(
      "aclopSetAttrListFloat", [&] { set(attr, attrName, list(numValues, values)); }, attr,
      attrName, numValues, values);
}

aclError aclopSetAttrListListInt(aclopAttr* attr, const char* attrName, int numLists,
                                 const int* numValues, const int64_t* const values[]) {
  return guard(
      "aclopSetAttrListListInt",
      [&] {
        const auto counts = list(numLists, numValues);
        if (numLists > 0) require_pointer(values, "values");
        std::vector<Integers> lists;
        for (int i = 0; i < numLists; ++i) lists.push_back(list(counts[i], values[i]));
        set(attr, attrName, std::move(lists));
      },
      attr, attrName, numLists, numValues, values);
}
