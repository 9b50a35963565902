// SPDX-License-Identifier: Apache-2.0
#include "common/block_class.h"

#include <catch2/catch.hpp>

namespace tessera::block_class_test {

TEST_CASE("a block's class has a star for each index") {
  CHECK(block_class("system.gpu0.llc12") == "system.gpu*.llc*");
  CHECK(block_class("system.gpu10.l1_3") == "system.gpu*.l1_*");
  CHECK(block_class("system.gpu0.cpu_l2_1") == "system.gpu*.cpu_l2_*");
  CHECK(block_class("system.iommu") == "system.iommu");
  CHECK(block_class("response_egress3_bytes") == "response_egress*_bytes");
  CHECK(block_class_title("p2p7") == "p2p*");
}

}  // namespace tessera::block_class_test
