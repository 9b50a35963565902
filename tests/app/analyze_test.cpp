// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "common/json.h"
#include "tests/app/command.h"

namespace tessera::analyze_test {

using namespace tessera::test;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
using nlohmann::json;

namespace {

const char* const kPtx =
    ".version 7.0\n.target sm_75\n.address_size 64\n"
    ".global .align 4 .b8 table[64];\n"
    ".visible .entry scale(.param .u64 from, .param .align 8 .b8 s[16], .param .u32 n)\n{\n"
    ".reg .b32 %r<4>;\n.reg .b64 %rd<4>;\n"
    "ld.param.u64 %rd1, [from];\nld.param.u64 %rd2, [s+8];\n"
    "ld.global.u32 %r1, [%rd1];\n"
    "ld.global.u32 %r2, [table+4];\n"
    "ld.global.u32 %r3, [%rd2];\n"
    "st.global.u32 [%rd2], %r1;\n"
    "ret;\n}\n"
    ".visible .entry empty()\n{\nret;\n}\n";

}  // namespace

TEST_CASE("analyze shows class, loads, line and reason of every pointer") {
  const ScratchFolder folder;
  folder.write("mine.ptx", kPtx);
  const CommandResult r = run_tessera({"analyze", "mine.ptx"}, folder.path());
  CAPTURE(r.error);
  CHECK(r.status == 0);
  CHECK(r.error.empty());
  CHECK(r.out ==
        "kernel scale: 2 of 3 global loads are read-only\n"
        "POINTER  KIND       CLASS      LOADS  READ-ONLY  LINE  WHY\n"
        "from     parameter  read-only      1          1    11  loaded only, first by "
        "'ld.global.u32 %r1, [%rd1]'\n"
        "s+8      parameter  written        1          0    14  stored to by "
        "'st.global.u32 [%rd2], %r1'\n"
        "table    global     read-only      1          1    12  loaded only, first by "
        "'ld.global.u32 %r2, [table+4]'\n"
        "\n"
        "locality of kernel scale\n"
        "POINTER  LINES  TYPE          SHARING  MOTION  STRIDE  DATABLOCK  INDEX\n"
        "from        11  unclassified  grid     none         -          4      0\n"
        "table       12  unclassified  grid     none         -          4      4\n"
        "s+8      13,14  unclassified  grid     none         -          4      0\n"
        "line 11: unclassified: all CTAs access the same data\n"
        "line 12: unclassified: all CTAs access the same data\n"
        "line 13: unclassified: all CTAs access the same data\n"
        "\n"
        "kernel empty: 0 of 0 global loads are read-only\n"
        "POINTER  KIND    CLASS   LOADS  READ-ONLY  LINE  WHY\n"
        "table    global  unused      0          0     -  no access has it in its address\n");
}

TEST_CASE("analyze --json prints one document") {
  const ScratchFolder folder;
  folder.write("mine.ptx", kPtx);
  const CommandResult r = run_tessera({"analyze", "mine.ptx", "--json"}, folder.path());
  CHECK(r.status == 0);
  const json d = r.document();
  CHECK(d.at("file") == "mine.ptx");
  REQUIRE(d.at("kernels").size() == 2);
  const json& k = d.at("kernels").at(0);
  CHECK(k.at("name") == "scale");
  CHECK(k.at("global_loads") == 3);
  CHECK(k.at("read_only_loads") == 2);
  REQUIRE(k.at("pointers").size() == 3);
  CHECK(k.at("pointers").at(1) == json{{"name", "s"},
                                       {"kind", "parameter"},
                                       {"offset", 8},
                                       {"class", "written"},
                                       {"line", 14},
                                       {"why", "stored to by 'st.global.u32 [%rd2], %r1'"},
                                       {"loads", 1},
                                       {"read_only_loads", 0}});
  const json& unused = d.at("kernels").at(1).at("pointers").at(0);
  CHECK(unused.at("class") == "unused");
  CHECK(unused.at("line").is_null());
}

TEST_CASE("analyze shows the locality table of a matrix multiplication") {
  const ScratchFolder folder;
  const std::string mm = std::string(TESSERA_SOURCE_DIR) + "/stimuli/kernels/mm/mm.ptx";
  const CommandResult r = run_tessera({"analyze", mm}, folder.path());
  CHECK(r.status == 0);
  CHECK_THAT(r.out, Contains("\nlocality of kernel mm\n"));
  CHECK_THAT(r.out,
             Contains("\nline 72: column-vertical if |64*mm_param_3| > |64| * (nctaid.x - 1)\n"));

  const json k =
      run_tessera({"analyze", mm, "mm", "--json"}, folder.path()).document().at("kernels").at(0);
  const json& locality = k.at("locality");
  CHECK(locality.at("loops") == json::parse(R"([{"name": "m1", "line": 65, "inside": null}])"));
  CHECK(locality.at("unknown").empty());
  REQUIRE(locality.at("structures").size() == 3);
  const json& a = locality.at("structures").at(0);
  CHECK(a.at("name") == "mm_param_0");
  CHECK(a.at("type") == "row-horizontal");
  CHECK(a.at("row") == 2);
  CHECK(a.at("sharing") == "grid-row");
  CHECK(a.at("motion") == "row");
  CHECK(a.at("condition").is_null());
  REQUIRE(a.at("groups").size() == 1);
  const json& group = a.at("groups").at(0);
  CHECK(group.at("stride") == "64");
  CHECK(group.at("loop") == 1);
  CHECK(group.at("datablock") == "4*ntid.x*ntid.y");
  CHECK(group.at("accesses") == json::parse(R"([{"line": 68, "kind": "load", "bytes": 4,
                         "offset": "64*m1 + 4*tid.x + 4*mm_param_4*tid.y + 64*mm_param_4*ctaid.y"}])"));
  CHECK(locality.at("structures").at(1).at("row") == 5);
  CHECK(locality.at("structures").at(2).at("row") == 1);
}

