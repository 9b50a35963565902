// SPDX-License-Identifier: Apache-2.0
#pragma once

// Text of PTX functions and calls. Arguments and results are 32 bits.

#include <string>
#include <vector>

#include "tests/stimuli/ptx/divergent_support.h"

namespace tessera::test {

/// A prototype of functions with `count` arguments and a result.
inline std::string prototype(const std::string& label, unsigned count) {
  std::string text = label + " : .callprototype (.param .b32 _) _ (";
  for (unsigned i = 0; i < count; ++i) text += std::string(i == 0 ? "" : ", ") + ".param .b32 _";
  return text + ");\n";
}

/// "to = target(arguments)". `list`: the label behind an indirect call; empty: a direct call.
/// `guard`: "@%p1 " or empty.
inline std::string call(const std::string& to, const std::string& target,
                        const std::vector<std::string>& arguments, const std::string& list = {},
                        const std::string& guard = {}) {
  std::string text = "{\n.param .b32 q;\n";
  std::string names;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string p = "p" + std::to_string(i);
    text += ".param .b32 " + p + ";\nst.param.b32 [" + p + "], " + arguments[i] + ";\n";
    names += (i == 0 ? "" : ", ") + p;
  }
  text += guard + "call (q), " + target + ", (" + names + ")" + (list.empty() ? "" : ", " + list) +
          ";\n" + guard + "ld.param.b32 " + to + ", [q];\n}\n";
  return text;
}

/// A function of `count` arguments, which are in %a0, %a1, ...; the body sets the result in %x, and
/// has the registers %t0 to %t7, %p0 to %p3 and %d0 to %d3 (64 bits).
inline std::string function(const std::string& name, unsigned count, const std::string& body,
                            const std::string& declarations = {}) {
  std::string head = ".func (.param .b32 r) " + name + "(";
  std::string loads;
  for (unsigned i = 0; i < count; ++i) {
    const std::string n = std::to_string(i);
    head += std::string(i == 0 ? "" : ", ") + ".param .b32 " + name + "_" + n;
    loads += "ld.param.b32 %a" + n + ", [" + name + "_" + n + "];\n";
  }
  return head + ")\n{\n.reg .b32 %a<4>;\n.reg .b32 %x;\n.reg .b32 %t<8>;\n.reg .pred %p<4>;\n" +
         ".reg .b64 %d<4>;\n" + declarations + loads + body + "st.param.b32 [r], %x;\nret;\n}\n";
}

/// The error of a run in either mode of values; it must be the same.
inline std::string error_of(const std::string& text, unsigned threads = 32,
                            std::uint32_t stack_bytes = ptx::kDefaultStackBytes) {
  std::string errors[2];
  for (const bool functional : {true, false}) {
    KernelRunner k(text);
    k.stack_bytes = stack_bytes;
    try {
      if (functional)
        k.run({threads, 1, 1});
      else
        k.run_carried({threads, 1, 1}, {1, 1, 1}, 1);
    } catch (const RunError& e) {
      errors[functional ? 0 : 1] = e.what();
    }
  }
  CHECK(errors[0] == errors[1]);
  return errors[0];
}

}  // namespace tessera::test
