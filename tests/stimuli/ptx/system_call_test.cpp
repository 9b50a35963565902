// SPDX-License-Identifier: Apache-2.0
// printf and assert in device code, called as nvcc and clang call them.

#include <catch2/catch.hpp>
#include <iostream>
#include <sstream>

#include "common/error.h"
#include "stimuli/ptx/device_printf.h"
#include "tests/stimuli/ptx/kernel_runner.h"

namespace tessera::system_call_test {

using tessera::ptx::format_printf;
using tessera::ptx::PrintfArguments;
using tessera::ptx::PrintfText;
using tessera::ptx::UnknownConversion;
using tessera::test::kernel_text;
using tessera::test::KernelRunner;

namespace {

/// What is written to standard error while it lives.
class StandardError {
 public:
  StandardError() : kept_(std::cerr.rdbuf(text_.rdbuf())) {}
  ~StandardError() { std::cerr.rdbuf(kept_); }
  StandardError(const StandardError&) = delete;
  StandardError& operator=(const StandardError&) = delete;
  std::string text() const { return text_.str(); }

 private:
  std::ostringstream text_;
  std::streambuf* kept_;
};

/// A packed buffer of arguments, as the compilers lay it out.
class Buffer {
 public:
  template <class T>
  Buffer& add(T v) {
    while (bytes_.size() % sizeof v != 0) bytes_.push_back(0xcc);
    const std::size_t at = bytes_.size();
    bytes_.resize(at + sizeof v);
    std::memcpy(&bytes_[at], &v, sizeof v);
    return *this;
  }
  PrintfText print(const std::string& format) const {
    PrintfArguments a;
    a.word = [&](std::uint64_t offset, unsigned bytes) {
      std::uint64_t v = 0;
      REQUIRE(offset + bytes <= bytes_.size());
      std::memcpy(&v, &bytes_[offset], bytes);
      return v;
    };
    a.string = [](Address at) { return "<" + std::to_string(at) + ">"; };
    return format_printf(format, a);
  }

