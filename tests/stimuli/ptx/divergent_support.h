// SPDX-License-Identifier: Apache-2.0
#pragma once

// Runs a kernel of divergent code in both modes of values and compares what each thread writes.

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>

#include "common/error.h"
#include "tests/stimuli/ptx/kernel_runner.h"

namespace tessera::test {

inline constexpr std::uint32_t kUnwritten = 0xdeadbeef;

/// What thread t of a block of n threads writes.
using Expected = std::function<std::uint32_t(unsigned t, unsigned n)>;

/// Lanes of thread t's warp that exist.
inline std::uint32_t existing(unsigned t, unsigned n) {
  const unsigned lanes = std::min(32u, n - t / 32 * 32);
  return lanes == 32 ? ~0u : (1u << lanes) - 1;
}

/// %r1: lane. %r20: this warp's part of the shared array `tile`, %r21: this thread's word in it.
inline std::string kernel(const std::string& body, const std::string& functions = {}) {
  return kernel_text(
      "mov.u32 %r1, %laneid;\nmov.u32 %r20, tile;\nshl.b32 %r21, %r0, 2;\n"
      "add.u32 %r21, %r20, %r21;\nshl.b32 %r19, %r1, 2;\nsub.u32 %r20, %r21, %r19;\n" +
          body,
      functions + ".shared .align 4 .b8 tile[1024];\n");
}

inline const char* const kLow = "setp.lt.u32 %p1, %r1, 16;\n";
inline const char* const kStore = "st.global.u32 [%rd1], %r4;\n";

inline void gives(const std::string& body, const Expected& expected,
                  const std::vector<unsigned>& blocks = {32, 20, 80, 1},
                  const std::string& functions = {}) {
  const std::string text = kernel(body, functions);
  INFO(text);
  for (const unsigned n : blocks) {
    for (unsigned seed = 0; seed < 4; ++seed) {  // 0: functional
      INFO(n << " threads, " << (seed == 0 ? "functional" : "carried"));
      KernelRunner k(text);
      for (unsigned t = 0; t < n; ++t) std::memcpy(k.memory.at(k.out + 8 * t), &kUnwritten, 4);
      if (seed == 0)
        k.run({n, 1, 1});
      else
        k.run_carried({n, 1, 1}, {1, 1, 1}, seed);
      for (unsigned t = 0; t < n; ++t) {
        INFO("thread " << t);
        REQUIRE(k.result<std::uint32_t>(t) == expected(t, n));
      }
      CHECK(k.warnings.empty());
    }
  }
}

/// The run ends with an error that names all of these.
inline void fails(const std::string& body, const std::vector<std::string>& named,
                  unsigned threads = 32) {
  const std::string text = kernel(body);
  INFO(text);
  for (const bool functional : {true, false}) {
    KernelRunner k(text);
    std::string error;
    try {
      if (functional)
        k.run({threads, 1, 1});
      else
        k.run_carried({threads, 1, 1}, {1, 1, 1}, 1);
    } catch (const RunError& e) {
      error = e.what();
    }
    INFO("error: " << error);
    CHECK_FALSE(error.empty());
    for (const std::string& part : named) {
      INFO("part: " << part);
      CHECK(error.find(part) != std::string::npos);
    }
  }
}

inline unsigned popcount(std::uint32_t v) { return static_cast<unsigned>(__builtin_popcount(v)); }

}  // namespace tessera::test