TEST_CASE("analyze shows one kernel and refuses an unknown one with the nearest name") {
  const ScratchFolder folder;
  folder.write("mine.ptx", kPtx);
  const CommandResult r = run_tessera({"analyze", "mine.ptx", "empty"}, folder.path());
  CHECK(r.status == 0);
  CHECK_THAT(r.out, StartsWith("kernel empty: "));
  CHECK_THAT(r.out, !Contains("scale"));
  const CommandResult wrong = run_tessera({"analyze", "mine.ptx", "scal"}, folder.path());
  CHECK(wrong.status == 2);
  CHECK_THAT(wrong.error, Contains("did you mean 'scale'?"));
  const CommandResult executable =
      run_tessera({"analyze", "mine.ptx", "empty", "--executable"}, folder.path());
  CHECK(executable.out == "kernel empty: executable\n");
}

TEST_CASE("analyze reports a file without kernels") {
  const ScratchFolder folder;
  folder.write("none.ptx", ".version 7.0\n.target sm_75\n.address_size 64\n");
  const CommandResult r = run_tessera({"analyze", "none.ptx"}, folder.path());
  CHECK(r.status == 0);
  CHECK(r.out == "none.ptx has no kernels\n");
}

TEST_CASE("analyze refuses what is no PTX with the parser's message") {
  const ScratchFolder folder;
  folder.write("bad.ptx", ".version 7.0\n.target sm_75\n.address_size 64\n.entry k(\n{\n");
  const CommandResult r = run_tessera({"analyze", "bad.ptx"}, folder.path());
  CHECK(r.status == 2);
  CHECK(r.out.empty());
  CHECK_THAT(r.error, StartsWith("tessera: bad.ptx:5: "));
  const CommandResult gone = run_tessera({"analyze", "gone.ptx", "--json"}, folder.path());
  CHECK(gone.status == 2);
  CHECK(gone.document().at("exit_status") == 2);
  CHECK_THAT(gone.error, Contains("gone.ptx: cannot be read: no such file"));
  CHECK_THAT(run_tessera({"analyze"}, folder.path()).error, Contains("FILE.ptx is missing"));
}

TEST_CASE("analyze --executable names what run would refuse, kernel by kernel") {
  const ScratchFolder folder;
  folder.write("mine.ptx",
               ".version 7.0\n.target sm_75\n.address_size 64\n"
               ".extern .global .align 4 .u32 elsewhere;\n"
               ".visible .entry good()\n{\nret;\n}\n"
               ".visible .entry bad()\n{\n.reg .b32 %r<2>;\nfrobnicate.u32 %r1, 1;\nret;\n}\n"
               ".visible .entry lost()\n{\n.reg .b32 %r<2>;\nld.global.u32 %r1, [elsewhere];\n"
               "ret;\n}\n");
  const CommandResult r = run_tessera({"analyze", "mine.ptx", "--executable"}, folder.path());
  CAPTURE(r.out, r.error);
  CHECK(r.status == 1);
  CHECK(r.error.empty());
  CHECK_THAT(r.out, StartsWith("kernel good: executable\n"
                               "kernel bad: refused: mine.ptx:12: 'frobnicate.u32 %r1, 1' is not "
                               "supported: unknown instruction 'frobnicate'"));
  CHECK_THAT(r.out, Contains("kernel lost: refused: mine.ptx:4: the variable 'elsewhere' is "
                             ".extern, and this file does not define it"));

  const CommandResult j =
      run_tessera({"analyze", "mine.ptx", "--executable", "--json"}, folder.path());
  CHECK(j.status == 1);
  const json kernels = j.document().at("kernels");
  REQUIRE(kernels.size() == 3);
  CHECK(kernels.at(0) == json{{"name", "good"}, {"executable", true}});
  CHECK(kernels.at(1).at("executable") == false);
  CHECK(kernels.at(1).at("line") == 12);
  CHECK(kernels.at(1).at("instruction") == "frobnicate.u32 %r1, 1");
  CHECK(kernels.at(2).at("line").is_null());

  folder.write("good.ptx",
               ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k()\n{\nret;\n}\n");
  const CommandResult good = run_tessera({"analyze", "good.ptx", "--executable"}, folder.path());
  CHECK(good.status == 0);
  CHECK(good.out == "kernel k: executable\n");
}

}  // namespace tessera::analyze_test
