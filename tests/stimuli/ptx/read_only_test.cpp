// SPDX-License-Identifier: Apache-2.0
#include "stimuli/ptx/read_only.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "common/error.h"
#include "tests/stimuli/ptx/kernel_runner.h"

namespace tessera::read_only_test {

using namespace tessera::ptx;
using Catch::Matchers::Contains;
using tessera::test::CarriedRunner;
using tessera::test::kernel_text;
using tessera::test::KernelRunner;

namespace {

/// A kernel with the pointers a, b and c (generic in %rd1, %rd2, %rd3; proven global pointers in
/// %rd4, %rd5, %rd6) and the number n (%rd7), in the way of clang and nvcc. The body's first line
/// is line 21.
std::string abc(const std::string& body, const std::string& module_scope = {}) {
  return ".version 7.0\n.target sm_75\n.address_size 64\n" + module_scope +
         "\n.visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 n)\n{\n"
         ".reg .pred %p<9>;\n.reg .b32 %r<33>;\n.reg .b64 %rd<33>;\n.reg .b16 %rs<9>;\n"
         ".reg .f32 %f<9>;\n"
         "ld.param.u64 %rd1, [a];\nld.param.u64 %rd2, [b];\nld.param.u64 %rd3, [c];\n"
         "ld.param.u64 %rd7, [n];\n"
         "cvta.to.global.u64 %rd4, %rd1;\ncvta.to.global.u64 %rd5, %rd2;\n"
         "cvta.to.global.u64 %rd6, %rd3;\nmov.u32 %r0, %tid.x;\nmul.wide.u32 %rd8, %r0, 4;\n" +
         body + "ret;\n}\n";
}

ReadOnlyReport analyse(const std::string& text) {
  return find_read_only(parse(text, "test.ptx"), "k");
}

/// "a=read-only b=written ...", of all that is used.
std::string classes(const ReadOnlyReport& report) {
  std::string out;
  for (const PointerReport& p : report.pointers) {
    if (p.use == PointerUse::kUnused) continue;
    out += (out.empty() ? "" : " ") + p.origin.name;
    if (p.origin.offset != 0) out += "+" + std::to_string(p.origin.offset);
    out += std::string("=") + pointer_use_name(p.use);
  }
  return out;
}
std::string classes(const std::string& text) { return classes(analyse(text)); }

}  // namespace

TEST_CASE("loaded, stored to, updated, not used: each pointer has its class, line and reason") {
  const ReadOnlyReport r = analyse(
      abc("add.s64 %rd9, %rd4, %rd8;\nld.global.f32 %f1, [%rd9+4];\nld.global.f32 %f2, [%rd9];\n"
          "add.s64 %rd10, %rd5, %rd8;\nld.global.f32 %f3, [%rd10];\nst.global.f32 [%rd10], %f1;\n"
          "red.global.add.f32 [%rd6], %f2;\n"));
  REQUIRE(r.pointers.size() == 4);
  CHECK(classes(r) == "a=read-only b=written c=atomic");
  CHECK(r.pointers[0].line == 22);
  CHECK(r.pointers[0].why == "loaded only, first by 'ld.global.f32 %f1, [%rd9+4]'");
  CHECK(r.pointers[0].loads == 2);
  CHECK(r.pointers[0].marked_loads == 2);
  CHECK(r.pointers[1].line == 26);
  CHECK(r.pointers[1].why == "stored to by 'st.global.f32 [%rd10], %f1'");
  CHECK(r.pointers[1].loads == 1);
  CHECK(r.pointers[1].marked_loads == 0);
  CHECK(r.pointers[2].line == 27);
  CHECK(r.pointers[2].why == "updated by 'red.global.add.f32 [%rd6], %f2'");
  CHECK(r.pointers[3].use == PointerUse::kUnused);
  CHECK(r.pointers[3].line == 0);
  CHECK(r.global_loads == 3);
  CHECK(r.marked_loads == 2);
  REQUIRE(r.loads.size() == 2);
  CHECK(r.loads[0].pointers == std::vector<std::uint32_t>{0});
}

TEST_CASE("atomics with and without a result update what they name") {
  CHECK(classes(abc("atom.global.add.u32 %r1, [%rd4], 1;\nred.add.u32 [%rd2], %r1;\n"
                    "atom.global.cas.b32 %r2, [%rd6], 0, 1;\n")) == "a=atomic b=atomic c=atomic");
  // A store is reported first.
  CHECK(classes(abc("atom.global.add.u32 %r1, [%rd4], 1;\nst.global.u32 [%rd4+4], %r1;\n")) ==
        "a=written");
}

TEST_CASE("stores and loads by generic addresses count") {
  const ReadOnlyReport r =
      analyse(abc("add.s64 %rd9, %rd1, %rd8;\nld.u32 %r1, [%rd9];\nst.u32 [%rd2], %r1;\n"));
  CHECK(classes(r) == "a=read-only b=written");
  CHECK(r.pointers[0].marked_loads == 1);
}

TEST_CASE("a pointer that a predicate chooses is every pointer that it may be") {
  const std::string select = "setp.eq.u32 %p1, %r0, 0;\nselp.b64 %rd9, %rd4, %rd5, %p1;\n";
  CHECK(classes(abc(select + "st.global.u32 [%rd9], 1;\nld.global.u32 %r1, [%rd6];\n")) ==
        "a=written b=written c=read-only");
  const std::string moves = "mov.u64 %rd9, %rd4;\n@%p1 mov.u64 %rd9, %rd5;\n";
  CHECK(classes(abc(moves + "st.global.u32 [%rd9], 1;\n")) == "a=written b=written");
  // A load from either is marked only when both are read-only.
  const ReadOnlyReport both = analyse(abc(select + "ld.global.u32 %r1, [%rd9];\n"));
  CHECK(both.marked_loads == 1);
  CHECK(both.loads.at(0).pointers == std::vector<std::uint32_t>{0, 1});
  const ReadOnlyReport one =
      analyse(abc(select + "ld.global.u32 %r1, [%rd9];\nst.global.u32 [%rd5], %r1;\n"));
  CHECK(classes(one) == "a=read-only b=written");
  CHECK(one.marked_loads == 0);
  // What is compared to make the predicate does not flow into the result.
  CHECK(classes(abc("ld.global.u64 %rd10, [%rd6];\nsetp.eq.u64 %p1, %rd10, 0;\n"
                    "selp.b64 %rd9, %rd4, %rd5, %p1;\nst.global.u32 [%rd9], 1;\n")) ==
        "a=written b=written c=read-only");
}

TEST_CASE("a pointer is followed around a loop, also to an earlier use") {
  // %rd9 walks over a; %rd10 gets it at the end of the first round, and is b before.
  const std::string text =
      abc("mov.u64 %rd9, %rd4;\nmov.u64 %rd10, %rd5;\nLOOP:\nmov.u64 %rd11, %rd10;\n"
          "st.global.u32 [%rd11], 1;\nadd.s64 %rd9, %rd9, 4;\nmov.u64 %rd10, %rd9;\n"
          "add.s32 %r0, %r0, -1;\nsetp.ne.s32 %p1, %r0, 0;\n@%p1 bra LOOP;\n"
          "ld.global.u32 %r1, [%rd6];\n");
  CHECK(classes(text) == "a=written b=written c=read-only");
}

TEST_CASE("arithmetic that mixes two pointers gives both") {
  CHECK(classes(abc("sub.s64 %rd9, %rd4, %rd5;\nadd.s64 %rd10, %rd6, %rd9;\n"
                    "st.global.u32 [%rd10], 1;\n")) == "a=written b=written c=written");
  CHECK(classes(abc("mad.lo.s64 %rd9, %rd8, 4, %rd4;\nst.global.u32 [%rd9], 1;\n")) == "a=written");
  // A number in bytes is as good as a pointer; one that is scaled is an offset.
  CHECK(classes(abc("add.s64 %rd9, %rd4, %rd7;\nst.global.u32 [%rd9], 1;\n")) ==
        "a=written n=written");
  CHECK(classes(abc("shl.b64 %rd9, %rd7, 2;\nadd.s64 %rd9, %rd4, %rd9;\n"
                    "st.global.u32 [%rd9], 1;\n")) == "a=written");
  CHECK(classes(abc("mad.lo.s64 %rd9, %rd7, 4, %rd4;\nst.global.u32 [%rd9], 1;\n")) == "a=written");
  // Two pointers with their bits mixed may be anything.
  CHECK(classes(abc("xor.b64 %rd9, %rd4, %rd5;\nst.global.u32 [%rd9], 1;\n"
                    "ld.global.u32 %r1, [%rd6];\n")) == "a=written b=written c=unknown");
}

TEST_CASE("a pointer that is copied to memory is unknown") {
  const ReadOnlyReport r =
      analyse(abc("ld.global.u32 %r1, [%rd5];\nst.global.u64 [%rd4], %rd2;\n"));
  CHECK(classes(r) == "a=written b=unknown");
  CHECK(r.pointers[1].line == 22);
  CHECK(r.pointers[1].why == "it is copied to memory by 'st.global.u64 [%rd4], %rd2'");
  CHECK(r.marked_loads == 0);
  CHECK(classes(abc(".local .b64 spill;\nld.global.u32 %r1, [%rd5];\nst.local.u64 [spill], %rd5;"
                    "\n")) == "b=unknown");
  CHECK(classes(abc("ld.global.u32 %r1, [%rd5];\natom.global.exch.b64 %rd9, [%rd4], %rd5;\n")) ==
        "a=atomic b=unknown");
  // Moved by an offset, it is still the pointer.
  CHECK(classes(abc("ld.global.u32 %r1, [%rd5];\nadd.s64 %rd9, %rd5, %rd8;\n"
                    "st.global.v2.u64 [%rd4], {%rd8, %rd9};\n")) == "a=written b=unknown");
}

TEST_CASE("a store through a pointer that was loaded makes all that was loaded unknown") {
  const std::string chase = "ld.global.u64 %rd9, [%rd4];\nld.global.u32 %r1, [%rd5];\n";
  const ReadOnlyReport loads = analyse(abc(chase + "ld.u32 %r2, [%rd9+8];\n"));
  CHECK(classes(loads) == "a=read-only b=read-only");
  CHECK(loads.global_loads == 3);
  CHECK(loads.marked_loads == 2);
  const ReadOnlyReport stores = analyse(abc(chase + "st.u32 [%rd9+8], %r1;\n"));
  CHECK(classes(stores) == "a=unknown b=unknown");
  CHECK(stores.marked_loads == 0);
  CHECK(stores.pointers[0].line == 23);
  CHECK(stores.pointers[0].why ==
        "it may be written through an address of unknown origin by 'st.u32 [%rd9+8], %r1'");
  CHECK(classes(abc(chase + "red.add.u32 [%rd9], 1;\n")) == "a=unknown b=unknown");
  // With the parameter n as an offset in bytes it is still that pointer.
  CHECK(classes(abc(chase + "add.s64 %rd10, %rd9, %rd7;\nst.u32 [%rd10], %r1;\n")) ==
        "a=unknown b=unknown n=written");
  // To shared or local memory it is harmless.
  CHECK(classes(abc(chase + "st.shared.u32 [%rd9], %r1;\nst.local.u32 [%rd9], %r1;\n")) ==
        "a=read-only b=read-only");
}

TEST_CASE("a pointer that is loaded in parts is a pointer, an index that is loaded is none") {
  const std::string read = "ld.global.u32 %r1, [%rd6];\n";
  const auto store_to = [&](const std::string& parts) {
    return classes(abc(read + parts + "st.global.u32 [%rd9], 1;\n"));
  };
  CHECK(store_to("ld.global.v2.u32 {%r2, %r3}, [%rd4];\nmov.b64 %rd9, {%r2, %r3};\n") ==
        "a=unknown c=unknown");
  CHECK(store_to("ld.global.u32 %r2, [%rd4];\nld.global.u32 %r3, [%rd4+4];\n"
                 "cvt.u64.u32 %rd10, %r2;\ncvt.u64.u32 %rd11, %r3;\nshl.b64 %rd11, %rd11, 32;\n"
                 "or.b64 %rd9, %rd11, %rd10;\n") == "a=unknown c=unknown");
  CHECK(store_to("ld.global.u32 %r2, [%rd4];\nmul.wide.s32 %rd10, %r2, 4;\n"
                 "add.s64 %rd9, %rd5, %rd10;\n") == "a=read-only b=written c=read-only");
  CHECK(store_to("ld.global.u64 %rd10, [%rd4];\nshl.b64 %rd11, %rd10, 2;\n"
                 "add.s64 %rd9, %rd5, %rd11;\n") == "a=read-only b=written c=read-only");
  // Unscaled, 64 bits from memory may be a pointer.
  CHECK(store_to("ld.global.u64 %rd10, [%rd4];\nadd.s64 %rd9, %rd5, %rd10;\n") ==
        "a=unknown b=written c=unknown");
  // A scaled index without a pointer is an address in disguise; a number beside it is no pointer.
  CHECK(store_to("ld.global.u32 %r2, [%rd4];\nmul.wide.u32 %rd9, %r2, 16;\n") ==
        "a=unknown c=unknown");
  CHECK(store_to("ld.global.u32 %r2, [%rd4];\nmul.wide.u32 %rd10, %r2, 16;\n"
                 "add.s64 %rd9, %rd10, %rd7;\n") == "a=unknown c=unknown n=written");
}

TEST_CASE("an address made of integers alone is of unknown origin") {
  CHECK(classes(abc("ld.global.u32 %r1, [%rd4];\nmov.u64 %rd9, 4294967296;\n"
                    "st.global.u32 [%rd9], 1;\n")) == "a=unknown");
}

TEST_CASE("pointers within a structure that is passed by value are distinguished") {
  const auto with = [](const std::string& body) {
    return ".version 7.0\n.target sm_75\n.address_size 64\n"
           ".visible .entry k(.param .align 8 .b8 s[40])\n{\n.reg .b32 %r<9>;\n"
           ".reg .b64 %rd<9>;\n.reg .f64 %fd<9>;\n" +
           body + "ret;\n}\n";
  };
  const ReadOnlyReport r =
      analyse(with("ld.param.v2.u64 {%rd1, %rd2}, [s+8];\nld.param.u32 %r1, [s+24];\n"
                   "ld.param.f64 %fd1, [s+32];\nmul.wide.s32 %rd3, %r1, 4;\n"
                   "ld.global.f64 %fd2, [%rd1];\nst.global.f64 [%rd2], %fd1;\n"));
  REQUIRE(r.pointers.size() == 5);
  CHECK(classes(r) == "s+8=read-only s+16=written");
  CHECK(r.pointers[1].origin.offset == 8);
  CHECK(r.marked_loads == 1);
  // A pointer that lies across two words is not followed.
  CHECK(classes(with("ld.param.u64 %rd1, [s+8];\nld.param.u64 %rd2, [s+20];\n"
                     "ld.global.u32 %r1, [%rd1];\nst.global.u32 [%rd2], %r1;\n")) == "s+8=unknown");
  // Nor one that is read by the structure's address.
  const ReadOnlyReport by_address =
      analyse(with("mov.b64 %rd1, s;\nld.param.u64 %rd2, [%rd1+8];\nld.global.u32 %r1, [%rd2];\n"));
  CHECK(by_address.pointers[1].use == PointerUse::kUnknown);
  CHECK(by_address.pointers[1].why ==
        "the address of the parameter itself is taken by 'mov.b64 %rd1, s'");
  CHECK(by_address.marked_loads == 0);
}

TEST_CASE("module variables have classes too") {
  const std::string variables =
      ".global .align 4 .b8 table[64];\n.global .u32 count;\n.global .u32 other;\n"
      ".global .u64 place = other;\n.const .u32 factor;\n.shared .b8 tile[64];\n";
  const ReadOnlyReport r =
      analyse(abc("mov.u64 %rd9, table;\nadd.s64 %rd9, %rd9, %rd8;\nld.global.u32 %r1, [%rd9];\n"
                  "ld.global.u32 %r2, [other];\nld.const.u32 %r3, [factor];\n"
                  "atom.global.add.u32 %r4, [count], 1;\nmov.u64 %rd10, tile;\n"
                  "st.shared.u32 [%rd10], %r1;\ncvta.shared.u64 %rd11, %rd10;\n"
                  "st.u32 [%rd11], %r2;\nld.u32 %r5, [%rd11];\n",
                  variables));
  CHECK(classes(r) == "table=read-only count=atomic other=unknown");
  CHECK(r.pointers.size() == 8);
  CHECK(r.pointers[6].line == 7);
  CHECK(r.pointers[6].why == "its address is in the initialiser of 'place'");
  // Constants and shared variables are no global loads.
  CHECK(r.global_loads == 2);
  CHECK(r.marked_loads == 1);
}

TEST_CASE("calls are followed into the callee, and without one they may write anything") {
  const std::string callee =
      ".func put(.param .b64 to, .param .b64 from)\n{\n.reg .b64 %rd<3>;\n.reg .b32 %r<2>;\n"
      "ld.param.u64 %rd1, [to];\nld.param.u64 %rd2, [from];\nld.u32 %r1, [%rd2];\n"
      "st.u32 [%rd1], %r1;\nret;\n}\n";
  const std::string call =
      "{\n.param .b64 p0;\n.param .b64 p1;\nst.param.b64 [p0+0], %rd1;\n"
      "st.param.b64 [p1+0], %rd2;\ncall.uni put, (p0, p1);\n}\nld.global.u32 %r1, [%rd6];\n";
  const ReadOnlyReport r = analyse(abc(call, callee));
  CHECK(classes(r) == "a=written b=read-only c=read-only");
  CHECK(r.marked_loads == 2);
  const ReadOnlyReport not_followed =
      analyse(abc("{\n.param .b64 p0;\nst.param.b64 [p0], %rd1;\ncall.uni away, (p0);\n}\n"
                  "ld.global.u32 %r1, [%rd6];\n",
                  ".global .u32 g;\n.extern .func away(.param .b64 to);\n"));
  CHECK(classes(not_followed) == "a=unknown c=unknown g=unknown");
  CHECK_THAT(not_followed.pointers[0].why,
             Contains("it is copied to memory") || Contains("a call that cannot be followed"));
  CHECK_THAT(not_followed.pointers[2].why, Contains("a call that cannot be followed may write"));
  CHECK(not_followed.marked_loads == 0);
}

TEST_CASE("pointers are followed into recursive functions and through function pointers") {
  // put(to, from, n): stores an element of `from` in `to` and calls itself.
  const std::string put =
      ".func put(.param .b64 to, .param .b64 from, .param .b32 n)\n{\n.reg .b64 %rd<3>;\n"
      ".reg .b32 %r<3>;\n.reg .pred %p;\nld.param.u64 %rd1, [to];\nld.param.u64 %rd2, [from];\n"
      "ld.param.u32 %r1, [n];\nsetp.eq.u32 %p, %r1, 0;\n@%p ret;\nsub.u32 %r1, %r1, 1;\n"
      "{\n.param .b64 a;\n.param .b64 b;\n.param .b32 m;\nst.param.b64 [a], %rd1;\n"
      "st.param.b64 [b], %rd2;\nst.param.b32 [m], %r1;\ncall put, (a, b, m);\n}\n"
      "ld.u32 %r2, [%rd2];\nst.u32 [%rd1], %r2;\nret;\n}\n";
  const auto pass = [](const std::string& call) {
    return "{\n.param .b64 p0;\n.param .b64 p1;\n.param .b32 p2;\nst.param.b64 [p0+0], %rd1;\n"
           "st.param.b64 [p1+0], %rd2;\nst.param.b32 [p2], 3;\n" +
           call + "}\nld.global.u32 %r1, [%rd6];\n";
  };
  const ReadOnlyReport recursive = analyse(abc(pass("call put, (p0, p1, p2);\n"), put));
  // The registers with `to` and `from` are saved in the frame, and keep their pointers.
  CHECK(classes(recursive) == "a=written b=read-only c=read-only");
  CHECK(recursive.marked_loads == 2);
  const ReadOnlyReport pointer = analyse(
      abc("mov.u64 %rd7, put;\nP : .callprototype () _ (.param .b64 _, .param .b64 _, .param .b32 "
          "_);\n" +
              pass("call %rd7, (p0, p1, p2), P;\n"),
          put));
  CHECK(classes(pointer) == "a=written b=read-only c=read-only");
  // A function that keeps its argument in memory makes it unknown.
  const std::string keep =
      ".global .u64 kept;\n.func keep(.param .b64 a)\n{\n.reg .b64 %rd<3>;\nld.param.u64 %rd1, "
      "[a];\nst.global.u64 [kept], %rd1;\nret;\n}\n";
  const ReadOnlyReport kept = analyse(
      abc("mov.u64 %rd7, keep;\nP : .callprototype () _ (.param .b64 _);\n{\n.param .b64 p0;\n"
          "st.param.b64 [p0], %rd4;\ncall %rd7, (p0), P;\n}\nld.global.u32 %r1, [%rd4];\n",
          keep));
  CHECK(classes(kept) == "a=unknown kept=written");
  CHECK(kept.marked_loads == 0);
}

TEST_CASE("a call of printf or of a failed assertion writes nothing that is loaded") {
  const std::string scope =
      ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
      ".extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n,\n"
      ".param .b64 s);\n.global .u32 g;\n";
  const std::string print =
      "{\n.param .b64 p0;\n.param .b64 p1;\n.param .b32 r0;\nst.param.b64 [p0+0], %rd1;\n"
      "st.param.b64 [p1+0], %rd2;\ncall.uni (r0), vprintf, (p0, p1);\n"
      "ld.param.b32 %r9, [r0+0];\n}\n";
  const std::string fail =
      "{\n.param .b64 p0;\n.param .b32 p1;\nst.param.b64 [p0+0], %rd3;\n"
      "st.param.b32 [p1], 1;\ncall.uni __assertfail, (p0, p0, p1, p0, p0);\n}\n";
  const ReadOnlyReport r = analyse(abc(print + fail +
                                           "ld.global.u32 %r1, [%rd4];\nld.global.u32 %r1, [g];\n"
                                           "st.global.u32 [%rd5], %r1;\n",
                                       scope));
  CHECK(classes(r) == "a=read-only b=written g=read-only");
  CHECK(r.marked_loads == 2);
}

TEST_CASE("asynchronous copies read their source and write their destination") {
  const ReadOnlyReport r =
      analyse(abc("ld.global.u32 %r1, [%rd5];\ncp.async.ca.shared.global [%r0], [%rd4], 4;\n"));
  CHECK(classes(r) == "a=read-only b=read-only");
  CHECK(r.marked_loads == 2);
  CHECK(classes(abc("ld.global.u32 %r1, [%rd5];\n"
                    "cp.async.bulk.global.shared::cta.bulk_group [%rd4], [%r0], 16;\n"
                    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r0], "
                    "[%rd5], 16, [%r1];\nmbarrier.arrive.shared.b64 _, [%r1];\n")) ==
        "a=written b=read-only");
}

