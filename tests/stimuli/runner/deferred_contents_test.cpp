// SPDX-License-Identifier: Apache-2.0
// Initial contents are made where they are touched, and nowhere else.
#include <catch2/catch.hpp>
#include <cstring>
#include <numeric>
#include <set>

#include "stimuli/ptx/module.h"
#include "stimuli/runner/contents.h"
#include "stimuli/runner/module_loader.h"
#include "stimuli/runner/random.h"
#include "tests/stimuli/runner/manifest_folder.h"

namespace tessera::deferred_contents_test {

using namespace tessera::kernels;
using tessera::test::ManifestFolder;

namespace {

constexpr std::uint64_t kPage = FlatMemory::kPageBytes;
using Pages = std::vector<std::uint64_t>;

/// Element i of the array is i, and it is known which pages were asked for.
struct Counted {
  Pages asked;

  Contents contents() {
    return [this](std::uint64_t offset, std::byte* out, std::uint64_t bytes) {
      asked.push_back(offset / kPage);
      CHECK(offset % kPage == 0);
      for (std::uint64_t done = 0; done < bytes; done += 4) {
        const auto value = static_cast<std::uint32_t>((offset + done) / 4);
        std::memcpy(out + done, &value, 4);
      }
    };
  }
};

std::uint32_t word(const FlatMemory& memory, Address a) {
  std::uint32_t value = 0;
  memory.read(&value, a, 4);
  return value;
}

/// Each thread reads element i * stride of a, an address (%rd4) or a texture (%rd1), and keeps it
/// in b.
std::string scatter(const std::string& access) {
  return R"(.version 6.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 a, .param .u64 b, .param .u32 stride)
{
  .reg .b32 %r<8>;
  .reg .b64 %rd<6>;
  ld.param.u64 %rd1, [a];
  ld.param.u64 %rd2, [b];
  ld.param.u32 %r1, [stride];
  mov.u32 %r2, %tid.x;
  mul.lo.u32 %r3, %r2, %r1;
  mul.wide.u32 %rd3, %r3, 4;
  add.u64 %rd4, %rd1, %rd3;
  )" + access +
         R"(
  mul.wide.u32 %rd5, %r2, 4;
  add.u64 %rd5, %rd2, %rd5;
  st.global.u32 [%rd5], %r4;
  ret;
}
)";
}

}  // namespace

TEST_CASE("memory makes deferred contents page by page, once") {
  FlatMemory memory(64 * kPage);
  Counted a;
  Counted b;
  const Address begin = Allocations::kBase + kPage;
  const Address second = begin + 4 * kPage;
  memory.defer(begin, 2 * kPage + 100, a.contents());
  memory.defer(second, 10 * kPage, b.contents());
  CHECK(a.asked.empty());

  memory.touch(begin + kPage - 4, 4);
  CHECK(a.asked == Pages{0});
  memory.touch(begin + kPage - 4, 8);
  CHECK(a.asked == Pages{0, 1});
  memory.touch(begin, 2 * kPage);
  CHECK(a.asked == Pages{0, 1});
  CHECK(std::memcmp(memory.at(begin + kPage), "\x00\x04\x00\x00\x01\x04\x00\x00", 8) == 0);
  CHECK(b.asked.empty());
  // The array's last page ends in zeros; what is not deferred is zero.
  memory.touch(begin + 2 * kPage, 4);
  CHECK(word(memory, begin + 2 * kPage + 96) == (2 * kPage + 96) / 4);
  CHECK(word(memory, begin + 2 * kPage + 100) == 0);
  CHECK(word(memory, begin + 3 * kPage) == 0);
  CHECK(a.asked == Pages{0, 1, 2});

  SECTION("a host that reads leaves them deferred") {
    CHECK(word(memory, second + 8) == 2);
    CHECK(word(memory, second + 8) == 2);
    CHECK(b.asked == Pages{0, 0});
    std::vector<std::uint32_t> across(2 * kPage / 4);
    memory.read(across.data(), second + kPage / 2, 2 * kPage);
    for (std::size_t i = 0; i < across.size(); ++i) REQUIRE(across[i] == kPage / 8 + i);
    CHECK(b.asked == Pages{0, 0, 0, 1, 2});
  }
  SECTION("pages that are overwritten whole are not made") {
    const std::vector<std::byte> zeros(3 * kPage);
    memory.write(second + kPage / 2, zeros.data(), zeros.size());
    CHECK(b.asked == Pages{0, 3});
    CHECK(word(memory, second + kPage / 2 - 4) == kPage / 8 - 1);
    CHECK(word(memory, second + kPage / 2) == 0);
    CHECK(word(memory, second + 2 * kPage) == 0);
    CHECK(word(memory, second + 3 * kPage + kPage / 2) == (3 * kPage + kPage / 2) / 4);
    CHECK(b.asked == Pages{0, 3});
  }
  SECTION("pages that are given back hold nothing, and are not made") {
    memory.touch(second, 4);
    memory.discard(second, 2 * kPage);
    CHECK(word(memory, second + 4) == 0);
    CHECK(word(memory, second + kPage + 4) == 0);
    CHECK(word(memory, second + 2 * kPage) == 2 * kPage / 4);
    CHECK(b.asked == Pages{0, 2});
  }
  SECTION("contents survive that memory moves") {
    memory.touch(second, 4);
    memory.cover(Allocations::kBase + (std::uint64_t{1} << 32));
    CHECK(word(memory, second + 4) == 1);
    CHECK(word(memory, second + kPage) == kPage / 4);
  }
}

