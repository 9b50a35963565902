// SPDX-License-Identifier: Apache-2.0
#include "common/block_name.h"

#include <catch2/catch.hpp>

namespace tessera::block_name_test {

TEST_CASE("a block's name has a star for each index, and the digits of its own name") {
  CHECK(block_name("system.gpu0.llc12") == "system.gpu*.llc*");
  CHECK(block_name("system.gpu10.l1_3") == "system.gpu*.l1_*");
  CHECK(block_name("system.gpu0.cpu_l2_1") == "system.gpu*.cpu_l2_*");
  CHECK(block_name("system.iommu") == "system.iommu");
}

}  // namespace tessera::block_name_test