TEST_CASE("an instruction that the pass does not know may write what it addresses") {
  const ReadOnlyReport r =
      analyse(abc("ld.global.u32 %r1, [%rd5];\nstore.unknown.global [%r0], [%rd4], 4;\n"));
  CHECK(classes(r) == "a=unknown b=unknown");
  CHECK_THAT(r.pointers[0].why, Contains("an instruction that the pass does not know"));
  CHECK(classes(abc("ld.global.u32 %r1, [%rd5];\nprefetch.global.L2 [%rd4];\n")) == "b=read-only");
}

TEST_CASE("loads that must see what others write are not marked, and .nc is always read-only") {
  for (const char* form : {"ld.volatile.global.u32", "ld.relaxed.gpu.global.u32",
                           "ld.acquire.gpu.global.u32", "ld.global.cv.u32"}) {
    const ReadOnlyReport r = analyse(abc(form + std::string(" %r1, [%rd4];\n")));
    INFO(form);
    CHECK(classes(r) == "a=read-only");
    CHECK(r.marked_loads == 0);
  }
  const ReadOnlyReport nc =
      analyse(abc("ld.global.nc.u32 %r1, [%rd4];\nst.global.u32 [%rd4], %r1;\n"));
  CHECK(classes(nc) == "a=written");
  CHECK(nc.marked_loads == 1);
  CHECK(nc.loads.empty());
}

