// SPDX-License-Identifier: Apache-2.0
#include "modules/kernel/huge_pages.h"

#include <catch2/catch.hpp>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

namespace tessera::huge_pages_test {

TEST_CASE("a piece is aligned, zeroed and of whole chunks") {
  HugePages pages(HugePages::kChunk + 1);
  CHECK(pages.size() == 2 * HugePages::kChunk);
  CHECK(reinterpret_cast<std::uintptr_t>(pages.data()) % HugePages::kChunk == 0);
  CHECK(pages.data()[0] == std::byte{0});
  pages.data()[pages.size() - 1] = std::byte{7};
  HugePages moved(std::move(pages));
  CHECK(moved.size() == 2 * HugePages::kChunk);
  CHECK(moved.data()[moved.size() - 1] == std::byte{7});
}

TEST_CASE("what lies on the heap stays as it is when it moves to huge pages") {
  // Small blocks come from the heap proper; large ones are mapped apart.
  constexpr std::size_t kBytes = 1000;
  std::vector<std::unique_ptr<unsigned char[]>> blocks;
  for (std::size_t i = 0; i < 10'000; ++i) {
    blocks.push_back(std::make_unique<unsigned char[]>(kBytes));
    std::memset(blocks.back().get(), static_cast<int>(i % 251), kBytes);
  }
  move_heap_to_huge_pages();
  bool same = true;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    for (std::size_t at = 0; at < kBytes; ++at) same = same && blocks[i][at] == i % 251;
  }
  CHECK(same);
  move_heap_to_huge_pages();  // again, with nothing left to move
  blocks.clear();
}

}  // namespace tessera::huge_pages_test
