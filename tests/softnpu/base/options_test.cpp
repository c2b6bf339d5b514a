// SPDX-License-Identifier: Apache-2.0
#include "softnpu/base/options.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "softnpu/base/soc.h"

namespace npu::base {
namespace {

std::map<std::string, std::string> environment;

Options parse(std::map<std::string, std::string> variables) {
  environment = std::move(variables);
  return parse_options([](const char* name) -> const char* {
    const auto it = environment.find(name);
    return it == environment.end() ? nullptr : it->second.c_str();
  });
}

TEST(OptionsTest, DefaultsAreATrainingServer) {
  const Options o = parse({});
  EXPECT_EQ(o.error, "");
  EXPECT_EQ(o.soc, "Ascend910B1");
  EXPECT_EQ(o.visible, (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(o.hbm_bytes, 0);
  EXPECT_EQ(o.graph_level, 0);
  EXPECT_FALSE(o.launch_blocking);
}

TEST(OptionsTest, UnknownChipListsTheValidOnes) {
  const Options o = parse({{"SOFTNPU_SOC", "nonsense"}});
  EXPECT_NE(o.error.find("SOFTNPU_SOC=nonsense"), std::string::npos);
  for (const Soc& soc : socs()) EXPECT_NE(o.error.find(soc.name), std::string::npos) << soc.name;
}

TEST(OptionsTest, ChipWithoutDocumentedMemoryNeedsASize) {
  EXPECT_NE(parse({{"SOFTNPU_SOC", "Ascend910B2C"}}).error.find("SOFTNPU_HBM"), std::string::npos);
  EXPECT_EQ(parse({{"SOFTNPU_SOC", "Ascend910B2C"}, {"SOFTNPU_HBM", "64G"}}).error, "");
}

TEST(OptionsTest, MemorySizesTakeSuffixes) {
  EXPECT_EQ(parse({{"SOFTNPU_HBM", "1048576"}}).hbm_bytes, 1 << 20);
  EXPECT_EQ(parse({{"SOFTNPU_HBM", "3M"}}).hbm_bytes, 3 << 20);
  EXPECT_EQ(parse({{"SOFTNPU_HBM", "2g"}}).hbm_bytes, int64_t{2} << 30);
  for (const char* bad : {"G", "-1", "4GB", "1.5G", "0", "99999999T", "9223372036854775807G"}) {
    EXPECT_NE(parse({{"SOFTNPU_HBM", bad}}).error.find("SOFTNPU_HBM="), std::string::npos) << bad;
  }
}

TEST(OptionsTest, TheSharedFolderMustExist) {
  EXPECT_EQ(parse({}).shm, "/dev/shm");
  EXPECT_EQ(parse({{"SOFTNPU_SHM", "/"}}).shm, "/");
  EXPECT_EQ(parse({{"SOFTNPU_SHM", "/"}}).error, "");
  EXPECT_EQ(parse({{"SOFTNPU_SHM", "/no/such"}}).error,
            "SOFTNPU_SHM=/no/such: there is no such folder");
}

TEST(OptionsTest, VisibleDevicesMapLogicalToPhysical) {
  EXPECT_EQ(parse({{"ASCEND_RT_VISIBLE_DEVICES", "3, 1"}}).visible, (std::vector<int>{3, 1}));
  EXPECT_TRUE(parse({{"ASCEND_RT_VISIBLE_DEVICES", ""}}).visible.empty());
  EXPECT_EQ(parse({{"SOFTNPU_DEVICES", "2"}}).visible, (std::vector<int>{0, 1}));
}

TEST(OptionsTest, VisibleDevicesThatAreNotThereAreNamed) {
  for (const char* bad : {"0,8", "x", "-1", "0,,1", "0,0"}) {
    const Options o = parse({{"ASCEND_RT_VISIBLE_DEVICES", bad}});
    EXPECT_NE(o.error.find(std::string("ASCEND_RT_VISIBLE_DEVICES=") + bad), std::string::npos)
        << bad << ": " << o.error;
  }
}

TEST(OptionsTest, NumbersOutOfRangeSayTheRange) {
  for (const char* name : {"SOFTNPU_THREADS", "SOFTNPU_GRAPH_LEVEL", "SOFTNPU_DEVICES"}) {
    for (const char* bad : {"-1", "many", "1000000", "3x"}) {
      EXPECT_NE(parse({{name, bad}}).error.find("expected a whole number"), std::string::npos)
          << name << "=" << bad;
    }
  }
  EXPECT_NE(parse({{"SOFTNPU_ISA", "sse9"}}).error, "");
}

TEST(SocTest, TableIsConsistent) {
  std::set<std::string> names;
  for (const Soc& soc : socs()) {
    EXPECT_TRUE(names.insert(soc.name).second) << soc.name;
    EXPECT_GT(soc.ai_cores, 0) << soc.name;
    EXPECT_GT(soc.cube_mhz, 0) << soc.name;
    EXPECT_GT(soc.l2_bytes, 0) << soc.name;
    EXPECT_EQ(find_soc(soc.name), &soc);
  }
  EXPECT_EQ(find_soc("Ascend910B1")->hbm_bytes, int64_t{64} << 30);
  EXPECT_EQ(find_soc("Ascend910B1")->vector_cores, 48);
  EXPECT_EQ(find_soc("Ascend910B")->ai_cores, 30);  // first generation, despite its name
  EXPECT_EQ(find_soc("Ascend910A")->cube_bf16, 0);
  EXPECT_EQ(find_soc("ascend910b1"), nullptr);
}

}  // namespace
}  // namespace npu::base
