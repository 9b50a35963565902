// SPDX-License-Identifier: Apache-2.0
// Surface loads and stores: every geometry, width and boundary mode, against a reference.

#include <catch2/catch.hpp>

#include "tests/stimuli/ptx/texture_support.h"

namespace tessera::surface_test {

using namespace tessera::test;
using Catch::Matchers::Contains;

namespace {

struct Width {
  const char* vector;
  unsigned elements;
  unsigned bytes;  ///< of an element
};

const Width kWidths[] = {{"", 1, 1},    {"", 1, 2},    {"", 1, 4},    {"", 1, 8},
                         {".v2", 2, 1}, {".v2", 2, 2}, {".v2", 2, 4}, {".v2", 2, 8},
                         {".v4", 4, 1}, {".v4", 4, 2}, {".v4", 4, 4}};

std::string registers(const Width& w) {
  const std::string r = w.bytes == 8 ? "%rd" : w.bytes == 4 ? "%r" : "%rs";
  std::string text = "{";
  for (unsigned e = 0; e < w.elements; ++e) {
    text += (e != 0 ? ", " : "") + r + std::to_string(5 + e);
  }
  return text + "}";
}

/// Coordinates are %r20 (layer) and %r21 to %r23; the data is read from or stored to [%rd1].
std::string access_text(const TextureDescriptor& t, const Width& w, const std::string& mode,
                        bool is_store) {
  std::string tuple = t.layers != 0 ? "{%r20, %r21" : "{%r21";
  if (t.dimensions > 1) tuple += ", %r22";
  if (t.dimensions > 2) tuple += ", %r23";
  if (t.dimensions == 3 || (t.dimensions == 2 && t.layers != 0)) tuple += ", %r21";
  tuple += "}";
  const std::string form = std::string(".b.") + geometry_of(t) + w.vector + ".b" +
                           std::to_string(8 * w.bytes) + "." + mode;
  std::string move;
  const std::string r = w.bytes == 8 ? "%rd" : w.bytes == 4 ? "%r" : "%rs";
  for (unsigned e = 0; e < w.elements; ++e) {
    const std::string type = ".global.b" + std::to_string(8 * w.bytes);
    const std::string place = "[%rd1+" + std::to_string(e * w.bytes) + "]";
    move += is_store ? "ld" + type + " " + r + std::to_string(5 + e) + ", " + place + ";\n"
                     : "st" + type + " " + place + ", " + r + std::to_string(5 + e) + ";\n";
  }
  const std::string access =
      is_store ? "sust" + form + " [%rd3, " + tuple + "], " + registers(w) + ";\n"
               : "suld" + form + " " + registers(w) + ", [%rd3, " + tuple + "];\n";
  const std::string text = fetch_text(
      "mov.u32 %r20, %r4;\nmov.u32 %r21, %r5;\nmov.u32 %r22, %r6;\nmov.u32 %r23, %r7;\n" +
      (is_store ? move + access : access + move));
  // No other result.
  const std::size_t at = text.find("st.global.v4");
  return text.substr(0, at) + text.substr(text.find('\n', at) + 1);
}

constexpr unsigned kThreads = 32;

void check(unsigned seed, bool is_store, bool carried) {
  std::mt19937 random(seed);
  TextureDescriptor t;
  t.dimensions = 1 + random() % 3;
  t.width = 2 + random() % 5;
  t.height = 1 + random() % 4;
  t.depth = 1 + random() % 4;
  if (t.dimensions < 3 && random() % 2 == 0) t.layers = 1 + random() % 3;
  t.channels = 4;
  t.channel_bytes = 4;
  t.type = TexelType::kUnsigned;
  const Width w = kWidths[random() % std::size(kWidths)];
  const bool clamps = random() % 2 == 0;
  KernelRunner k(access_text(t, w, clamps ? "clamp" : "zero", is_store));
  place_texture(k, t, random);
  k.more_arguments = {KernelArgument::of(k.textures.add(t))};
  const long bytes = w.elements * w.bytes;
  std::array<std::uint64_t, 128> data{};
  for (auto& v : data) v = (std::uint64_t{random()} << 32) | random();
  std::memcpy(k.memory.at(k.out), data.data(), sizeof data);
  std::vector<std::byte> image(t.layer_bytes * std::max(1u, t.layers));
  std::memcpy(image.data(), k.memory.at(t.base), image.size());
  std::vector<std::byte> out(16 * kThreads);
  std::memcpy(out.data(), k.memory.at(k.out), out.size());
  const long size[4] = {t.layers != 0 ? t.layers : 1, t.width * 16l,
                        t.dimensions > 1 ? t.height : 1, t.dimensions > 2 ? t.depth : 1};
  const std::uint64_t pitch[4] = {t.layer_bytes, 1, t.row_bytes, t.slice_bytes};
  for (unsigned i = 0; i < kThreads; ++i) {
    std::uint64_t place = 0;
    bool inside = true;
    for (unsigned a = 0; a < 4; ++a) {
      const bool used = a == 0 ? t.layers != 0 : a <= t.dimensions;
      long c = static_cast<long>(random() % static_cast<unsigned long>(2 * size[a])) - size[a] / 2;
      if (a == 0) c = std::max(0l, c);
      if (a == 1) c = c / bytes * bytes;
      k.set_input<std::int32_t>(4 * i + a, static_cast<std::int32_t>(c));
      if (!used) continue;
      const long last = size[a] - (a == 1 ? bytes : 1);
      if (c < 0 || c > last) inside = false;
      place += static_cast<std::uint64_t>(std::min(std::max(c, 0l), last)) * pitch[a];
    }
    std::byte* const mine = out.data() + 16 * i;
    if (is_store) {
      if (inside || clamps)
        std::memcpy(image.data() + place, mine, static_cast<std::size_t>(bytes));
    } else if (inside || clamps) {
      std::memcpy(mine, image.data() + place, static_cast<std::size_t>(bytes));
    } else {
      std::memset(mine, 0, static_cast<std::size_t>(bytes));
    }
  }
  if (carried)
    k.run_carried({kThreads, 1, 1}, {1, 1, 1}, seed);
  else
    k.run({kThreads, 1, 1});
  INFO("seed " << seed << ": " << geometry_of(t) << w.vector << ".b" << 8 * w.bytes
               << (clamps ? " clamp" : " zero"));
  REQUIRE(std::memcmp(out.data(), k.memory.at(k.out), out.size()) == 0);
  REQUIRE(std::memcmp(image.data(), k.memory.at(t.base), image.size()) == 0);
}

}  // namespace

TEST_CASE("surface loads clamp, or read 0 outside") {
  for (unsigned seed = 0; seed < 300; ++seed) check(seed, false, seed % 2 == 0);
}

TEST_CASE("surface stores clamp, or are dropped outside") {
  for (unsigned seed = 0; seed < 300; ++seed) check(seed, true, seed % 2 == 0);
}

TEST_CASE("a surface access outside is an error that says where") {
  TextureDescriptor t;
  t.dimensions = 2;
  t.width = 4;
  t.height = 3;
  for (const bool is_store : {false, true}) {
    KernelRunner k(access_text(t, Width{"", 1, 4}, "trap", is_store));
    std::mt19937 random(1);
    place_texture(k, t, random);
    k.more_arguments = {KernelArgument::of(k.textures.add(t))};
    const auto message = [&](int x, int y) {
      k.set_input<std::int32_t>(1, x);
      k.set_input<std::int32_t>(2, y);
      return error_of([&] { k.run({1, 1, 1}); });
    };
    CHECK(message(12, 2) == "ran");
    CHECK_THAT(message(16, 1),
               Contains("test.ptx:") &&
                   Contains(std::string(is_store ? "store" : "load") +
                            " of 4 bytes at (16, 1) is outside the surface 'image' (16 bytes x 3"));
    CHECK_THAT(message(0, 3), Contains("is outside the surface"));
    CHECK_THAT(message(-4, 0), Contains("is outside the surface"));
    CHECK_THAT(message(2, 0), Contains("the address is not aligned"));
  }
}

TEST_CASE("surface accesses are global accesses of their width, without the read-only bit") {
  TextureDescriptor t;
  t.dimensions = 2;
  t.width = 4;
  t.height = 3;
  t.channels = 2;
  KernelRunner k(access_text(t, Width{".v2", 2, 4}, "zero", false));
  std::mt19937 random(1);
  place_texture(k, t, random);
  k.more_arguments = {KernelArgument::of(k.textures.add(t))};
  k.set_input<std::int32_t>(1, 8);
  k.set_input<std::int32_t>(2, 2);
  k.set_input<std::int32_t>(5, -8);  // the second lane is outside
  const auto program = k.program({1, 1, 1}, {2, 1, 1}, false);
  CarriedRunner runner(*program, k.memory, 1);
  runner.run();
  unsigned found = 0;
  for (const auto& s : runner.seen) {
    if (s.address[0] != t.base + 2 * t.row_bytes + 8) continue;
    ++found;
    CHECK(s.kind == AccessKind::kLoad);
    CHECK(s.space == Space::kGlobal);
    CHECK(s.lane_bytes == 8);
    CHECK(s.active == 1u);
    CHECK(!s.read_only);
  }
  CHECK(found == 1);
}

}  // namespace tessera::surface_test
