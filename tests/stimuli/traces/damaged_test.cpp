// SPDX-License-Identifier: Apache-2.0
// Truncated and changed traces: an InputError, or a kernel, and never anything else.
#include <catch2/catch.hpp>
#include <random>

#include "stimuli/functional_run.h"
#include "stimuli/traces/address_map.h"
#include "stimuli/traces/kernel_list.h"
#include "stimuli/traces/trace_program.h"
#include "tests/stimuli/traces/trace_support.h"

namespace tessera::traces {
namespace {

using test::block;
using test::header;
using test::TraceFolder;
using test::warp;

const std::vector<std::string>& records() {
  static const std::vector<std::string> all = {
      "0000 ffffffff 1 R2 LDG.E.SYS 1 R4 4 1 0x10000000 4 0",
      "0010 00000007 1 R3 LDG.E.64.SYS 1 R6 8 2 0x10001000 256 -128 0",
      "0020 00000003 0 STG.E.SYS 2 R4 R2 4 0 0x10002000 0x10002100 0",
      "0030 ffffffff 0 LDGSTS.E.128 2 R4 R2 16 1 0x10004000 16 0",
      "0040 ffffffff 0 LDGDEPBAR 0 0 0",
      "0050 ffffffff 0 DEPBAR.LE 0 0 0",
      "0060 ffffffff 0 BAR.SYNC 0 0 0",
      "0070 00000001 0 UTMALDG.2D 2 UR4 UR8 4 0x7e00000010 1 0x3 256 0 4 0x1000 3 64 64",
      "0080 ffffffff 1 R24 HGMMA.64x64x16.F32 1 R4 1 0 0",
      "0090 ffffffff 0 STL 2 R1 R2 4 1 0x7e1000000100 0 0",
      "00a0 ffffffff 0 EXIT 0 0 0"};
  return all;
}

/// Returns whether the file is a kernel; its message otherwise must name the file.
bool survives(const std::string& path) {
  try {
    const auto reader = open_kernel(path);
    const auto spool = std::make_shared<KernelSpool>(*reader, [](double) {});
    auto map = std::make_shared<AddressMap>();
    Address device = Address{1} << 32;
    for (const TraceRange& r : merged_ranges(spool->chunks(), {})) {
      map->add({r.begin, r.bytes, device});
      device += r.bytes;
    }
    TraceProgram program(spool, map, {});
    run_functionally(program, 100'000);
    return true;
  } catch (const InputError& e) {
    const std::string message = e.what();
    if (message.find(path) != 0 || message.find("expected ") == std::string::npos) {
      FAIL("no file, or nothing expected: " << message);
    }
    return false;
  }
}

void truncate_and_change(const std::string& bytes, const std::string& name, unsigned changes,
                         std::uint64_t seed) {
  const TraceFolder folder;
  std::mt19937_64 random(seed);
  REQUIRE(survives(folder.put(name, bytes)));
  unsigned refused = 0;
  const std::size_t step = std::max<std::size_t>(1, bytes.size() / 150);
  for (std::size_t size = 0; size < bytes.size(); size += step) {
    if (!survives(folder.put(name, bytes.substr(0, size)))) ++refused;
  }
  for (unsigned n = 0; n < changes; ++n) {
    std::string changed = bytes;
    for (std::uint64_t k = 1 + random() % 3; k != 0; --k) {
      changed[random() % changed.size()] = static_cast<char>(random());
    }
    if (!survives(folder.put(name, changed))) ++refused;
  }
  CHECK(refused > changes / 10);
}

std::string text() {
  return header(6, "(2,1,1)", "(64,1,1)") +
         block("0,0,0", warp(0, records()) + warp(1, records())) +
         block("1,0,0", warp(0, records()) + warp(1, records()));
}

TEST_CASE("a damaged text file is refused or read") {
  truncate_and_change(text(), "k.traceg", 3000, 1);
}

TEST_CASE("a damaged gzip file is refused or read") {
  truncate_and_change(test::gzip(text()), "k.traceg.gz", 300, 2);
}

TEST_CASE("a damaged xz file is refused or read") {
  truncate_and_change(test::xz(text()), "k.traceg.xz", 300, 3);
}

TEST_CASE("a damaged zstd file is refused or read") {
  truncate_and_change(test::zstd(text()), "k.traceg.zst", 300, 4);
}

TEST_CASE("a damaged container is refused or read") {
  truncate_and_change(
      test::container({records(), records()}, records()[0], 3, header(6, "(1,1,1)", "(64,1,1)")),
      "k.tracez", 2000, 5);
}

TEST_CASE("a damaged list is refused or read") {
  const TraceFolder folder;
  folder.put("kernel-1.traceg", text());
  const std::string list =
      "MemcpyHtoD,0x00007f0000000000,4096\nkernel-1.traceg\nMemcpyHtoD,0x0,0\n";
  std::mt19937_64 random(6);
  unsigned refused = 0;
  for (unsigned n = 0; n < 2000; ++n) {
    std::string changed = list;
    for (std::uint64_t k = 1 + random() % 3; k != 0; --k) {
      changed[random() % changed.size()] = static_cast<char>(random());
    }
    const std::string path = folder.put("kernelslist.g", changed);
    const std::string message = test::refusal([&] { read_kernel_list(path); });
    if (message.empty()) continue;
    ++refused;
    CHECK(message.find(path) == 0);
  }
  CHECK(refused > 200);
}

}  // namespace
}  // namespace tessera::traces
