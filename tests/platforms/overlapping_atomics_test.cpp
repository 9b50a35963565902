// SPDX-License-Identifier: Apache-2.0
// Atomics whose lanes overlap in a line: each operation and type with 1 to 32 lanes, on one word,
// on neighbouring words and mixed, on every preset in both modes of values. The expected values
// come from arithmetic of this file.
#include <catch2/catch.hpp>
#include <cstring>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/json.h"
#include "tests/platforms/golden_cases.h"
#include "tests/platforms/workload_runs.h"
#include "tests/support/temporary_file.h"

namespace tessera::overlapping_atomics_test {

using namespace tessera::test;  // NOLINT(google-build-using-namespace)
using nlohmann::ordered_json;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

namespace {

constexpr unsigned kPatterns = 3;
constexpr unsigned kLanes = 32;
constexpr unsigned kCtaBytes = 256;

/// The element that a lane updates.
unsigned element_of(unsigned pattern, unsigned lane) {
  return pattern == 0 ? 0 : pattern == 1 ? lane : lane * 7 % 5;
}

template <class T>
u64 bits_of(T v) {
  u64 bits = 0;
  std::memcpy(&bits, &v, sizeof v);
  return bits;
}
template <class T>
T value_of(u64 bits) {
  T v;
  std::memcpy(&v, &bits, sizeof v);
  return v;
}

/// f16 of a small integer.
u32 half_of(int v) {
  const u32 single = static_cast<u32>(bits_of(static_cast<float>(v)));
  if (v == 0) return 0;
  const u32 exponent = (single >> 23 & 0xff) - 127 + 15;
  return single >> 31 << 15 | exponent << 10 | (single >> 13 & 0x3ff);
}

struct Case {
  const char* form;  ///< of atom.global
  unsigned bytes;
  u64 initial;
  /// Operand of a lane, and the value after it.
  std::function<u64(unsigned lane)> operand;
  std::function<u64(u64 old, unsigned lane)> apply;
  std::optional<u64> compare = {};  ///< cas
};

template <class T>
u64 sum(u64 old, T operand) {
  return bits_of(static_cast<T>(value_of<T>(old) + operand));
}

/// Every operation and type that PTX has for 32 and 64 bits, f16, f16x2 and b16.
std::vector<Case> cases() {
  const auto lane32 = [](unsigned l) -> u64 { return 3 * l + 1; };
  const auto signed32 = [](unsigned l) -> u64 { return static_cast<u32>(static_cast<int>(l) - 9); };
  const auto signed64 = [](unsigned l) -> u64 { return static_cast<u64>(std::int64_t{l} - 9); };
  const auto flags = [](unsigned l) -> u64 { return u64{1} << l | u64{0x8000} << l; };
  const auto f32 = [](unsigned l) -> u64 { return bits_of(static_cast<float>(l) + 0.5F); };
  const auto f64 = [](unsigned l) -> u64 { return bits_of(static_cast<double>(l) + 0.25); };
  const auto pair = [](unsigned l) -> u64 {
    return half_of(static_cast<int>(l)) | half_of(2) << 16;
  };
  const auto added_pair = [](u64 old, unsigned l) -> u64 {
    // Sums of small integers, each known from its number of addends: decoded by their exponents.
    const auto decode = [](u32 h) {
      return h == 0 ? 0
                    : static_cast<int>((1024 + (h & 0x3ff)) >> (25 - static_cast<int>(h >> 10)));
    };
    return half_of(decode(old & 0xffff) + static_cast<int>(l)) |
           half_of(decode(static_cast<u32>(old) >> 16) + 2) << 16;
  };
  std::vector<Case> all = {
      {"add.u32", 4, 5, lane32,
       [=](u64 o, unsigned l) { return sum(o, static_cast<u32>(lane32(l))); }},
      {"add.s32", 4, 5, signed32,
       [=](u64 o, unsigned l) { return sum(o, static_cast<u32>(signed32(l))); }},
      {"add.u64", 8, 5, lane32, [=](u64 o, unsigned l) { return o + lane32(l); }},
      {"add.f32", 4, 0, f32,
       [](u64 o, unsigned l) { return sum(o, static_cast<float>(l) + 0.5F); }},
      {"add.f64", 8, 0, f64,
       [](u64 o, unsigned l) { return sum(o, static_cast<double>(l) + 0.25); }},
      {"add.noftz.f16x2", 4, 0, pair, added_pair},
      {"inc.u32", 4, 2, [](unsigned) -> u64 { return 6; },
       [](u64 o, unsigned) -> u64 { return o >= 6 ? 0 : o + 1; }},
      {"dec.u32", 4, 2, [](unsigned) -> u64 { return 6; },
       [](u64 o, unsigned) -> u64 { return o == 0 || o > 6 ? 6 : o - 1; }},
      {"cas.b16", 2, 0, lane32, [=](u64 o, unsigned l) { return o == 0 ? lane32(l) : o; }, 0},
      {"cas.b32", 4, 0, lane32, [=](u64 o, unsigned l) { return o == 0 ? lane32(l) : o; }, 0},
      {"cas.b64", 8, 0, lane32, [=](u64 o, unsigned l) { return o == 0 ? lane32(l) : o; }, 0},
  };
  for (const bool wide : {false, true}) {
    const auto name = [&](const char* narrow, const char* of64) { return wide ? of64 : narrow; };
    const unsigned bytes = wide ? 8 : 4;
    const u64 mask = wide ? ~u64{0} : 0xffffffff;
    const auto s = wide ? std::function<u64(unsigned)>(signed64) : signed32;
    const auto as_signed = [wide](u64 v) {
      return wide ? static_cast<std::int64_t>(v) : static_cast<std::int32_t>(static_cast<u32>(v));
    };
    all.push_back({name("min.u32", "min.u64"), bytes, 9, s,
                   [=](u64 o, unsigned l) { return std::min(o, s(l)); }});
    all.push_back({name("max.u32", "max.u64"), bytes, 9, s,
                   [=](u64 o, unsigned l) { return std::max(o, s(l)); }});
    all.push_back({name("min.s32", "min.s64"), bytes, 9, s,
                   [=](u64 o, unsigned l) { return as_signed(s(l)) < as_signed(o) ? s(l) : o; }});
    all.push_back({name("max.s32", "max.s64"), bytes, 9, s,
                   [=](u64 o, unsigned l) { return as_signed(s(l)) > as_signed(o) ? s(l) : o; }});
    all.push_back({name("and.b32", "and.b64"), bytes, mask, flags,
                   [=](u64 o, unsigned l) { return o & flags(l) & mask; }});
    all.push_back({name("or.b32", "or.b64"), bytes, 64, flags,
                   [=](u64 o, unsigned l) { return (o | flags(l)) & mask; }});
    all.push_back({name("xor.b32", "xor.b64"), bytes, 64, flags,
                   [=](u64 o, unsigned l) { return (o ^ flags(l)) & mask; }});
    all.push_back({name("exch.b32", "exch.b64"), bytes, 64, lane32,
                   [=](u64, unsigned l) { return lane32(l); }});
  }
  return all;
}

/// CTA l + 32 p updates pattern p with l + 1 lanes. The lanes first store the initial value.
std::string kernel_of(const Case& c, std::size_t index) {
  const std::string n = std::to_string(c.bytes * 8);
  const std::string r = c.bytes == 8 ? "%rd" : c.bytes == 2 ? "%rs" : "%r";
  std::string text = ".visible .entry k" + std::to_string(index) +
                     "(.param .u64 out, .param .u64 operands) {\n"
                     ".reg .pred %p<9>; .reg .b16 %rs<33>; .reg .b32 %r<33>; .reg .b64 %rd<33>;\n"
                     ".reg .f32 %f<9>; .reg .f64 %fd<9>;\n"
                     "ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [operands];\n"
                     "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x;\n"
                     "and.b32 %r3, %r2, 31; shr.u32 %r4, %r2, 5;\n"
                     "setp.gt.u32 %p1, %r1, %r3; @%p1 bra END;\n"
                     // Element: 0, the lane, or 7 * lane % 5.
                     "mul.lo.u32 %r5, %r1, 7; rem.u32 %r5, %r5, 5;\n"
                     "setp.eq.u32 %p2, %r4, 1; selp.u32 %r5, %r1, %r5, %p2;\n"
                     "setp.eq.u32 %p3, %r4, 0; selp.u32 %r5, 0, %r5, %p3;\n"
                     "mul.wide.u32 %rd3, %r2, " +
                     std::to_string(kCtaBytes) +
                     "; add.u64 %rd1, %rd1, %rd3;\n"
                     "mul.wide.u32 %rd3, %r5, " +
                     std::to_string(c.bytes) +
                     "; add.u64 %rd1, %rd1, %rd3;\n"
                     "mul.wide.u32 %rd3, %r1, 8; add.u64 %rd2, %rd2, %rd3;\n"
                     "ld.global.b" +
                     n + " " + r +
                     "20, [%rd2];\n"
                     "ld.global.b" +
                     n + " " + r +
                     "21, [%rd2+256];\n"
                     "st.global.b" +
                     n + " [%rd1], " + r +
                     "21;\n"
                     "membar.gl; bar.warp.sync 0xffffffff;\n";
  text += "atom.global." + std::string(c.form) + " " + r + "22, [%rd1], " +
          (c.compare ? r + "21, " : "") + r + "20;\n";
  return text + "END: ret;\n}\n";
}

/// A manifest with its PTX: a launch for each case.
class Files {
 public:
  Files() : ptx_(ptx_text()), manifest_(manifest_text()) {}
  std::string manifest() const { return manifest_.path(); }