TEST_CASE("contents are deferred for whole allocations in order") {
  FlatMemory memory(64 * kPage);
  Counted a;
  const Address begin = Allocations::kBase + 4 * kPage;
  CHECK_THROWS_AS(memory.defer(begin, 0, a.contents()), std::logic_error);
  CHECK_THROWS_AS(memory.defer(begin + 64, kPage, a.contents()), std::logic_error);
  memory.defer(begin, kPage, a.contents());
  CHECK_THROWS_AS(memory.defer(begin - kPage, kPage, a.contents()), std::logic_error);
  CHECK_THROWS_AS(memory.defer(begin, kPage, a.contents()), std::logic_error);
}

TEST_CASE("a warp makes the pages that its lanes access, and none between") {
  const unsigned stride = 3 * kPage / 4;
  for (const char* access : {"ld.global.u32 %r4, [%rd4];", "atom.global.add.u32 %r4, [%rd4], 1;",
                             "tex.1d.v4.u32.s32 {%r4, %r5, %r6, %r7}, [%rd1, {%r3}];"}) {
    INFO(access);
    const ptx::Module module = ptx::parse(scatter(access), "k.ptx");
    FunctionalDevice device;
    Counted counted;
    const Address a = device.allocate("a", 256 * kPage);
    TextureDescriptor texture;
    texture.base = a;
    texture.dimensions = 1;
    texture.width = 256 * kPage / 4;
    texture.type = TexelType::kUnsigned;
    const std::uint64_t handle = device.textures().add(texture);
    const Address b = device.allocate("b", 33 * 4);
    device.defer(a, 256 * kPage, counted.contents());
    LaunchRequest request;
    request.source = kernels::ModuleLoader::make(device)->source(module);
    request.kernel = "k";
    request.grid = {1, 1, 1};
    request.block = {33, 1, 1};
    request.arguments = {KernelArgument::of(access[0] == 't' ? handle : a), KernelArgument::of(b),
                         KernelArgument::of(stride)};
    device.launch(request);
    Pages expected;
    for (std::uint64_t i = 0; i < 33; ++i) expected.push_back(3 * i);
    CHECK(counted.asked == expected);
    std::vector<std::uint32_t> seen(33);
    device.read(seen.data(), b, 33 * 4);
    for (std::uint32_t i = 0; i < 33; ++i) CHECK(seen[i] == i * stride);
  }
}

TEST_CASE("any part of an array is what the whole has there") {
  const ManifestFolder folder;
  std::string raw(5000 * 4, '\0');
  std::iota(raw.begin(), raw.end(), '\x01');
  folder.put("raw.bin", raw);
  const std::string manifest = folder.put("m.json", R"({"name": "m", "ptx": "k.ptx", "arrays": [
{"name": "iota", "type": "i32", "count": 5000, "init": {"iota": {"start": -7, "step": 3}}},
{"name": "reals", "type": "f64", "count": 5000, "init": {"iota": {"start": 0.5, "step": 0.25}}},
{"name": "bytes", "type": "u8", "count": 5000, "init": {"random": [1, 9]}},
{"name": "uniform", "type": "f32", "count": 5000, "init": {"uniform": [-1, 3]}},
{"name": "constant", "type": "i64", "count": 5000, "init": {"constant": 77}},
{"name": "file", "type": "u32", "count": 5000, "init": {"file": "raw.bin"}},
{"name": "order", "type": "i32", "count": 5000, "init": "permutation"}],
"launches": [{"kernel": "k", "grid": 1, "block": 1, "arguments": []}]})");
  const Manifest m = load_manifest(manifest);
  const Inputs inputs(m, Scale::kSmall, 3);
  for (const ArraySpec& a : m.arrays) {
    INFO(a.name);
    const Contents part = inputs.contents(a);
    REQUIRE(bool(part) == (a.name != "order"));
    if (!part) continue;
    std::vector<std::byte> whole(inputs.count(a) * element_bytes(a.type));
    inputs.fill(a, whole.data());
    for (const std::uint64_t offset : {kPage, std::uint64_t{0}, kPage}) {
      const std::uint64_t bytes = std::min(kPage, whole.size() - offset);
      std::vector<std::byte> some(bytes);
      part(offset, some.data(), bytes);
      CHECK(std::equal(some.begin(), some.end(), whole.begin() + static_cast<long>(offset)));
    }
  }
  // Element after element, as the generator gives them.
  Random reals(3, "uniform");
  for (const float x : inputs.values<float>("uniform")) {
    REQUIRE(x == static_cast<float>(reals.uniform(-1, 3)));
  }
  Random bytes(3, "bytes");
  for (const std::uint8_t x : inputs.values<std::uint8_t>("bytes")) {
    REQUIRE(x == bytes.integer(1, 9));
  }
  CHECK(inputs.values<std::int32_t>("iota")[4999] == -7 + 3 * 4999);
  CHECK(inputs.values<double>("reals")[4999] == 0.5 + 0.25 * 4999);
  CHECK(std::memcmp(inputs.values<std::uint32_t>("file").vector().data(), raw.data(), raw.size()) ==
        0);
}

}  // namespace tessera::deferred_contents_test
