// SPDX-License-Identifier: Apache-2.0
#include "policies/address_map.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <set>
#include <tuple>
#include <vector>

#include "common/error.h"
#include "policies/bit_matrix.h"
#include "tests/support/policy_settings.h"

namespace tessera::address_map_test {

using namespace tessera::test;  // NOLINT(google-build-using-namespace)

namespace {

using Maps = PolicySettings<AddressMap>;

/// A seed, in the maps that have one.
Maps seeded(std::uint64_t seed) {
  const auto s = static_cast<double>(seed);
  return policy_settings<AddressMap>(
      {{"fixed-channel.seed", s}, {"pae.seed", s}, {"channel-interleave.seed", s}});
}

Maps interleaved(std::uint32_t bytes) {
  return policy_settings<AddressMap>(
      {{"gpu-interleave.interleave_bytes", bytes}, {"channel-interleave.interleave_bytes", bytes}});
}

MemoryGeometry small_geometry() {
  MemoryGeometry g;
  g.channels = 4;
  g.slices_per_channel = 2;
  g.banks_per_channel = 8;
  g.row_bytes = 512;
  g.line_bytes = 64;
  g.page_bytes = 2048;
  g.channel_bytes = 64 << 10;
  return g;
}

// Every line of the memory has a place of its own, in every way of naming places.
void check_bijection(const MemoryGeometry& g, const std::string& name, const Maps& settings = {}) {
  INFO(name);
  const auto map = make_address_map(name, g, settings);
  const std::uint64_t lines = g.total_bytes() / g.line_bytes;
  const std::uint64_t slices = std::uint64_t{g.channels} * g.slices_per_channel;
  const std::uint64_t lines_per_slice = lines / slices;
  const std::uint64_t rows = g.channel_bytes / g.banks_per_channel / g.row_bytes;
  std::vector<bool> by_slice(lines);
  std::vector<std::uint32_t> in_row(std::uint64_t{g.channels} * g.banks_per_channel * rows);
  std::vector<bool> by_channel(lines);
  for (std::uint64_t line = 0; line < lines; ++line) {
    const std::uint64_t address = line * g.line_bytes;
    const Location w = map->locate(address);
    const DramLocation d = map->decode(address);
    REQUIRE(w.channel.value < g.channels);
    REQUIRE(d.channel == w.channel);
    REQUIRE(d.bank.value < g.banks_per_channel);
    REQUIRE(d.row < rows);
    REQUIRE(w.slice.value / g.slices_per_channel == w.channel.value);
    REQUIRE(w.slice.value % g.slices_per_channel == d.bank.value % g.slices_per_channel);
    REQUIRE(w.slice_line < lines_per_slice);
    const std::uint64_t in_slice = w.slice.value * lines_per_slice + w.slice_line;
    REQUIRE_FALSE(by_slice[in_slice]);
    by_slice[in_slice] = true;
    ++in_row[(std::uint64_t{w.channel.value} * g.banks_per_channel + d.bank.value) * rows + d.row];
    const std::uint64_t in_channel = map->channel_address(address);
    REQUIRE(in_channel < g.channel_bytes);
    REQUIRE(in_channel % g.line_bytes == 0);
    const std::uint64_t byte = w.channel.value * g.channel_bytes + in_channel;
    REQUIRE_FALSE(by_channel[byte / g.line_bytes]);
    by_channel[byte / g.line_bytes] = true;
    // Bytes of a line stay together.
    REQUIRE(map->channel_address(address + g.line_bytes - 1) == in_channel + g.line_bytes - 1);
    REQUIRE(map->locate(address + 1).slice_line == w.slice_line);
  }
  for (const std::uint32_t n : in_row) REQUIRE(n == g.row_bytes / g.line_bytes);
}

// Accesses per channel of a stream: maximum over average.
double imbalance(const AddressMap& map, std::uint64_t stride, std::uint64_t accesses) {
  std::vector<std::uint64_t> count(map.geometry().channels);
  for (std::uint64_t i = 0; i < accesses; ++i) {
    ++count[map.locate(i * stride % map.geometry().total_bytes()).channel.value];
  }
  const auto most = *std::max_element(count.begin(), count.end());
  return static_cast<double>(most) * static_cast<double>(count.size()) /
         static_cast<double>(accesses);
}

}  // namespace

TEST_CASE("every address map is a bijection on small memories") {
  std::vector<MemoryGeometry> shapes(1, small_geometry());
  shapes.push_back(small_geometry());
  shapes.back().slices_per_channel = 8;  // every bank bit is a slice bit
  shapes.push_back(small_geometry());
  shapes.back().slices_per_channel = 1;
  shapes.back().channels = 1;
  shapes.push_back(small_geometry());
  shapes.back().page_bytes = 256;  // smaller than a chunk times the slices
  shapes.push_back(small_geometry());
  shapes.back().page_bytes = 16 << 10;  // spans rows
  shapes.push_back(small_geometry());
  shapes.back().page_bytes = 64 << 10;  // one page a channel
  shapes.push_back(small_geometry());
  shapes.back().banks_per_channel = 1;
  shapes.back().slices_per_channel = 1;
  shapes.push_back(small_geometry());
  shapes.back().row_bytes = 64;
  shapes.push_back(small_geometry());
  shapes.back().gpus = 2;
  for (const MemoryGeometry& g : shapes) {
    REQUIRE(g.errors().empty());
    for (const std::string& name : policy_names<AddressMap>()) {
      if (name == "channel-interleave" && g.gpus > 1) {
        CHECK_THROWS_WITH(make_address_map(name, g), Catch::Contains("is for one GPU, not 2"));
      } else if (name == "gpu-interleave" || name == "channel-interleave") {
        check_bijection(g, name, interleaved(std::min(128U, g.row_bytes)));
      } else {
        for (std::uint64_t seed = 0; seed < 4; ++seed) check_bijection(g, name, seeded(seed));
      }
    }
  }
}

namespace {

/// Under channel-interleave, each turn of chunks of both slices visits every channel once, the
/// groups one after the other, and turns begin at different channels.
void check_turns(const MemoryGeometry& g, std::uint32_t groups) {
  const Maps settings = policy_settings<AddressMap>({{"channel-interleave.groups", groups}});
  check_bijection(g, "channel-interleave", settings);
  const auto map = make_address_map("channel-interleave", g, settings);
  constexpr std::uint64_t kChunks = 512;  // 256 bytes in each of two slices
  const std::uint32_t group = g.channels / groups;
  std::set<std::uint32_t> begins;
  for (std::uint64_t turn = 0; turn < 16; ++turn) {
    const auto channel = [&](std::uint64_t n) {
      return map->locate((turn * g.channels + n) * kChunks).channel.value;
    };
    begins.insert(channel(0));
    for (std::uint32_t n = 0; n < g.channels; ++n) {
      REQUIRE(channel(n) / group == n / group);
      const std::uint32_t next = n - n % group + (n + 1) % group;
      REQUIRE(channel(next) % group == (channel(n) + 1) % group);
    }
  }
  CHECK(begins.size() > group / 4);
}

/// With pages in groups, a page's chunks are in the channels of its group, each turn in all of
/// them.
void check_groups(const MemoryGeometry& g, std::uint32_t groups) {
  const Maps settings = policy_settings<AddressMap>(
      {{"channel-interleave.groups", groups}, {"channel-interleave.pages_in_groups", true}});
  check_bijection(g, "channel-interleave", settings);
  const auto map = make_address_map("channel-interleave", g, settings);
  REQUIRE(map->page_homes() == groups);
  const std::uint32_t group = g.channels / groups;
  constexpr std::uint64_t kChunks = 512;  // 256 bytes in each of two slices
  for (std::uint32_t home = 0; home < groups; ++home) {
    const std::uint64_t page = map->page_address(ChannelId(home), 3);
    CHECK(page == home * (g.total_bytes() / groups) + 3 * g.page_bytes);
    CHECK(map->page_home(page) == ChannelId(home));
    for (std::uint64_t turn = 0; turn < 16; ++turn) {
      std::set<std::uint32_t> channels;
      for (std::uint32_t n = 0; n < group; ++n) {
        const std::uint64_t at =
            map->page_address(ChannelId(home), 0) + (turn * group + n) * kChunks;
        REQUIRE(map->locate(at).channel.value / group == home);
        channels.insert(map->locate(at).channel.value);
      }
      REQUIRE(channels.size() == group);
    }
  }
}

}  // namespace

TEST_CASE("any number of channels and GPUs, in the maps that can") {
  for (const std::uint32_t channels : {3U, 5U, 40U}) {
    for (const std::uint32_t gpus : {1U, 3U, 4U}) {
      MemoryGeometry g = small_geometry();
      g.channels = channels * gpus;
      g.gpus = gpus;
      REQUIRE(g.errors().empty());
      for (const char* name : {"fixed-channel", "gpu-interleave"}) check_bijection(g, name);
      if (gpus == 1) {
        check_bijection(g, "channel-interleave");
        check_turns(g, 1);
        if (channels == 40) check_turns(g, 2);
        check_groups(g, 1);
        if (channels == 40) check_groups(g, 2);
        const auto chunks = make_address_map("channel-interleave", g);
        REQUIRE(chunks->page_homes() == 1);
      }
      // A GPU's memory is one range: its pages, or pieces, go to its channels in turn.
      const auto pages = make_address_map("fixed-channel", g);
      const auto by_pieces = make_address_map("gpu-interleave", g);
      // Pieces of both slices of a channel stand side by side.
      const std::uint64_t stripe = std::uint64_t{128} * g.slices_per_channel;
      for (std::uint64_t n = 0; n < 3 * std::uint64_t{g.channels}; ++n) {
        REQUIRE(pages->locate(n * g.page_bytes).channel.value == n % channels);
        REQUIRE(pages->page_address(ChannelId(1), n) == (n * channels + 1) * g.page_bytes);
        REQUIRE(by_pieces->locate(n * stripe).channel.value == n % channels);
      }
      // A GPU's memory is one range in both.
      const std::uint64_t of_last =
          pages->page_address(ChannelId((gpus - 1) * channels + channels - 1), 2);
      REQUIRE(of_last == (gpus - 1) * channels * g.channel_bytes +
                             (2 * std::uint64_t{channels} + channels - 1) * g.page_bytes);
      REQUIRE(pages->locate(of_last).channel.value == g.channels - 1);
      REQUIRE(pages->channel_address(of_last) == 2 * g.page_bytes);
      REQUIRE(pages->page_homes() == g.channels);
      REQUIRE(by_pieces->page_homes() == gpus);
      const std::uint64_t last = by_pieces->page_address(ChannelId(gpus - 1), 2);
      REQUIRE(last == (gpus - 1) * channels * g.channel_bytes + 2 * g.page_bytes);
      REQUIRE(by_pieces->page_home(last) == ChannelId(gpus - 1));
      REQUIRE(by_pieces->locate(last).channel.value / channels == gpus - 1);
    }
  }
  MemoryGeometry g;
  g.channels = 40;
  CHECK_THROWS_WITH(make_address_map("pae", g),
                    "address map 'pae': channels is 40; expected a power of two, for a channel's "
                    "number is made of parities: 32 or 64 (fixed-channel takes any number)");
}

TEST_CASE("a slice's line numbers are dense for every map on the Table 1 geometry") {
  // Too large to enumerate: an aligned 4 MB is, through its set of (slice, slice_line) pairs.
  for (const std::string& name : policy_names<AddressMap>()) {
    const auto map = make_address_map(name, MemoryGeometry{});
    std::set<std::pair<std::uint32_t, std::uint64_t>> seen;
    for (std::uint64_t a = 0; a < 4 << 20; a += 128) {
      const Location w = map->locate(a);
      REQUIRE(w.slice.value < 64);
      REQUIRE(w.slice_line < (std::uint64_t{512} << 20) / 2 / 128);
      REQUIRE(seen.emplace(w.slice.value, w.slice_line).second);
    }
  }
}

TEST_CASE("fixed-channel keeps a whole page in one channel and says which") {
  for (const std::uint64_t page : {std::uint64_t{4096}, std::uint64_t{2} << 20}) {
    MemoryGeometry g;
    g.page_bytes = page;
    const auto map = make_address_map("fixed-channel", g, seeded(7));
    REQUIRE(map->page_has_one_home());
    std::mt19937_64 random(1);
    std::set<std::uint64_t> addresses;
    for (std::uint32_t c = 0; c < g.channels; ++c) {
      for (const std::uint64_t index :
           {std::uint64_t{0}, std::uint64_t{1}, random() % 100, g.channel_bytes / page - 1}) {
        const std::uint64_t base = map->page_address(ChannelId(c), index);
        REQUIRE(base % page == 0);
        REQUIRE(base < g.total_bytes());
        addresses.insert(base);
        for (std::uint64_t o = 0; o < page; o += 128) {
          REQUIRE(map->locate(base + o).channel == ChannelId(c));
          // A page is one piece of its channel.
          REQUIRE(map->channel_address(base + o) == index * page + o);
        }
      }
    }
    CHECK(addresses.size() >= std::size_t{3} * g.channels);
  }
}

TEST_CASE("gpu-interleave: a GPU's memory is one range, dealt over its channels in pieces") {
  MemoryGeometry g;
  g.gpus = 4;
  g.channels = 64;
  g.slices_per_channel = 1;
  g.line_bytes = 64;
  g.channel_bytes = std::uint64_t{256} << 20;
  const auto map = make_address_map("gpu-interleave", g);
  REQUIRE(map->page_has_one_home());
  CHECK(map->page_homes() == 4);
  CHECK(map->page_address(ChannelId(0), 5) == 5 * 4096);
  CHECK(map->page_address(ChannelId(3), 5) == (std::uint64_t{12} << 30) + 5 * 4096);
  const std::uint64_t base = map->page_address(ChannelId(2), 7);
  for (std::uint64_t o = 0; o < 4096; ++o) {
    REQUIRE(map->page_home(base + o) == ChannelId(2));
    REQUIRE(map->locate(base + o).channel == ChannelId(2 * 16 + o / 128 % 16));
  }
  // 16 channels on: the same channel, its next 128 bytes.
  CHECK(map->channel_address(base + 2048) == map->channel_address(base) + 128);
  CHECK(map->locate(base + 128).slice_line == map->locate(base).slice_line);
  CHECK(map->locate(base + 64).slice_line == map->locate(base).slice_line + 1);
  CHECK_THROWS_WITH(make_address_map("gpu-interleave", g, interleaved(32)),
                    Catch::Contains("interleave_bytes"));
}

TEST_CASE("a page spreads over every slice of its channel") {
  for (const std::uint32_t slices : {1U, 2U, 4U}) {
    MemoryGeometry g;
    g.slices_per_channel = slices;
    const auto map = make_address_map("fixed-channel", g);
    std::vector<unsigned> lines(slices);
    for (std::uint64_t o = 0; o < 4096; o += 128) {
      ++lines[map->locate(3 * 4096 + o).slice.value % slices];
    }
    for (const unsigned n : lines) CHECK(n == 32 / slices);
  }
}

TEST_CASE("pae spreads power-of-two strides evenly where fixed-channel does not") {
  const MemoryGeometry g;
  const auto fixed = make_address_map("fixed-channel", g);
  // A stride of one page per channel set stays in one channel.
  CHECK(imbalance(*fixed, std::uint64_t{4096} * g.channels, 4096) == Approx(g.channels));
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const auto pae = make_address_map("pae", g, seeded(seed));
    for (std::uint64_t stride = 128; stride <= std::uint64_t{1} << 21; stride *= 2) {
      INFO("seed " << seed << ", stride " << stride);
      CHECK(imbalance(*pae, stride, 4096) == Approx(1.0));
    }
    // Other strides: near even.
    for (const std::uint64_t stride : {384, 640, 4224, 12288, 36864, 100096}) {
      INFO("seed " << seed << ", stride " << stride);
      CHECK(imbalance(*pae, stride, 16384) < 1.5);
    }
  }
}

