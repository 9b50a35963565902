// SPDX-License-Identifier: Apache-2.0
// What trace info and runs both refuse in a kernel's file, and what both warn of.
#include <catch2/catch.hpp>

#include "stimuli/traces/trace_summary.h"
#include "tests/stimuli/traces/trace_support.h"

namespace tessera::kernel_check_test {
namespace {

using traces::KernelSpool;
using traces::open_kernel;
using traces::TraceSummary;
using traces::test::block;
using traces::test::header;
using traces::test::refusal;
using traces::test::TraceFolder;
using traces::test::warp;

using Texts = std::vector<std::string>;

const std::string kExit = "0030 ffffffff 0 EXIT 0 0 0";

void check_refused(const std::string& text, const std::string& expected) {
  const TraceFolder folder;
  const std::string path = folder.put("k.traceg", text);
  CHECK(refusal([&] { KernelSpool(*open_kernel(path), [](double) {}); }) == path + expected);
  TraceSummary summary;
  CHECK(refusal([&] { summary.add(*open_kernel(path), [](double) {}); }) == path + expected);
}

void check_warned(const std::string& text, const Texts& expected) {
  const TraceFolder folder;
  const std::string path = folder.put("k.traceg", text);
  Texts full;
  for (const std::string& e : expected) full.push_back(path + ": " + e);
  CHECK(KernelSpool(*open_kernel(path), [](double) {}).warnings() == full);
  TraceSummary summary;
  summary.add(*open_kernel(path), [](double) {});
  CHECK(summary.warnings() == full);
}

TEST_CASE("runs and trace info refuse the same kernels") {
  const std::string exit = warp(0, {kExit});
  check_refused(header(5),
                ": expected the 1 CTAs of the grid (1,1,1), found 0; the first that is missing is "
                "CTA (0,0,0)");
  check_refused(header(5, "(3,1,1)") + block("0,0,0", exit) + block("2,0,0", exit),
                ": expected the 3 CTAs of the grid (3,1,1), found 2; the first that is missing is "
                "CTA (1,0,0)");
  check_refused(header(5, "(2,1,1)") + block("1,0,0", exit) + block("1,0,0", exit),
                ": expected each CTA once, found CTA (1,0,0) twice");
  check_refused(header(5) + block("0,1,0", exit),
                ":19: expected a CTA of the grid (1,1,1), found CTA (0,1,0)");
  check_refused(header(5) + block("0,0,0", exit + exit),
                ":25: expected each warp once in CTA (0,0,0), found warp 0 again");
  check_refused(
      header(5) + block("0,0,0", warp(0, {"0020 00000003 1 R2 LDL 1 R0 4 0 0x7e1000000000 "
                                          "0x7e1000080000 0",
                                          kExit})),
      ": expected at most 524288 bytes of local memory of a thread, found addresses in 524292 "
      "bytes");
}

TEST_CASE("warps without instructions are counted once for each kernel") {
  check_warned(header(5, "(1,1,1)", "(64,1,1)") + block("0,0,0", warp(0, {kExit})),
               {"1 of the 2 warps of its CTAs has no instructions"});
  // One is missing in the first CTA, and two have 0 instructions in the second.
  check_warned(header(5, "(2,1,1)", "(96,1,1)") +
                   block("0,0,0", warp(0, {kExit}) + warp(2, {kExit})) +
                   block("1,0,0", warp(0, {}) + warp(1, {kExit}) + warp(2, {})),
               {"3 of the 6 warps of its CTAs have no instructions"});
  check_warned(
      header(5, "(1,1,1)", "(64,1,1)") + block("0,0,0", warp(0, {kExit}) + warp(1, {kExit})), {});
}

TEST_CASE("instructions with lanes that are no threads of the block are counted") {
  const std::string three = "0030 00000007 0 EXIT 0 0 0";
  const std::string four = "0020 0000000f 1 R2 LDG.E 1 R4 4 1 0x1000 4 0";
  check_warned(header(5, "(1,1,1)", "(3,1,1)") + block("0,0,0", warp(0, {four, kExit})),
               {"2 instructions have active lanes beyond the 3 threads of the block; these lanes "
                "execute"});
  check_warned(
      header(5, "(1,1,1)", "(35,1,1)") + block("0,0,0", warp(0, {kExit}) + warp(1, {four, three})),
      {"1 instruction has active lanes beyond the 35 threads of the block; these lanes "
       "execute"});
  check_warned(header(5, "(1,1,1)", "(3,1,1)") + block("0,0,0", warp(0, {three})), {});
}

TEST_CASE("accesses of active lanes without addresses are counted, those without lanes are sound") {
  const std::string off = "0010 00000000 1 R2 LDG.E 1 R0 0";
  const std::string load = "0010 00000001 1 R2 LDG.E 1 R0 0";
  const std::string store = "0010 ffffffff 0 ST.E 2 R0 R2 0 0";
  const std::string constant = "0010 ffffffff 1 R2 LDC 1 R0 0 0";
  const auto kernel = [](const Texts& records) {
    return header(5) + block("0,0,0", warp(0, records));
  };
  check_warned(kernel({off, constant, kExit}), {});
  check_warned(kernel({load, off, kExit}),
               {"1 access has active lanes and no addresses; it counts as an ALU operation"});
  check_warned(kernel({load, store, kExit}),
               {"2 accesses have active lanes and no addresses; they count as ALU operations"});
}

}  // namespace
}  // namespace tessera::kernel_check_test