 private:
  static std::string ptx_text() {
    std::string text = ".version 7.8\n.target sm_75\n.address_size 64\n";
    const std::vector<Case> all = cases();
    for (std::size_t i = 0; i < all.size(); ++i) text += kernel_of(all[i], i);
    return text;
  }
  static void append(ordered_json& words, u64 bits, unsigned bytes) {
    words.push_back(static_cast<u32>(bits));
    if (bytes == 8) words.push_back(static_cast<u32>(bits >> 32));
  }
  std::string manifest_text() const {
    ordered_json m = {{"name", "overlap"},
                      {"ptx", std::filesystem::path(ptx_.path()).filename().string()},
                      {"race_free", false}};
    const std::vector<Case> all = cases();
    for (std::size_t i = 0; i < all.size(); ++i) {
      const Case& c = all[i];
      const std::string out = "out" + std::to_string(i);
      const std::string in = "in" + std::to_string(i);
      std::vector<std::uint8_t> bytes(kPatterns * kLanes * kCtaBytes);
      for (unsigned cta = 0; cta < kPatterns * kLanes; ++cta) {
        std::vector<u64> values(kLanes);
        for (const bool initial : {true, false}) {
          for (unsigned lane = 0; lane <= cta % kLanes; ++lane) {
            const unsigned e = element_of(cta / kLanes, lane);
            values[e] = initial ? c.initial : c.apply(values[e], lane);
            std::memcpy(&bytes[cta * kCtaBytes + e * c.bytes], &values[e], c.bytes);
          }
        }
      }
      ordered_json operands = ordered_json::array();
      for (unsigned lane = 0; lane < kLanes; ++lane) append(operands, c.operand(lane), 8);
      for (unsigned lane = 0; lane < kLanes; ++lane) append(operands, c.initial, 8);
      ordered_json expected = ordered_json::array();
      for (std::size_t w = 0; w < bytes.size() / 4; ++w) {
        u32 word;
        std::memcpy(&word, &bytes[4 * w], 4);
        expected.push_back(word);
      }
      m["arrays"].push_back(
          {{"name", in}, {"type", "u32"}, {"count", 4 * kLanes}, {"init", operands}});
      m["arrays"].push_back({{"name", out}, {"type", "u32"}, {"count", bytes.size() / 4}});
      m["launches"].push_back({{"kernel", "k" + std::to_string(i)},
                               {"grid", kPatterns * kLanes},
                               {"block", kLanes},
                               {"arguments", {out, in}}});
      m["outputs"].push_back({{"array", out}});
      m["expected"][out] = expected;
    }
    return m.dump();
  }