TEST_CASE("bank bits are randomised in three maps: rows of one bank stride do not collide") {
  const MemoryGeometry g;
  for (const char* name : {"fixed-channel", "pae", "channel-interleave"}) {
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      const auto map = make_address_map(name, g, seeded(seed));
      // Sixteen addresses that differ in the lowest four row bits only.
      const std::uint64_t row_stride = std::uint64_t{g.row_bytes} * 16 * g.channels;
      std::set<std::pair<std::uint32_t, std::uint32_t>> banks;
      for (std::uint64_t i = 0; i < 16; ++i) {
        const DramLocation w = map->decode(i * row_stride);
        CHECK(w.row == i);
        banks.emplace(w.channel.value, w.bank.value);
      }
      CHECK(banks.size() == 16);
    }
  }
}

TEST_CASE("column bits stay: a map keeps what shares a row together") {
  const MemoryGeometry g;
  for (const std::string& name : policy_names<AddressMap>()) {
    const auto map = make_address_map(name, g, seeded(3));
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, unsigned> lines_of_row;
    const std::uint64_t span = std::uint64_t{g.row_bytes} * g.banks_per_channel * g.channels;
    for (std::uint64_t a = 0; a < span; a += 128) {
      const DramLocation w = map->decode(a);
      ++lines_of_row[{w.channel.value, w.bank.value, w.row}];
    }
    for (const auto& entry : lines_of_row) CHECK(entry.second == g.row_bytes / 128);
  }
}

