// SPDX-License-Identifier: Apache-2.0
// Fetches besides their values: memory operations, edges, other forms, references, errors.

#include <catch2/catch.hpp>
#include <limits>

#include "tests/stimuli/ptx/texture_support.h"

namespace tessera::texture_test {

using namespace tessera::test;
using Catch::Matchers::Contains;

namespace {

const char* const kFetch2d = "tex.2d.v4.f32.f32 {%f8, %f9, %f10, %f11}, [%rd3, {%f1, %f2}];\n";

/// A 2D texture of 8 x 4 floats, whose texel (x, y) is 10 y + x.
struct Image {
  explicit Image(const std::string& text, unsigned dimensions = 2) : k(text) {
    t.name = "image";
    t.dimensions = dimensions;
    t.width = 8;
    t.height = dimensions > 1 ? 4 : 1;
    t.row_bytes = 32;
    t.slice_bytes = t.layer_bytes = 128;
    t.base = k.allocations.allocate("image", 128).begin;
    for (unsigned i = 0; i < 32; ++i) {
      const float v = static_cast<float>(10 * (i / 8) + i % 8);
      std::memcpy(k.memory.at(t.base + 4 * i), &v, 4);
    }
  }

  void add() { k.more_arguments = {KernelArgument::of(k.textures.add(t))}; }
  void at(unsigned thread, float x, float y = 0, float z = 0) {
    k.set_input<float>(4 * thread + 1, x);
    k.set_input<float>(4 * thread + 2, y);
    k.set_input<float>(4 * thread + 3, z);
  }
  float got(unsigned thread, unsigned channel = 0) const {
    float v;
    std::memcpy(&v, k.memory.at(k.out + 16 * thread + 4 * channel), 4);
    return v;
  }
  std::vector<CarriedRunner::Seen> seen(unsigned threads = 4) {
    const auto program = k.program({1, 1, 1}, {threads, 1, 1}, false);
    CarriedRunner runner(*program, k.memory, 1);
    runner.run();
    std::vector<CarriedRunner::Seen> out;
    for (const auto& s : runner.seen) {
      if (s.address[0] >= t.base && s.address[0] < t.base + 128) out.push_back(s);
    }
    return out;
  }
  std::string error(unsigned threads = 1) {
    return error_of([&] { k.run({threads, 1, 1}); });
  }