  TemporaryFile ptx_;
  TemporaryFile manifest_;
};

void check(const std::string& platform, ValueMode values, const std::vector<std::string>& sets = {},
           std::optional<WindowOptions> window = {}) {
  const Files files;
  RunOptions options;
  options.values = values;
  options.window = window;
  INFO(platform << (values == ValueMode::kCarried ? ", carried" : ", functional"));
  const auto stats = ordered_json::parse(document(platform, files.manifest(), options, sets));
  CHECK(stats.at("verified") == true);
}

void check_both(const std::string& platform, const std::vector<std::string>& sets = {}) {
  check(platform, ValueMode::kCarried, sets);
  check(platform, ValueMode::kFunctional, sets);
}

}  // namespace

#define TESSERA_OVERLAP(NAME) \
  TEST_CASE("overlapping atomics: " NAME) { check_both(NAME); }
TESSERA_FOR_GOLDEN(TESSERA_OVERLAP)

TEST_CASE("atomics whose lanes overlap are right with lines of 32 and 64 bytes") {
  for (const char* platform : {"uba-mem-small", "uba-sm-small", "nuba-small", "dualopt-small"}) {
    for (const char* bytes : {"32", "64"}) {
      check_both(platform, {"system.line_bytes=" + std::string(bytes)});
    }
  }
}

TEST_CASE("atomics whose lanes overlap are right through windows") {
  for (const char* platform : {"uba-mem-small", "dualopt-small", "umh-1-small"}) {
    for (const ValueMode values : {ValueMode::kCarried, ValueMode::kFunctional}) {
      check(platform, values, {}, WindowOptions{70'000, 200'000});
    }
  }
}

TEST_CASE("atomics whose lanes overlap are right lane by lane, and in blocks of a line") {
  check_both("uba-mem-small", {"llc.atomic_lanes_per_cycle=1"});
  check_both("uba-mem-small", {"llc.atomic_lanes_per_cycle=32", "llc.atomic_block_bytes=128"});
}

}  // namespace tessera::overlapping_atomics_test
