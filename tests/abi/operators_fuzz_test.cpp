// SPDX-License-Identifier: Apache-2.0
// Every declared operator with arguments that nobody would pass: shapes that do not fit, sizes of
// zero, negative or huge, wrong types, overlapping and broadcast outputs, numbers without meaning.
// Each call must return; what it refuses must say which operator refused; nothing outside the
// tensors may change; and the device must still work. Under AddressSanitizer this finds more.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "acl/acl.h"
#include "aclnnop/aclnnop.h"

namespace {

constexpr int kTrials = 60;
constexpr size_t kPool = 1 << 20;
constexpr size_t kGap = 256;  // between tensors, never to be written
constexpr size_t kTensorBytes = 24 << 10;
constexpr size_t kShift = 64;        // of tensors that overlap
constexpr std::byte kPattern{0x35};  // as floats, halves and integers an ordinary number

class Fuzz {
 public:
  explicit Fuzz(unsigned seed) : random_(seed) {
    EXPECT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
    EXPECT_EQ(aclrtCreateStream(&stream_), ACL_SUCCESS);
    EXPECT_EQ(aclrtMalloc(&pool_, kPool, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
    image_.resize(kPool);
  }
  ~Fuzz() {
    EXPECT_EQ(aclrtFree(pool_), ACL_SUCCESS);
    EXPECT_EQ(aclrtDestroyStream(stream_), ACL_SUCCESS);
  }
  Fuzz(const Fuzz&) = delete;
  Fuzz& operator=(const Fuzz&) = delete;

  template <class... Args>
  void call(const char* name, aclnnStatus (*plan)(Args...),
            aclnnStatus (*run)(void*, uint64_t, aclOpExecutor*, aclrtStream)) {
    begin();
    uint64_t bytes = 0;
    aclOpExecutor* executor = nullptr;
    aclGetRecentErrMsg();
    const auto argument = [&]<class T>(std::type_identity<T>) -> T {
      if constexpr (std::is_same_v<T, uint64_t*>) {
        return &bytes;
      } else if constexpr (std::is_same_v<T, aclOpExecutor**>) {
        return &executor;
      } else {
        return make<T>();
      }
    };
    // Braces: from left to right, so that a seed always makes the same call.
    std::tuple<Args...> arguments{argument(std::type_identity<Args>{})...};
    const aclnnStatus planned = std::apply(plan, arguments);
    if (planned != ACLNN_SUCCESS) {
      ++refused;
      const char* text = aclGetRecentErrMsg();
      EXPECT_TRUE(text != nullptr && std::strstr(text, name) != nullptr)
          << name << " answered " << planned << ": " << (text ? text : "nothing");
    } else {
      launch(name, bytes, executor, run);
    }
    for (const auto& destroy : owned_) destroy();
    owned_.clear();
  }

  int refused = 0, ran = 0, failed = 0;

 private:
  void begin() {
    std::memset(image_.data(), static_cast<int>(kPattern), kPool);
    EXPECT_EQ(aclrtMemcpy(pool_, kPool, image_.data(), kPool, ACL_MEMCPY_HOST_TO_DEVICE), 0);
    used_ = kGap;
    taken_.clear();
    tensors_.clear();
    shape_ = any_shape();
    dtype_ = one_in(3) ? any_dtype() : ACL_FLOAT;
  }

  void launch(const char* name, uint64_t bytes, aclOpExecutor* executor,
              aclnnStatus (*run)(void*, uint64_t, aclOpExecutor*, aclrtStream)) {
    ++ran;
    void* workspace = nullptr;
    if (bytes != 0) {
      ASSERT_EQ(aclrtMalloc(&workspace, bytes, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS) << name;
    }
    const aclnnStatus launched = run(workspace, bytes, executor, stream_);
    const aclError finished = aclrtSynchronizeStream(stream_);
    if (launched != ACLNN_SUCCESS || finished != ACL_SUCCESS) {
      ++failed;
      const char* text = aclGetRecentErrMsg();
      EXPECT_TRUE(text != nullptr && std::strstr(text, "aclnn") != nullptr)
          << name << ": " << (text ? text : "nothing");
      // An error sticks to its stream until it was reported; a new one must work at once.
      EXPECT_EQ(aclrtDestroyStream(stream_), ACL_SUCCESS);
      EXPECT_EQ(aclrtCreateStream(&stream_), ACL_SUCCESS);
    }
    if (workspace != nullptr) {
      EXPECT_EQ(aclrtFree(workspace), ACL_SUCCESS);
    }
    ASSERT_EQ(aclrtMemcpy(image_.data(), kPool, pool_, kPool, ACL_MEMCPY_DEVICE_TO_HOST), 0)
        << "after " << name;
    size_t position = 0;
    for (const auto& [begin, end] : taken_) {
      for (; position < begin; ++position) {
        ASSERT_EQ(image_[position], kPattern) << name << " wrote outside its tensors";
      }
      position = std::max(position, end);
    }
    for (; position < kPool; ++position) {
      ASSERT_EQ(image_[position], kPattern) << name << " wrote outside its tensors";
    }
  }

  int64_t between(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random_);
  }
  bool one_in(int64_t n) { return between(1, n) == 1; }
  template <class T, size_t N>
  T any_of(const std::array<T, N>& values) {
    return values[static_cast<size_t>(between(0, static_cast<int64_t>(N) - 1))];
  }

  aclDataType any_dtype() {
    static constexpr std::array kTypes = {
        ACL_FLOAT,  ACL_FLOAT16, ACL_BF16,   ACL_INT8,   ACL_INT32, ACL_UINT8,
        ACL_INT16,  ACL_INT64,   ACL_UINT64, ACL_DOUBLE, ACL_BOOL,  ACL_COMPLEX64,
        ACL_STRING, ACL_UINT16,  ACL_INT4,   ACL_UINT32, ACL_FLOAT, ACL_FLOAT16};
    return one_in(50) ? static_cast<aclDataType>(between(-5, 99)) : any_of(kTypes);
  }

  int64_t any_size() {
    static constexpr std::array<int64_t, 8> kOdd = {
        0, -1, 1, 1 << 20, int64_t{1} << 32, int64_t{1} << 62, INT64_MAX, INT64_MIN};
    return one_in(25) ? any_of(kOdd) : between(1, 4);  // at most 4^5 elements: fits
  }
  std::vector<int64_t> any_shape() {
    std::vector<int64_t> shape(static_cast<size_t>(one_in(20) ? between(6, 12) : between(0, 5)));
    for (int64_t& size : shape) size = any_size();
    return shape;
  }

  /// Memory of the pool, most often its own; some tensors share, overlap or lie nowhere.
  void* any_memory() {
    if (one_in(60)) return nullptr;
    if (!taken_.empty() && one_in(8)) {
      const auto& [begin, end] = taken_.back();
      return static_cast<std::byte*>(pool_) + begin + (one_in(2) ? 0 : kShift);
    }
    if (used_ + kTensorBytes + kGap > kPool) used_ = kGap;  // many lists: share the first again
    taken_.emplace_back(used_, used_ + kTensorBytes);
    void* memory = static_cast<std::byte*>(pool_) + used_;
    used_ += kTensorBytes + kGap;
    return memory;
  }

  aclTensor* tensor() {
    if (one_in(40)) return nullptr;
    if (!tensors_.empty() && one_in(10)) {
      return tensors_[static_cast<size_t>(between(0, static_cast<int64_t>(tensors_.size()) - 1))];
    }
    std::vector<int64_t> shape = one_in(3) ? any_shape() : shape_;
    if (!shape.empty() && one_in(6)) {
      shape[static_cast<size_t>(between(0, static_cast<int64_t>(shape.size()) - 1))] = any_size();
    }
    std::vector<int64_t> strides(shape.size());
    uint64_t step = 1;  // may wrap around: so it does for a client that does not check
    for (size_t i = shape.size(); i-- > 0;) {
      strides[i] = static_cast<int64_t>(step);
      step *= static_cast<uint64_t>(shape[i]);
    }
    if (one_in(4)) {
      for (int64_t& stride : strides) {
        if (one_in(2)) stride = one_in(20) ? any_size() : between(-1, 7);
      }
    }
    // The memory that the client claims: what is there for the widest type, or rarely nonsense.
    static constexpr std::array<int64_t, 4> kClaims = {0, -1, 1 << 20, INT64_MAX};
    std::vector<int64_t> storage = {one_in(40) ? any_of(kClaims)
                                               : static_cast<int64_t>(kTensorBytes - kShift) / 16};
    const int64_t offset = one_in(10) ? any_size() : 0;
    aclTensor* made = aclCreateTensor(shape.data(), shape.size(), one_in(8) ? any_dtype() : dtype_,
                                      strides.data(), offset, ACL_FORMAT_ND, storage.data(),
                                      storage.size(), any_memory());
    if (made != nullptr) {
      owned_.emplace_back([made] { aclDestroyTensor(made); });
      tensors_.push_back(made);
    }
    return made;
  }

  aclScalar* scalar() {
    if (one_in(40)) return nullptr;
    const aclDataType dtype = one_in(2) ? ACL_FLOAT : any_dtype();
    std::array<double, 2> value{};  // enough for every type
    if (dtype == ACL_FLOAT) {
      const auto number = static_cast<float>(real());
      std::memcpy(value.data(), &number, sizeof number);
    } else {
      const int64_t number = integer();
      std::memcpy(value.data(), &number, sizeof number);
    }
    aclScalar* made = aclCreateScalar(value.data(), dtype);
    if (made != nullptr) owned_.emplace_back([made] { aclDestroyScalar(made); });
    return made;
  }

  int64_t integer() { return one_in(12) ? any_size() : between(-3, 6); }
  double real() {
    static constexpr std::array kOdd = {std::numeric_limits<double>::quiet_NaN(),
                                        std::numeric_limits<double>::infinity(), -1e300, 0.0};
    return one_in(8) ? any_of(kOdd) : static_cast<double>(between(-8, 8)) / 4;
  }

  template <class T, class F>
  std::vector<T> several(F&& one) {
    std::vector<T> values(static_cast<size_t>(between(0, 5)));
    for (T& value : values) value = static_cast<T>(one());
    return values;
  }
  template <class T>
  T* keep(T* made, aclnnStatus (*destroy)(const T*)) {
    if (made != nullptr) owned_.emplace_back([=] { destroy(made); });
    return made;
  }

  template <class T>
  T make() {
    using Pointee = std::remove_const_t<std::remove_pointer_t<T>>;
    if constexpr (std::is_same_v<Pointee, aclTensor>) {
      return tensor();
    } else if constexpr (std::is_same_v<Pointee, aclScalar>) {
      return scalar();
    } else if constexpr (std::is_same_v<Pointee, aclIntArray>) {
      const auto values = several<int64_t>([&] { return integer(); });
      return one_in(20) ? nullptr
                        : keep(aclCreateIntArray(values.data(), values.size()), aclDestroyIntArray);
    } else if constexpr (std::is_same_v<Pointee, aclFloatArray>) {
      const auto values = several<float>([&] { return real(); });
      return keep(aclCreateFloatArray(values.data(), values.size()), aclDestroyFloatArray);
    } else if constexpr (std::is_same_v<Pointee, aclBoolArray>) {
      const std::array<bool, 3> values = {one_in(2), one_in(2), one_in(2)};
      return keep(aclCreateBoolArray(values.data(), static_cast<uint64_t>(between(0, 3))),
                  aclDestroyBoolArray);
    } else if constexpr (std::is_same_v<Pointee, aclTensorList>) {
      std::vector<aclTensor*> members;
      for (int64_t i = between(0, 3); i > 0; --i) {
        aclTensor* member = tensor();
        // The list destroys its members, so each is in one list only.
        if (member == nullptr || owned_.empty() || member != tensors_.back()) continue;
        owned_.pop_back();
        tensors_.pop_back();
        members.push_back(member);
      }
      return keep(aclCreateTensorList(members.data(), members.size()), aclDestroyTensorList);
    } else if constexpr (std::is_same_v<Pointee, aclScalarList>) {
      return nullptr;  // its members' lifetime is tested where it is used
    } else if constexpr (std::is_same_v<Pointee, char>) {
      static char texts[][12] = {"", "none", "tanh", "sum", "mean", "add", "nonsense"};
      return one_in(10) ? nullptr : texts[between(0, 6)];
    } else if constexpr (std::is_pointer_v<T>) {
      return nullptr;
    } else if constexpr (std::is_same_v<T, bool>) {
      return one_in(2);
    } else if constexpr (std::is_enum_v<T>) {
      return static_cast<T>(one_in(10) ? between(-2, 99) : between(0, 12));
    } else if constexpr (std::is_floating_point_v<T>) {
      return static_cast<T>(real());
    } else {
      static_assert(std::is_integral_v<T>, "how does one make such an argument?");
      return static_cast<T>(integer());
    }
  }

  std::mt19937_64 random_;
  aclrtStream stream_ = nullptr;
  void* pool_ = nullptr;
  size_t used_ = 0;
  std::vector<std::byte> image_;
  std::vector<std::pair<size_t, size_t>> taken_;
  std::vector<aclTensor*> tensors_;
  std::vector<std::function<void()>> owned_;
  std::vector<int64_t> shape_;
  aclDataType dtype_ = ACL_FLOAT;
};

struct Operator {
  const char* name;
  void (*call)(Fuzz&);
};
const Operator kOperators[] = {
#define OPERATOR(name) \
  {#name, [](Fuzz& fuzz) { fuzz.call(#name, &name##GetWorkspaceSize, &name); }},
#include "declared_operators.inc"
#undef OPERATOR
};

void PrintTo(const Operator& op, std::ostream* out) { *out << op.name; }

class OperatorsFuzz : public testing::TestWithParam<Operator> {};

TEST_P(OperatorsFuzz, SurvivesArgumentsWithoutSense) {
  Fuzz fuzz(static_cast<unsigned>(std::hash<std::string>{}(GetParam().name)));
  for (int trial = 0; trial < kTrials && !HasFatalFailure(); ++trial) GetParam().call(fuzz);
  EXPECT_EQ(fuzz.refused + fuzz.ran, kTrials);
  RecordProperty("ran", fuzz.ran);
}

INSTANTIATE_TEST_SUITE_P(Declared, OperatorsFuzz, testing::ValuesIn(kOperators),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
