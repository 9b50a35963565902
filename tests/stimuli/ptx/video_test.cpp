// SPDX-License-Identifier: Apache-2.0
// Video instructions (PTX ISA 9.7.17) against the manual's steps, with random parts and modes.

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

#include "tests/stimuli/ptx/kernel_runner.h"

namespace tessera::video_test {

using tessera::test::kernel_text;
using tessera::test::KernelRunner;

namespace {

using Wide = long long;

Wide clamp_of(Wide v, unsigned bits, bool is_signed) {
  const Wide top = is_signed ? (Wide{1} << (bits - 1)) - 1 : (Wide{1} << bits) - 1;
  return std::clamp(v, is_signed ? -top - 1 : Wide{0}, top);
}

Wide extend(std::uint64_t v, unsigned bits, bool is_signed) {
  const auto bare = static_cast<Wide>(v & ((std::uint64_t{1} << bits) - 1));
  return is_signed && bare >= Wide{1} << (bits - 1) ? bare - (Wide{1} << bits) : bare;
}

/// ".b2" of a word: the part's bits and their place.
struct Part {
  std::string text;
  unsigned bits = 32;
  unsigned at = 0;
};
const std::vector<Part> kParts = {{"", 32, 0},    {".b0", 8, 0},  {".b1", 8, 8},  {".b2", 8, 16},
                                  {".b3", 8, 24}, {".h0", 16, 0}, {".h1", 16, 16}};

bool compared(const std::string& how, Wide a, Wide b) {
  if (how == "eq") return a == b;
  if (how == "ne") return a != b;
  if (how == "lt") return a < b;
  if (how == "le") return a <= b;
  return how == "gt" ? a > b : a >= b;
}
const char* const kCompares[] = {"eq", "ne", "lt", "le", "gt", "ge"};

/// Runs `text`, which computes %r4 from %r1, %r2, %r3, and compares all lanes with `want`(a, b, c).
template <class Want>
void check(const std::string& text, std::mt19937& random, Want want) {
  INFO(text);
  KernelRunner runner(
      kernel_text("mad.lo.u32 %r5, %r0, 12, 0;\ncvt.u64.u32 %rd3, %r5;\n"
                  "add.u64 %rd3, %rd3, %rd2;\nld.global.u32 %r1, [%rd3];\n"
                  "ld.global.u32 %r2, [%rd3+4];\nld.global.u32 %r3, [%rd3+8];\n" +
                  text + "\nst.global.u32 [%rd1], %r4;"));
  std::array<std::uint32_t, 96> in{};
  for (std::uint32_t& v : in) {
    v = static_cast<std::uint32_t>(random());
    if (random() % 4 == 0) v &= 0x3fu;  // small shift counts
    if (random() % 8 == 0) v = 0x80000000u;
    if (random() % 8 == 0) v = 0xffffffffu;
  }
  for (unsigned i = 0; i < in.size(); ++i) runner.set_input(i, in[i]);
  runner.run();
  for (unsigned lane = 0; lane < 32; ++lane) {
    const std::uint32_t a = in[3 * lane];
    const std::uint32_t b = in[3 * lane + 1];
    const std::uint32_t c = in[3 * lane + 2];
    INFO(std::hex << "a " << a << ", b " << b << ", c " << c);
    REQUIRE(runner.result<std::uint32_t>(lane) == want(a, b, c));
  }
}

const char* type(bool is_signed) { return is_signed ? ".s32" : ".u32"; }

}  // namespace

TEST_CASE("scalar video instructions follow the manual's steps") {
  std::mt19937 random(17);
  const auto flip = [&] { return random() % 2 == 0; };
  for (const std::string op :
       {"vadd", "vsub", "vabsdiff", "vmin", "vmax", "vshl", "vshr", "vset"}) {
    for (unsigned n = 0; n < 40; ++n) {
      const bool shifts = op == "vshl" || op == "vshr";
      const bool sets = op == "vset";
      const bool d_signed = !sets && flip();
      const bool a_signed = flip();
      const bool b_signed = !shifts && flip();
      const bool saturates = !sets && flip();
      const bool wraps = flip();
      const std::string compare = kCompares[random() % 6];
      const Part& a_part = kParts[random() % 7];
      const Part& b_part = kParts[random() % 7];
      const unsigned mode = random() % 5;  // 0: plain; 1 to 3: second operation; 4: merge
      const Part& d_part = mode == 4 ? kParts[1 + random() % 6] : kParts[0];
      const char* const seconds[] = {"", ".add", ".min", ".max", ""};
      std::string text = op + (sets ? "" : type(d_signed)) + type(a_signed) + type(b_signed) +
                         (saturates ? ".sat" : "") + (shifts ? (wraps ? ".wrap" : ".clamp") : "") +
                         (sets ? "." + compare : "") + seconds[mode] + " %r4" + d_part.text +
                         ", %r1" + a_part.text + ", %r2" + b_part.text +
                         (mode != 0 ? ", %r3;" : ";");
      check(text, random, [&](std::uint32_t a, std::uint32_t b, std::uint32_t c) {
        const Wide ta = extend(a >> a_part.at, a_part.bits, a_signed);
        Wide tb = extend(b >> b_part.at, b_part.bits, b_signed);
        __int128 t = 0;
        if (op == "vadd") t = ta + tb;
        if (op == "vsub") t = ta - tb;
        if (op == "vabsdiff") t = std::abs(ta - tb);
        if (op == "vmin") t = std::min(ta, tb);
        if (op == "vmax") t = std::max(ta, tb);
        if (sets) t = compared(compare, ta, tb) ? 1 : 0;
        if (shifts) {
          tb = wraps ? tb & 31 : std::min<Wide>(tb, 32);
          // A shift to the right rounds down.
          t = op == "vshl" ? static_cast<__int128>(ta) * (Wide{1} << tb) : ta >> tb;
        }
        const __int128 top = (__int128{1} << (d_signed ? d_part.bits - 1 : d_part.bits)) - 1;
        const __int128 bottom = d_signed ? -top - 1 : 0;
        if (saturates) t = t > top ? top : t < bottom ? bottom : t;
        const __int128 third = extend(c, 32, d_signed);
        if (mode == 1) t += third;
        if (mode == 2) t = t < third ? t : third;
        if (mode == 3) t = t > third ? t : third;
        const auto result = static_cast<std::uint32_t>(t);
        if (d_part.bits == 32) return result;
        const std::uint32_t field = ((1u << d_part.bits) - 1) << d_part.at;
        return (result << d_part.at & field) | (c & ~field);
      });
    }
  }
}

TEST_CASE("vmad negates, adds one, scales and saturates as the manual says") {
  std::mt19937 random(23);
  const auto flip = [&] { return random() % 2 == 0; };
  for (unsigned n = 0; n < 80; ++n) {
    const bool a_signed = flip();
    const bool b_signed = flip();
    const unsigned sign = random() % 4;  // 0: none; 1: product; 2: c; 3: plus one
    const bool saturates = flip();
    const unsigned scales[] = {0, 7, 15};
    const unsigned scale = scales[random() % 3];
    const Part& a_part = kParts[random() % 7];
    const Part& b_part = kParts[random() % 7];
    const bool is_signed = a_signed || b_signed || sign == 1 || sign == 2;
    const std::string text = std::string("vmad") + type(is_signed) + type(a_signed) +
                             type(b_signed) + (sign == 3 ? ".po" : "") + (saturates ? ".sat" : "") +
                             (scale != 0 ? ".shr" + std::to_string(scale) : "") + " %r4, %r1" +
                             a_part.text + ", " + (sign == 1 ? "-" : "") + "%r2" + b_part.text +
                             ", " + (sign == 2 ? "-" : "") + "%r3;";
    check(text, random, [&](std::uint32_t a, std::uint32_t b, std::uint32_t c) {
      __int128 t = static_cast<__int128>(extend(a >> a_part.at, a_part.bits, a_signed)) *
                   extend(b >> b_part.at, b_part.bits, b_signed);
      std::uint32_t addend = c;
      int lsb = 0;
      if (sign == 3) lsb = 1;
      if (sign == 1) {
        t = ~t;
        lsb = 1;
      }
      if (sign == 2) {
        addend = ~c;
        lsb = 1;
      }
      t += extend(addend, 32, is_signed) + lsb;
      t >>= scale;
      if (saturates) {
        const __int128 top = is_signed ? 0x7fffffff : 0xffffffffll;
        const __int128 bottom = is_signed ? -top - 1 : 0;
        t = t > top ? top : t < bottom ? bottom : t;
      }
      return static_cast<std::uint32_t>(t);
    });
  }
}

TEST_CASE("SIMD video instructions select, compute, mask and merge each part") {
  std::mt19937 random(7);
  const auto flip = [&] { return random() % 2 == 0; };
  for (const std::string op : {"vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax", "vset"}) {
    for (unsigned n = 0; n < 40; ++n) {
      const unsigned parts = flip() ? 2 : 4;
      const unsigned width = 32 / parts;
      const bool sets = op == "vset";
      const bool d_signed = !sets && flip();
      const bool a_signed = flip();
      const bool b_signed = flip();
      const unsigned mode = random() % (sets ? 2 : 3);  // 0: plain; 1: .add; 2: .sat
      const std::string compare = kCompares[random() % 6];
      // Selected parts of {b, a}; the first in the text is the most significant.
      const auto select = [&](std::string& text, std::array<unsigned, 4>& from, unsigned first) {
        for (unsigned i = 0; i < parts; ++i) from[i] = first + i;
        if (flip()) return;
        text = parts == 4 ? ".b" : ".h";
        for (unsigned i = parts; i-- > 0;) {
          from[i] = static_cast<unsigned>(random() % (2 * parts));
          text += std::to_string(from[i]);
        }
      };
      std::string a_text;
      std::string b_text;
      std::string mask_text;
      std::array<unsigned, 4> a_from{};
      std::array<unsigned, 4> b_from{};
      select(a_text, a_from, 0);
      select(b_text, b_from, parts);
      unsigned mask = 15;
      if (flip()) {
        mask = 1 + static_cast<unsigned>(random() % ((1u << parts) - 1));
        mask_text = parts == 4 ? ".b" : ".h";
        for (unsigned i = parts; i-- > 0;) {
          if ((mask >> i & 1u) != 0) mask_text += std::to_string(i);
        }
      }
      const std::string text = op + std::to_string(parts) + (sets ? "" : type(d_signed)) +
                               type(a_signed) + type(b_signed) + (sets ? "." + compare : "") +
                               (mode == 1   ? ".add"
                                : mode == 2 ? ".sat"
                                            : "") +
                               " %r4" + mask_text + ", %r1" + a_text + ", %r2" + b_text + ", %r3;";
      check(text, random, [&](std::uint32_t a, std::uint32_t b, std::uint32_t c) {
        const std::uint64_t both = std::uint64_t{b} << 32 | a;
        std::uint32_t sum = c;
        std::uint32_t merged = 0;
        for (unsigned i = 0; i < parts; ++i) {
          const Wide x = extend(both >> (width * a_from[i]), width, a_signed);
          const Wide y = extend(both >> (width * b_from[i]), width, b_signed);
          Wide t = 0;
          if (op == "vadd") t = x + y;
          if (op == "vsub") t = x - y;
          if (op == "vavrg") t = x + y >= 0 ? (x + y + 1) >> 1 : (x + y) >> 1;
          if (op == "vabsdiff") t = std::abs(x - y);
          if (op == "vmin") t = std::min(x, y);
          if (op == "vmax") t = std::max(x, y);
          if (sets) t = compared(compare, x, y) ? 1 : 0;
          if (mode == 2) t = clamp_of(t, width, d_signed);
          const bool taken = (mask >> i & 1u) != 0;
          if (taken) sum += static_cast<std::uint32_t>(t);
          const std::uint32_t ones = (1u << width) - 1;
          merged |= ((taken ? static_cast<std::uint32_t>(t) : c >> (width * i)) & ones)
                    << (width * i);
        }
        return mode == 1 ? sum : merged;
      });
    }
  }
}

TEST_CASE("operands of video instructions without a selected part are whole registers") {
  std::mt19937 random(2);
  check("vadd.u32.u32.u32 %r4, %r1, 5;", random,
        [](std::uint32_t a, std::uint32_t, std::uint32_t) { return a + 5; });
  check("vadd4.u32.u32.u32 %r4, %r1, 0x01010101, 0;", random,
        [](std::uint32_t a, std::uint32_t, std::uint32_t) {
          return ((a & 0x7f7f7f7fu) + 0x01010101u) ^ (a & 0x80808080u);
        });
}

}  // namespace tessera::video_test