TEST_CASE("a kernel that the module does not have is refused") {
  const Module module = parse(abc(""), "test.ptx");
  CHECK_THROWS_WITH(find_read_only(module, "kk"),
                    "test.ptx: there is no kernel 'kk'; did you mean 'k'?");
}

TEST_CASE("nvcc and clang 14 write the same pointers") {
  const std::string folder = TESSERA_SOURCE_DIR "/tests/stimuli/ptx/data";
  for (const char* file : {"nvcc_sm75.ptx", "nvcc_sm100.ptx", "clang14_sm70.ptx"}) {
    INFO(file);
    const Module module = parse_file(folder + "/" + file);
    // forms.cu: `tile` stores by a pointer that it loads; `local` stores by each of its parameters.
    CHECK(find_read_only(module, "_Z4tilePKf6RecordPfc").pointers[0].use == PointerUse::kUnknown);
    const ReadOnlyReport local = find_read_only(module, "_Z5localPiPhPx");
    CHECK(local.pointers[0].use == PointerUse::kWritten);
    CHECK(local.pointers[1].use == PointerUse::kWritten);
    CHECK(local.pointers[2].use == PointerUse::kWritten);
  }
}

namespace {

/// The read-only bits of the global memory operations of one warp, in order: "1" or "0" each.
std::string bits(KernelRunner& k) {
  const auto program = k.program({1, 1, 1}, {32, 1, 1}, false);
  CarriedRunner runner(*program, k.memory, 1);
  runner.run();
  std::string out;
  for (const auto& s : runner.seen) {
    if (s.space == Space::kGlobal) out += s.read_only ? '1' : '0';
  }
  return out;
}

const char* const kCopy =
    "ld.global.u32 %r1, [%rd2];\nld.global.nc.u32 %r2, [%rd2+4];\n"
    "ld.global.u32 %r3, [%rd0+8];\nst.global.u32 [%rd1], %r1;\n";

}  // namespace

