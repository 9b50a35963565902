// SPDX-License-Identifier: Apache-2.0
#pragma once

// Tables of single instructions on literals and the bits that they give.

#include "tests/stimuli/ptx/semantics_support.h"

namespace tessera::test {

/// Code that leaves a 32-bit value in %r9, and the value.
struct Word {
  std::string code;
  std::uint32_t value;
};
/// The same for %rd9.
struct Double {
  std::string code;
  std::uint64_t value;
};

inline void check_words(const std::vector<Word>& cases) {
  std::string body;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    body += "mov.u32 %r9, 0;\n" + cases[i].code + "st.global.u32 [%rd0+" + std::to_string(8 * i) +
            "], %r9;\n";
  }
  KernelRunner k(kernel_text(body));
  k.run({1, 1, 1});
  for (unsigned i = 0; i < cases.size(); ++i) {
    INFO(cases[i].code << "gives 0x" << std::hex << k.result<std::uint32_t>(i) << ", not 0x"
                       << cases[i].value);
    CHECK(k.result<std::uint32_t>(i) == cases[i].value);
  }
}

inline void check_doubles(const std::vector<Double>& cases) {
  std::string body;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    body += "mov.u64 %rd9, 0;\n" + cases[i].code + "st.global.u64 [%rd0+" + std::to_string(8 * i) +
            "], %rd9;\n";
  }
  KernelRunner k(kernel_text(body));
  k.run({1, 1, 1});
  for (unsigned i = 0; i < cases.size(); ++i) {
    INFO(cases[i].code << "gives 0x" << std::hex << k.result<std::uint64_t>(i) << ", not 0x"
                       << cases[i].value);
    CHECK(k.result<std::uint64_t>(i) == cases[i].value);
  }
}

/// "op.f32 %f9, a{, b};" on literals, the result's bits in %r9.
inline Word f32(const std::string& op, const std::vector<std::string>& operands,
                std::uint32_t value) {
  std::string code = op + " %f9";
  for (const std::string& o : operands) code += ", 0f" + o;
  return {code + ";\nmov.b32 %r9, %f9;\n", value};
}
/// "op %r9, ...;"
inline Word b32(const std::string& instruction, std::uint32_t value) {
  const std::size_t space = instruction.find(' ');
  return {instruction.substr(0, space) + " %r9," + instruction.substr(space) + ";\n", value};
}
/// "op %rs9 = ..." on 16-bit immediates, zero-extended to %r9.
inline Word b16(const std::string& op, const std::vector<unsigned>& operands, std::uint32_t value) {
  std::string code;
  std::string list;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const std::string r = "%rs" + std::to_string(i + 1);
    code += "mov.b16 " + r + ", " + std::to_string(operands[i]) + ";\n";
    list += ", " + r;
  }
  return {code + op + " %rs8" + list + ";\ncvt.u32.u16 %r9, %rs8;\n", value};
}
/// "op %r9, ..." on 32-bit immediates.
inline Word pair(const std::string& op, const std::vector<std::uint32_t>& operands,
                 std::uint32_t value) {
  std::string code;
  std::string list;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const std::string r = "%r" + std::to_string(i + 1);
    code += "mov.b32 " + r + ", " + std::to_string(operands[i]) + ";\n";
    list += ", " + r;
  }
  return {code + op + " %r9" + list + ";\n", value};
}

inline const std::string kInf = "7f800000";
inline const std::string kMinusInf = "ff800000";
inline const std::string kNan = "7fc00001";
inline const std::string kZero = "00000000";
inline const std::string kMinusZero = "80000000";
inline const std::string kOne = "3f800000";
inline const std::string kTiny = "00000001";  // the smallest subnormal
inline const std::string kMinusTiny = "80000001";
inline constexpr std::uint32_t kNanResult = 0x7fffffff;

}  // namespace tessera::test
