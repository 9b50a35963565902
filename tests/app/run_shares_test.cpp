// SPDX-License-Identifier: Apache-2.0
// The shares of the report, of kernels that stress one part of the memory system each: no part is
// larger than its whole. (tests/platforms/golden_test.cpp checks the same for the suite's kernels.)
#include <catch2/catch.hpp>
#include <regex>

#include "app/report/shares.h"
#include "common/json.h"
#include "tests/app/command.h"

namespace tessera::run_shares_test {

using namespace tessera::test;
using nlohmann::ordered_json;
using tessera::app::NamedShare;
using tessera::app::shares_of;

namespace {

std::string entry(const std::string& name, const std::string& parameters, const std::string& body) {
  return ".visible .entry " + name + "(" + parameters +
         ") {\n"
         ".reg .pred %p;\n.reg .b32 %r<10>;\n.reg .b64 %rd<10>;\n"
         "mov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\nmov.u32 %r3, %ntid.x;\n"
         "mad.lo.u32 %r4, %r2, %r3, %r1;\nld.param.u64 %rd1, [o];\n" +
         body + "ret;\n}\n";
}

std::string ptx() {
  const std::string o = ".param .u64 o";
  const std::string both = ".param .u64 o, .param .u64 a";
  return ".version 7.0\n.target sm_70\n.address_size 64\n" +
         // One thread, few loads: most of their time is translation.
         entry("lone", both,
               "ld.param.u64 %rd2, [a];\nld.global.ca.u32 %r5, [%rd2];\n"
               "ld.global.ca.u32 %r6, [%rd2+4];\nadd.u32 %r5, %r5, %r6;\n"
               "st.global.u32 [%rd1], %r5;\n") +
         entry("stores", o,
               "mul.wide.u32 %rd3, %r4, 4;\nadd.u64 %rd4, %rd1, %rd3;\n"
               "st.global.u32 [%rd4], %r4;\n") +
         // Stores far apart beside one load.
         entry("scatter", both,
               "ld.param.u64 %rd2, [a];\nmul.lo.u32 %r5, %r4, 2148;\nmul.wide.u32 %rd3, %r5, 4;\n"
               "add.u64 %rd4, %rd1, %rd3;\nst.global.u32 [%rd4], %r4;\nsetp.ne.u32 %p, %r4, 0;\n"
               "@%p bra end;\nld.global.u32 %r6, [%rd2];\nst.global.u32 [%rd1], %r6;\nend:\n") +
         entry("atomics", o, "red.global.add.u32 [%rd1], 1;\n") +
         // Each lane another DRAM row.
         entry("rows", both,
               "ld.param.u64 %rd2, [a];\nmul.lo.u32 %r5, %r4, 2148;\nmul.wide.u32 %rd3, %r5, 4;\n"
               "add.u64 %rd4, %rd2, %rd3;\nld.global.u32 %r6, [%rd4];\n"
               "mul.wide.u32 %rd3, %r4, 4;\nadd.u64 %rd5, %rd1, %rd3;\n"
               "st.global.u32 [%rd5], %r6;\n") +
         entry("nothing", o, "");
}

/// Writes the manifest of a kernel and returns its name.
std::string manifest(const ScratchFolder& folder, const std::string& kernel, unsigned grid,
                     unsigned block, bool reads) {
  const std::string name = kernel + ".json";
  const auto array = [](const char* of) {
    return R"({"name": ")" + std::string(of) +
           R"(", "type": "u32", "count": 4194304, "init": "zero"})";
  };
  folder.write(name, R"({"name": ")" + kernel + R"(", "ptx": "k.ptx", "arrays": [)" + array("o") +
                         (reads ? ", " + array("a") : "") + R"(], "launches": [{"kernel": ")" +
                         kernel + R"(", "grid": )" + std::to_string(grid) + R"(, "block": )" +
                         std::to_string(block) + R"(, "arguments": ["o")" +
                         (reads ? R"(, "a")" : "") + "]}]}");
  return name;
}

}  // namespace

TEST_CASE("shares of kernels that stress one part of the memory system are within their wholes") {
  const ScratchFolder folder;
  folder.write("k.ptx", ptx());
  const std::string workloads =
      manifest(folder, "lone", 1, 1, true) + "," + manifest(folder, "stores", 64, 256, false) +
      "," + manifest(folder, "scatter", 8, 128, true) + "," +
      manifest(folder, "atomics", 64, 16, false) + "," + manifest(folder, "rows", 8, 128, true) +
      "," + manifest(folder, "nothing", 2, 32, false);
  const CommandResult r = run_tessera(
      {"compare",
       "uba-mem-small,uba-sm-small,nuba-small,mcm-uba-small,dualopt-small,ladm-ring-1.4-small,"
       "mesh-28-8-small,griffin-small,page-migration-small,umh-2-small,zero-copy-2-small",
       workloads, "--json", "--quiet"},
      folder.path());
  CAPTURE(r.error);
  REQUIRE(r.status == 0);
  const auto document = ordered_json::parse(r.out);
  REQUIRE(document.at("points").size() == 66);
  for (const ordered_json& point : document.at("points")) {
    CAPTURE(point.at("workload"), point.at("platform"));
    for (const NamedShare& s : shares_of(point)) {
      INFO(s.name << ": " << s.share.part << " of " << s.share.whole << ", " << s.share.of);
      CHECK(is_within(s.share));
    }
  }
}

TEST_CASE("the longest wait of a lone thread's loads is within a request's time") {
  const ScratchFolder folder;
  folder.write("k.ptx", ptx());
  const std::string workload = manifest(folder, "lone", 1, 1, true);
  const CommandResult r = run_tessera({"run", "uba-mem-small", workload, "--quiet"}, folder.path());
  REQUIRE(r.status == 0);
  std::smatch part;
  const std::regex form(
      "longest wait +TLB and MMU, .*: ([0-9.]+) of ([0-9.]+) cycles of a memory request");
  REQUIRE(std::regex_search(r.out, part, form));
  CHECK(std::stod(part[1]) < std::stod(part[2]));
}

}  // namespace tessera::run_shares_test