TEST_CASE("a launch marks the loads that the pass found") {
  KernelRunner k(kernel_text(kCopy));
  CHECK(bits(k) == "1100");
}

TEST_CASE("a launch that passes one array twice marks no load of it") {
  KernelRunner k(kernel_text(kCopy));
  k.in = k.out;
  CHECK(bits(k) == "0100");
  // Another part of the same array is the same array.
  k.in = k.out + 4096;
  CHECK(bits(k) == "0100");
}

TEST_CASE("a pointer to no array forbids what it might reach") {
  // Stores to behind the array's beginning by a pointer to before it.
  const std::string body =
      "ld.global.u32 %r1, [%rd2];\nmov.u32 %r2, 0;\nst.global.u32 [%rd1+4096], %r2;\n";
  KernelRunner k(kernel_text(body));
  CHECK(bits(k) == "10");
  k.out -= 4096;
  CHECK(bits(k) == "00");
}

TEST_CASE("an argument that is a module variable of the kernel is seen") {
  const std::string body =
      "mov.u32 %r2, %laneid;\nld.global.u32 %r1, [table];\nst.global.u32 [%rd1], %r2;\n";
  KernelRunner k(kernel_text(body, ".global .align 8 .b8 table[4096];\n"));
  CHECK(bits(k) == "10");
  k.out = k.symbols.at("table");
  CHECK(bits(k) == "00");
}

}  // namespace tessera::read_only_test