  KernelRunner k;
  TextureDescriptor t;
};

}  // namespace

TEST_CASE("point sampling loads one texel, linear sampling the four around the place") {
  Image image(fetch_text(kFetch2d));
  for (unsigned i = 0; i < 4; ++i) image.at(i, 2.5f + static_cast<float>(i), 1.5f);
  SECTION("point") {
    image.add();
    const auto seen = image.seen();
    REQUIRE(seen.size() == 1);
    CHECK(seen[0].active == 0xfu);
    CHECK(seen[0].lane_bytes == 4);
    CHECK(seen[0].kind == AccessKind::kLoad);
    CHECK(seen[0].space == Space::kGlobal);
    CHECK(seen[0].scope == CacheScope::kL1);
    CHECK(seen[0].read_only);
    CHECK(!seen[0].values_done);
    for (unsigned i = 0; i < 4; ++i) {
      CHECK(seen[0].address[i] == image.t.base + 32 + 4 * (2 + i));
      CHECK(image.got(i) == static_cast<float>(12 + i));
    }
  }
  SECTION("linear") {
    image.t.filter = TextureFilter::kLinear;
    image.add();
    image.at(0, 3.25f, 2.0f);
    const auto seen = image.seen();
    REQUIRE(seen.size() == 4);
    for (unsigned c = 0; c < 4; ++c) {
      CHECK(seen[c].address[0] == image.t.base + 32 * (1 + c / 2) + 4 * (2 + c % 2));
      CHECK(seen[c].active == 0xfu);
      CHECK(seen[c].read_only);
    }
    CHECK(image.got(0) == 17.75f);
  }
}

TEST_CASE("lanes outside a texture with a border take no part in the load") {
  Image image(fetch_text(kFetch2d));
  image.t.addressing.fill(TextureAddressing::kBorder);
  image.t.border[0] = 99;
  image.add();
  image.at(0, 0.5f, 0.5f);
  image.at(1, -0.5f, 0.5f);
  image.at(2, 7.5f, 3.5f);
  image.at(3, 8.0f, 3.5f);
  const auto seen = image.seen();
  REQUIRE(seen.size() == 1);
  CHECK(seen[0].active == 0x5u);
  CHECK(image.got(0) == 0.0f);
  CHECK(image.got(1) == 99.0f);
  CHECK(image.got(2) == 37.0f);
  CHECK(image.got(3) == 99.0f);
}

TEST_CASE("tex1Dfetch reads 0 outside linear memory") {
  Image image(fetch_text("tex.1d.v4.f32.s32 {%f8, %f9, %f10, %f11}, [%rd3, {%r5}];\n"), 1);
  image.t.linear_memory = true;
  image.add();
  const std::int32_t index[] = {-1, 0, 7, 8, 1 << 30};
  for (unsigned i = 0; i < 5; ++i) image.k.set_input<std::int32_t>(4 * i + 1, index[i]);
  const auto seen = image.seen(5);
  REQUIRE(seen.size() == 1);
  CHECK(seen[0].active == 0x6u);
  const float want[] = {0, 0, 7, 0, 0};
  for (unsigned i = 0; i < 5; ++i) CHECK(image.got(i) == want[i]);
}

TEST_CASE("coordinates that are no numbers count as 0, infinite ones are at the ends") {
  Image image(fetch_text(kFetch2d));
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float inf = std::numeric_limits<float>::infinity();
  image.at(0, nan, 1.5f);
  image.at(1, inf, 1.5f);
  image.at(2, -inf, nan);
  image.at(3, 3e38f, -3e38f);
  SECTION("clamp") {
    image.add();
    image.k.run({4, 1, 1});
    CHECK(image.got(0) == 10.0f);
    CHECK(image.got(1) == 17.0f);
    CHECK(image.got(2) == 0.0f);
    CHECK(image.got(3) == 7.0f);
  }
  SECTION("wrap") {
    image.t.addressing.fill(TextureAddressing::kWrap);
    image.t.normalized_coordinates = true;
    image.at(0, -1e-30f, 0);  // just below the end of the turn before
    image.add();
    image.k.run({4, 1, 1});
    CHECK(image.got(0) == 7.0f);
    CHECK(image.got(1) == 20.0f);  // 0, and half of the second turn
    CHECK(image.got(2) == 0.0f);
  }
}

TEST_CASE("a gather gives one channel of the four texels, counter-clockwise from the lower left") {
  Image image(fetch_text("tld4.r.2d.v4.f32.f32 {%f8, %f9, %f10, %f11}, [%rd3, {%f1, %f2}];\n"));
  image.at(0, 3.0f, 2.0f);
  image.add();
  const auto seen = image.seen(1);
  CHECK(seen.size() == 4);
  const float want[] = {22, 23, 13, 12};
  for (unsigned c = 0; c < 4; ++c) CHECK(image.got(0, c) == want[c]);
}

TEST_CASE("level 0 is sampled, other levels are an error") {
  Image image(
      fetch_text("tex.level.2d.v4.f32.f32 {%f8, %f9, %f10, %f11}, [%rd3, {%f1, %f2}], %f3;\n"));
  image.at(0, 2.5f, 1.5f, 0);
  image.add();
  image.k.run({1, 1, 1});
  CHECK(image.got(0) == 12.0f);
  image.at(0, 2.5f, 1.5f, 1);
  CHECK_THAT(image.error(), Contains("test.ptx:") && Contains("tex.level.2d") &&
                                Contains("mipmaps are not modelled; supported: level 0"));
}

TEST_CASE("a filter waits until its results are named: fetches of a warp overlap") {
  // Results into one coordinate's register, and coordinates that change after the fetch.
  Image image(
      fetch_text("tex.2d.v4.f32.f32 {%f8, %f12, %f12, %f12}, [%rd3, {%f1, %f2}];\n"
                 "mov.f32 %f1, 0f40A00000;\n"
                 "tex.2d.v4.f32.f32 {%f9, %f12, %f13, %f14}, [%rd3, {%f1, %f2}];\n"
                 "tex.2d.v4.f32.f32 {%f1, %f15, %f13, %f14}, [%rd3, {%f1, %f2}];\n"
                 "mov.f32 %f10, %f1;\nmov.f32 %f11, %f8;\n"));
  image.add();
  image.at(0, 1.5f, 2.5f);
  image.k.run({1, 1, 1});
  CHECK(image.got(0, 0) == 21.0f);
  CHECK(image.got(0, 1) == 25.0f);
  CHECK(image.got(0, 2) == 25.0f);
  CHECK(image.got(0, 3) == 21.0f);
  // Both fetches load before the first filter.
  const std::string text =
      "tex.2d.v4.f32.f32 {%f12, %f20, %f21, %f22}, [%rd3, {%f1, %f2}];\n"
      "tex.2d.v4.f32.f32 {%f13, %f23, %f24, %f25}, [%rd3, {%f1, %f2}];\n"
      "add.f32 %f8, %f12, %f13;\n";
  Image two(fetch_text(text));
  two.add();
  two.at(0, 1.5f, 2.5f);
  const auto program = two.k.program({1, 1, 1}, {1, 1, 1}, false);
  const auto cta = program->start_cta(CtaId(0));
  IssueResult result;
  unsigned loads = 0;
  unsigned most = 0;
  while (!result.warp_done) {
    const OpInfo info = cta->warp(0).next();
    cta->warp(0).issue(IssueContext{}, result);
    if (info.unit == Unit::kSfu) loads = 0;
    if (result.kind != IssueResult::Kind::kMemory || result.memory.values_done) continue;
    if (result.memory.address[0] >= two.t.base && result.memory.address[0] < two.t.base + 128) {
      most = std::max(most, ++loads);
    }
    if (result.memory.kind == AccessKind::kLoad) {
      std::array<std::byte, kWarpLanes * kMaxLaneBytes> data{};
      std::memcpy(data.data(), two.k.memory.at(result.memory.address[0]), result.memory.lane_bytes);
      cta->warp(0).complete({result.memory.pc, result.memory.active}, data.data());
    } else {
      float stored;
      std::memcpy(&stored, result.memory.data.data(), 4);
      CHECK(stored == 42.0f);
    }
  }
  CHECK(most == 2);
}

TEST_CASE("fetches in loops and under guards keep to their lanes") {
  // Lane i samples i times, and odd lanes once more.
  const std::string body =
      "mov.f32 %f16, 0f00000000;\nmov.f32 %f8, %f16;\nmov.f32 %f17, %f16;\n"
      "mov.u32 %r12, 0;\nand.b32 %r13, %r0, 1;\nsetp.ne.u32 %p2, %r13, 0;\n"
      "L:\nsetp.ge.u32 %p1, %r12, %r0;\n@%p1 bra M;\n"
      "tex.2d.v4.f32.f32 {%f17, %f18, %f19, %f20}, [%rd3, {%f1, %f2}];\n"
      "add.u32 %r12, %r12, 1;\nadd.f32 %f16, %f16, %f17;\nbra L;\n"
      "M:\n@%p2 tex.2d.v4.f32.f32 {%f8, %f18, %f19, %f20}, [%rd3, {%f1, %f2}];\n"
      "add.f32 %f8, %f8, %f16;\n";
  for (const bool carried : {false, true}) {
    Image image(fetch_text(body));
    image.add();
    for (unsigned i = 0; i < 32; ++i) image.at(i, static_cast<float>(i % 8) + 0.5f, 1.5f);
    if (carried)
      image.k.run_carried({32, 1, 1}, {1, 1, 1}, 3);
    else
      image.k.run({32, 1, 1});
    for (unsigned i = 0; i < 32; ++i) {
      CHECK(image.got(i) == static_cast<float>((10 + i % 8) * (i + i % 2)));
    }
  }
}

TEST_CASE("a fetch is complete before lanes wait for others of their warp, which fetch too") {
  // Registers of their own: nothing else makes a filter come early.
  unsigned next = 15;
  const auto fetch = [&](const std::string& to) {
    std::string text = "tex.2d.v4.f32.f32 {" + to;
    for (unsigned i = 0; i < 3; ++i) text += ", %f" + std::to_string(next++);
    return text + "}, [%rd3, {%f1, %f2}];\n";
  };
  const std::string wait = "bar.warp.sync 0xffffffff;\n";
  Image image(fetch_text("setp.lt.u32 %p1, %r0, 16;\n@%p1 bra LOW;\n" + fetch("%f8") +
                         fetch("%f12") + fetch("%f13") + fetch("%f14") + wait + "bra END;\nLOW:\n" +
                         fetch("%f8") + wait + "END:\n"));
  image.add();
  for (unsigned i = 0; i < 32; ++i) {
    image.at(i, static_cast<float>(i % 8) + 0.5f, static_cast<float>(i / 8) + 0.5f);
  }
  image.k.run({32, 1, 1});
  for (unsigned i = 0; i < 32; ++i) CHECK(image.got(i) == static_cast<float>(10 * (i / 8) + i % 8));
}

TEST_CASE("lanes may have different textures, of one size of texel") {
  Image image(
      fetch_text("and.b32 %r12, %r0, 1;\nmul.wide.u32 %rd4, %r12, 1;\n"
                 "add.u64 %rd3, %rd3, %rd4;\n" +
                 std::string(kFetch2d)));
  image.add();
  TextureDescriptor second = image.t;
  second.base += 64;
  second.height = 2;
  second.name = "second";
  SECTION("one size") {
    image.k.textures.add(second);
    for (unsigned i = 0; i < 4; ++i) image.at(i, 2.5f, 1.5f);
    image.k.run({4, 1, 1});
    CHECK(image.got(0) == 12.0f);
    CHECK(image.got(1) == 32.0f);
    CHECK(image.got(2) == 12.0f);
  }
  SECTION("two sizes") {
    second.channels = 2;
    image.k.textures.add(second);
    CHECK_THAT(image.error(2), Contains("texels of different sizes: 'image' and 'second'"));
  }
}

TEST_CASE("a reference samples the texture that is bound to its name") {
  const std::string body =
      "tex.2d.v4.f32.f32 {%f8, %f9, %f10, %f11}, [picture, {%f1, %f2}];\n"
      "mov.u64 %rd4, picture;\ntxq.width.b32 %r12, [%rd4];\nmov.b32 %f9, %r12;\n";
  Image image(fetch_text(body, true, ".global .texref picture;\n"));
  image.at(0, 2.5f, 1.5f);
  image.add();
  CHECK_THAT(image.error(), Contains("test.ptx:") && Contains("[picture, {%f1, %f2}]") &&
                                Contains("no texture or surface is bound to this reference"));
  image.k.textures.bind("picture", TextureTable::kFirstHandle);
  image.k.run({1, 1, 1});
  CHECK(image.got(0) == 12.0f);
  std::uint32_t width;
  std::memcpy(&width, image.k.memory.at(image.k.out + 4), 4);
  CHECK(width == 8);
}

TEST_CASE("queries give the texture's extents") {
  Image image(
      fetch_text("txq.width.b32 %r8, [%rd3];\ntxq.height.b32 %r9, [%rd3];\n"
                 "suq.array_size.b32 %r10, [%rd3];\ntxq.depth.b32 %r11, [%rd3];\n",
                 false));
  image.t.layers = 5;
  image.add();
  image.k.run({1, 1, 1});
  std::array<std::uint32_t, 4> got{};
  std::memcpy(got.data(), image.k.memory.at(image.k.out), 16);
  CHECK(got == std::array<std::uint32_t, 4>{8, 4, 5, 0});
}

TEST_CASE("what a fetch cannot sample is an error that says why") {
  Image image(fetch_text(kFetch2d));
  SECTION("a surface") {
    image.t.is_surface = true;
    image.add();
    CHECK_THAT(image.error(), Contains("'image' is a surface; a texture's handle is needed"));
  }
  SECTION("no such handle") {
    image.add();
    image.k.more_arguments = {KernelArgument::of(std::uint64_t{7})};
    CHECK_THAT(image.error(),
               Contains("test.ptx:") && Contains("tex.2d.v4.f32.f32") &&
                   Contains("no texture or surface has the handle 0x7; handles 0x100 to 0x100 are "
                            "defined; define one"));
  }
  SECTION("dimensions") {
    image.t.layers = 2;
    image.add();
    CHECK_THAT(image.error(), Contains("'image' is 2-dimensional, layered, the instruction is for "
                                       "2-dimensional ones"));
  }
  SECTION("integers") {
    image.t.type = TexelType::kSigned;
    image.add();
    CHECK_THAT(image.error(), Contains("is read as integers; the instruction returns floats"));
  }
  SECTION("linear memory") {
    image.t.linear_memory = true;
    image.add();
    CHECK_THAT(image.error(), Contains("takes integer coordinates only (tex1Dfetch)"));
  }
  SECTION("out of its allocation") {
    image.t.row_bytes = 128;
    image.at(0, 0.5f, 1.5f);
    image.add();
    CHECK_THAT(image.error(), Contains("load of 4 bytes") && Contains("past the end of 'image'"));
  }
}

namespace {

/// The read-only bit of the texel load in a kernel that samples `image` and stores to the surface
/// `stored`, whose handle is a parameter, or that of a reference.
bool texel_bit(bool same, const std::string& surface, const std::string& module_scope = {}) {
  std::string text =
      fetch_text("ld.param.u64 %rd4, [surface];\n" + std::string(kFetch2d) +
                     "mov.u32 %r8, -4;\nsust.b.2d.b32.zero [" + surface + ", {%r8, %r8}], {%r1};\n",
                 true, module_scope);
  const std::string parameters = ".param .u64 tex)";
  text.replace(text.find(parameters), parameters.size(), ".param .u64 tex, .param .u64 surface)");
  Image image(text);
  image.add();
  TextureDescriptor other = image.t;
  other.base = image.k.allocations.allocate("other", 128).begin;
  const std::uint64_t apart = image.k.textures.add(other);
  const std::uint64_t stored = same ? TextureTable::kFirstHandle : apart;
  image.k.textures.bind("target", stored);
  image.k.more_arguments.push_back(KernelArgument::of(stored));
  return image.seen().at(0).read_only;
}

}  // namespace

TEST_CASE("texel loads carry the read-only bit unless the kernel writes their allocation") {
  SECTION("by a pointer") {
    Image image(fetch_text(kFetch2d));
    image.add();
    CHECK(image.seen().at(0).read_only);
    image.k.out = image.t.base;
    CHECK(!image.seen().at(0).read_only);
  }
  SECTION("by a surface object") {
    CHECK(texel_bit(false, "%rd4"));
    CHECK(!texel_bit(true, "%rd4"));
  }
  SECTION("by a surface reference") {
    CHECK(texel_bit(false, "target", ".global .surfref target;\n"));
    CHECK(!texel_bit(true, "target", ".global .surfref target;\n"));
  }
  SECTION("by a handle of unknown origin") {
    Image image(fetch_text(std::string(kFetch2d) +
                           "ld.global.u64 %rd4, [%rd1];\nmov.u32 %r8, -4;\n"
                           "setp.eq.u32 %p1, %r8, 0;\n"
                           "@%p1 sust.b.2d.b32.zero [%rd4, {%r8, %r8}], {%r1};\n"));
    image.add();
    CHECK(!image.seen().at(0).read_only);
  }
}

TEST_CASE("loads by pointer are not read-only when the kernel stores to a surface in their array") {
  const auto bit = [](bool same) {
    Image image(fetch_text("mov.u32 %r8, -4;\nsust.b.2d.b32.zero [%rd3, {%r8, %r8}], {%r1};\n"));
    if (same) image.t.base = image.k.in;
    image.add();
    const auto program = image.k.program({1, 1, 1}, {1, 1, 1}, false);
    CarriedRunner runner(*program, image.k.memory, 1);
    runner.run();
    for (const auto& s : runner.seen) {
      if (s.address[0] == image.k.in) return s.read_only;
    }
    FAIL("no load of the input");
    return false;
  };
  CHECK(bit(false));
  CHECK(!bit(true));
}

}  // namespace tessera::texture_test