TEST_CASE("the seed chooses the subsets, and the same seed the same ones") {
  const MemoryGeometry g;
  for (const char* name : {"fixed-channel", "pae", "channel-interleave"}) {
    const auto a = make_address_map(name, g);
    const auto b = make_address_map(name, g);
    const auto c = make_address_map(name, g, seeded(2));
    unsigned different = 0;
    for (std::uint64_t i = 0; i < 10000; ++i) {
      const std::uint64_t address = i * 1234567 * 128 % g.total_bytes();
      REQUIRE(a->decode(address).bank == b->decode(address).bank);
      REQUIRE(a->locate(address).slice == b->locate(address).slice);
      different += a->decode(address).bank != c->decode(address).bank ? 1 : 0;
    }
    CHECK(different > 1000);
  }
}

TEST_CASE("turns of channel-interleave begin at the same channels on every machine") {
  MemoryGeometry g = small_geometry();
  g.channels = 40;
  const auto map = make_address_map("channel-interleave", g);
  std::vector<std::uint32_t> begins;
  for (std::uint64_t turn = 0; turn < 6; ++turn) {
    begins.push_back(map->locate(turn * g.channels * 512).channel.value);
  }
  // splitmix64 of the turn's number and the seed, modulo the channels, by another implementation.
  CHECK(begins == std::vector<std::uint32_t>{36, 14, 28, 26, 28, 1});
}