 private:
  std::vector<unsigned char> bytes_;
};

std::string bytes_of(const std::string& text) {
  std::string list;
  for (const char c : text) list += std::to_string(static_cast<unsigned char>(c)) + ", ";
  return "[" + std::to_string(text.size() + 1) + "] = {" + list + "0};\n";
}

/// printf(format, ...) with the arguments in .local memory from `%SPL` on.
std::string print_call(const std::string& format_symbol) {
  return "mov.u64 %rd20, " + format_symbol +
         ";\ncvta.global.u64 %rd20, %rd20;\nmov.u64 %rd21, depot;\ncvta.local.u64 %rd21, %rd21;\n"
         "{\n.param .b64 p0;\n.param .b64 p1;\n.param .b32 r0;\nst.param.b64 [p0+0], %rd20;\n"
         "st.param.b64 [p1+0], %rd21;\ncall.uni (r0), vprintf, (p0, p1);\n"
         "ld.param.b32 %r9, [r0+0];\n}\n";
}

const char* const kDeclarations =
    ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
    ".extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n,\n"
    ".param .b64 s);\n";

std::string thread_format() { return ".global .align 1 .b8 format" + bytes_of("%d:%6.2f %s\n"); }

const char* const kThreadBody =
    ".local .align 8 .b8 depot[24];\nmov.u64 %rd5, depot;\nst.local.u32 [%rd5], %r0;\n"
    "cvt.rn.f64.u32 %fd1, %r0;\nmul.f64 %fd1, %fd1, 0d3FE0000000000000;\n"
    "st.local.f64 [%rd5+8], %fd1;\nmov.u64 %rd6, name;\ncvta.global.u64 %rd6, %rd6;\n"
    "st.local.u64 [%rd5+16], %rd6;\n";

std::string printed_by_four() { return "32: 16.00 ab\n33: 16.50 ab\n34: 17.00 ab\n35: 17.50 ab\n"; }

}  // namespace

TEST_CASE("each conversion takes its argument and formats it as C does") {
  CHECK(Buffer().print("plain %% text").text == "plain % text");
  CHECK(Buffer().add<int>(-5).add<int>(-6).print("%d|%i").text == "-5|-6");
  CHECK(Buffer().add<unsigned>(4000000000u).print("%u").text == "4000000000");
  CHECK(Buffer().add<unsigned>(255).add<unsigned>(255).add<unsigned>(8).print("%x %X %o").text ==
        "ff FF 10");
  CHECK(Buffer().add<int>(7).add<std::int64_t>(-1).print("%d %ld").text == "7 -1");
  CHECK(Buffer().add<std::int64_t>(-2).add<std::uint64_t>(~0ull).print("%lld %llu").text ==
        "-2 18446744073709551615");
  CHECK(Buffer().add<std::uint64_t>(9).add<std::uint64_t>(16).print("%zu %lx").text == "9 10");
  CHECK(Buffer().add<int>(0x1ff).add<int>(0x18000).print("%hhd %hd").text == "-1 -32768");
  CHECK(Buffer().add<int>(0x1ff).add<int>(0x18000).print("%hhu %hu").text == "255 32768");
  CHECK(Buffer().add(1.5).add(1.5e10).add(0.25).print("%f %e %g").text ==
        "1.500000 1.500000e+10 0.25");
  CHECK(Buffer().add<int>('x').add<std::uint64_t>(77).print("%c%s").text == "x<77>");
  CHECK(Buffer().add<std::uint64_t>(0x1234abcd).add<std::uint64_t>(0).print("%p %p").text ==
        "0x1234abcd 0x0");
}

TEST_CASE("flags, width and precision hold, also as arguments") {
  CHECK(Buffer().add<int>(42).print("[%6d]").text == "[    42]");
  CHECK(Buffer().add<int>(42).print("[%-6d]").text == "[42    ]");
  CHECK(Buffer().add<int>(42).print("[%+06d]").text == "[+00042]");
  CHECK(Buffer().add<int>(42).print("[%#x]").text == "[0x2a]");
  CHECK(Buffer().add(3.14159).print("[%8.3f]").text == "[   3.142]");
  CHECK(Buffer().add<int>(8).add<int>(2).add(3.14159).print("[%*.*f]").text == "[    3.14]");
  CHECK(Buffer().add<int>(-6).add<int>(42).print("[%*d]").text == "[42    ]");
  CHECK(Buffer().add<int>(-1).add(1.5).print("[%.*f]").text == "[1.500000]");
  CHECK(Buffer().add(1.5).print("[%.f]").text == "[2]");
  CHECK(Buffer().add<std::uint64_t>(123456).print("[%.3s]").text == "[<12]");
  CHECK(Buffer().add<std::uint64_t>(0).print("[%s]").text == "[(null)]");
  CHECK(Buffer().add<std::uint64_t>(16).print("[%8p]").text == "[    0x10]");
}

TEST_CASE("the call returns how many arguments the format took") {
  CHECK(Buffer().print("none %%").arguments == 0);
  CHECK(Buffer().add<int>(1).add<int>(2).add<int>(3).print("%*d %d").arguments == 3);
}

TEST_CASE("a conversion that printf has not is named") {
  using Catch::Contains;
  CHECK_THROWS_WITH(Buffer().add<int>(1).print("a %q"),
                    Contains("no conversion '%q'") && Contains("supported: %d"));
  CHECK_THROWS_WITH(Buffer().add<std::uint64_t>(1).print("%n"), Contains("'%n'"));
  CHECK_THROWS_WITH(Buffer().add<int>(1).print("%lls"), Contains("'%lls'"));
  CHECK_THROWS_AS(Buffer().print("%5"), UnknownConversion);
  for (const char* wide : {"%99999999999999999999d", "%65536d", "%.65536d"}) {
    CHECK_THROWS_WITH(Buffer().add<int>(1).print(wide), Contains("a width or precision of 65536"));
  }
  CHECK_THROWS_AS(Buffer().add<int>(INT32_MIN).add<int>(1).print("%*d"), UnknownConversion);
  CHECK(Buffer().add<int>(1).print("%65535d").text.size() == 65535);
}

TEST_CASE("vprintf prints to standard error, lane after lane, the active lanes only") {
  const std::string scope =
      kDeclarations + thread_format() + ".global .align 1 .b8 name" + bytes_of("ab");
  // Lanes 0 to 3 of the second warp.
  const std::string body = std::string(kThreadBody) +
                           "setp.lt.u32 %p1, %r0, 32;\n@%p1 bra DONE;\nsetp.gt.u32 %p1, %r0, 35;\n"
                           "@%p1 bra DONE;\n" +
                           print_call("format") + "st.global.u32 [%rd1], %r9;\nDONE:\n";
  KernelRunner functional(kernel_text(body, scope));
  {
    const StandardError captured;
    functional.run({64, 1, 1});
    CHECK(captured.text() == printed_by_four());
  }
  CHECK(functional.result<std::uint32_t>(31) == 0);
  CHECK(functional.result<std::uint32_t>(33) == 3);
  KernelRunner carried(kernel_text(body, scope));
  {
    const StandardError captured;
    carried.run_carried({64, 1, 1}, {1, 1, 1}, 5);
    CHECK(captured.text() == printed_by_four());
  }
  CHECK(carried.result<std::uint32_t>(35) == 3);
}

TEST_CASE("a predicated call prints for its lanes") {
  const std::string scope = kDeclarations + (".global .align 1 .b8 format" + bytes_of("<%u>"));
  std::string body =
      ".local .align 8 .b8 depot[8];\nmov.u64 %rd5, depot;\nst.local.u32 [%rd5], %r0;\n"
      "and.b32 %r1, %r0, 15;\nsetp.eq.u32 %p1, %r1, 3;\n" +
      print_call("format");
  body.replace(body.find("call.uni"), 4, "@%p1 call");
  KernelRunner k(kernel_text(body, scope));
  const StandardError captured;
  k.run();
  CHECK(captured.text() == "<3><19>");
}

TEST_CASE("strings may be in shared, local and constant memory") {
  const std::string scope = kDeclarations + (".global .align 1 .b8 format" + bytes_of("%s%s%s|")) +
                            ".const .align 1 .b8 fixed" + bytes_of("const");
  const std::string body =
      ".shared .align 8 .b8 tile[8];\n.local .align 8 .b8 depot[24];\n.local .align 8 .b8 "
      "mine[8];\n"
      "st.shared.u32 [tile], 6840421;\nst.shared.u32 [tile+4], 0;\n"  // "e`h"
      "add.u32 %r1, %r0, 65;\nst.local.u32 [mine], %r1;\n"
      "mov.u64 %rd5, tile;\ncvta.shared.u64 %rd5, %rd5;\nst.local.u64 [depot], %rd5;\n"
      "mov.u64 %rd5, mine;\ncvta.local.u64 %rd5, %rd5;\nst.local.u64 [depot+8], %rd5;\n"
      "mov.u64 %rd5, fixed;\ncvta.const.u64 %rd5, %rd5;\nst.local.u64 [depot+16], %rd5;\n" +
      print_call("format");
  KernelRunner k(kernel_text(body, scope));
  const StandardError captured;
  k.run({2, 1, 1});
  CHECK(captured.text() == "e`hAconst|e`hBconst|");
}

TEST_CASE("printf's mistakes name the thread and the line") {
  using Catch::Contains;
  const std::string body =
      ".local .align 8 .b8 depot[8];\nst.local.u32 [depot], %r0;\n" + print_call("format");
  KernelRunner conversion(
      kernel_text(body, kDeclarations + (".global .b8 format" + bytes_of("%y"))));
  CHECK_THROWS_WITH(conversion.run(),
                    Contains("thread (0,0,0), test.ptx:") && Contains("no conversion '%y'"));
  std::string nowhere = body;
  nowhere.replace(nowhere.find("[p1+0], %rd21"), 13, "[p1+0], 4096");
  KernelRunner lost(kernel_text(nowhere, kDeclarations + (".global .b8 format" + bytes_of("%d"))));
  CHECK_THROWS_WITH(lost.run(), Contains("printf has an argument at 0x1000, which cannot be read"));
  KernelRunner endless(kernel_text(
      body, std::string(kDeclarations) + ".global .b8 format[4] = {65, 65, 65, 65};\n"));
  CHECK_THROWS_WITH(endless.run(), Contains("has no end in memory that can be read"));
}

TEST_CASE("a failed assertion ends the run and names thread, place and text") {
  const std::string scope = kDeclarations + (".global .b8 message" + bytes_of("a[i] != 3")) +
                            ".global .b8 file" + bytes_of("dir/kernel.cu") +
                            ".global .b8 function" + bytes_of("void k(int *)");
  const auto pointer = [](const char* symbol, const char* to) {
    return "mov.u64 %rd7, " + std::string(symbol) +
           ";\ncvta.global.u64 %rd7, %rd7;\nst.param.b64 [" + to + "], %rd7;\n";
  };
  const std::string body =
      "setp.ne.u32 %p1, %r0, 70;\n@%p1 bra FINE;\n{\n.param .b64 p0;\n"
      ".param .b64 p1;\n.param .b32 p2;\n.param .b64 p3;\n.param .b64 p4;\n" +
      pointer("message", "p0") + pointer("file", "p1") + "st.param.b32 [p2], 19;\n" +
      pointer("function", "p3") +
      "st.param.b64 [p4], 1;\n"
      "call.uni __assertfail, (p0, p1, p2, p3, p4);\n}\nFINE:\n";
  KernelRunner k(kernel_text(body, scope));
  k.run({64, 1, 1});  // nobody fails
  CHECK_THROWS_AS(k.run({64, 1, 1}, {2, 1, 1}), RunError);
  CHECK_THROWS_WITH(
      k.run({64, 1, 1}, {2, 1, 1}),
      Catch::Contains("kernel 'k', CTA (1,0,0), thread (6,0,0), test.ptx:") &&
          Catch::Contains("assertion failed: a[i] != 3 (dir/kernel.cu:19, in void k(int *))"));
}

}  // namespace tessera::system_call_test