TEST_CASE("the random subsets are the same on every machine") {
  // Pinned: results of a run may not depend on the library's random numbers.
  FixedRandom random(42);
  CHECK(random.next() == 0xbdd732262feb6e95U);
  CHECK(random.next() == 0x28efe333b266f103U);
}

TEST_CASE("random matrices are invertible and independent in windows") {
  FixedRandom random(5);
  for (unsigned round = 0; round < 50; ++round) {
    const BitMatrix m = random_invertible(9, 30, {{0, 5}, {0, 6}, {0, 9}}, random);
    CHECK(rank_of({m.columns.begin(), m.columns.begin() + 9}) == 9);
    for (std::size_t i = 0; i + 9 <= m.columns.size(); ++i) {
      std::vector<std::uint64_t> window(m.columns.begin() + static_cast<std::ptrdiff_t>(i),
                                        m.columns.begin() + static_cast<std::ptrdiff_t>(i) + 9);
      CHECK(rank_of(window) == 9);
      for (auto& column : window) column &= 31;
      window.resize(5);
      CHECK(rank_of(window) == 5);
    }
    for (unsigned r = 0; r < 9; ++r) {
      for (std::size_t c = 0; c < 30; ++c) {
        REQUIRE(((m.row(r) >> c) & 1) == ((m.columns[c] >> r) & 1));
      }
    }
  }
  // Invertible without any window asked for, too.
  for (unsigned round = 0; round < 50; ++round) {
    const BitMatrix m = random_invertible(4, 10, {}, random);
    CHECK(rank_of({m.columns.begin(), m.columns.begin() + 4}) == 4);
  }
  CHECK(rank_of({3, 5, 6}) == 2);
  CHECK(rank_of({0, 0}) == 0);
}

TEST_CASE("a bad geometry or an unknown map is refused in words") {
  MemoryGeometry g;
  g.channels = 40000;
  g.row_bytes = 0;
  CHECK(g.errors().size() == 2);
  CHECK_THROWS_AS(make_address_map("pae", g), InputError);
  CHECK_THROWS_WITH(make_address_map("pae", g), Catch::Contains("channels is 40000"));
  g = MemoryGeometry{};
  g.gpus = 3;
  CHECK_THROWS_WITH(make_address_map("pae", g),
                    Catch::Contains("channels is 32; expected a multiple of gpus (3)"));
  CHECK_THROWS_WITH(
      make_address_map("pea", MemoryGeometry{}),
      Catch::Contains("unknown address_map policy") && Catch::Contains("did you mean 'pae'"));
  g = MemoryGeometry{};
  g.slices_per_channel = 32;
  CHECK_THROWS_WITH(make_address_map("pae", g), Catch::Contains("banks_per_channel is 16"));
}

}  // namespace tessera::address_map_test
