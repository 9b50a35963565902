// SPDX-License-Identifier: Apache-2.0
// ldmatrix, stmatrix and movmatrix (PTX ISA 9.7.14.5): values by the manual's figures, and the
// access that the SM receives.

#include <catch2/catch.hpp>
#include <random>

#include "common/error.h"
#include "stimuli/ptx/read_only.h"
#include "tests/stimuli/ptx/kernel_runner.h"

namespace tessera::matrix_move_test {

using tessera::test::CarriedRunner;
using tessera::test::kernel_text;
using tessera::test::KernelRunner;

namespace {

const std::string kTile = ".shared .align 16 .b8 tile[4096];\n";

std::string list(unsigned first, unsigned count) {
  std::string s = "{";
  for (unsigned i = 0; i < count; ++i) s += (i ? ", %r" : "%r") + std::to_string(first + i);
  return s + "}";
}

/// Copies 4096 bytes of input to the tile; %r5 = the lane's row address, %rd5 the same, generic.
/// The row of lane i is at tile + 16 * row(i), by the input's word 1024 + i.
const std::string kFill =
    "mov.u32 %r20, tile;\nmov.u32 %r21, 0;\nL:\nmad.lo.u32 %r22, %r0, 4, %r21;\n"
    "cvt.u64.u32 %rd6, %r22;\nadd.u64 %rd7, %rd2, %rd6;\nld.global.u32 %r23, [%rd7];\n"
    "add.u32 %r24, %r20, %r22;\nst.shared.u32 [%r24], %r23;\nadd.u32 %r21, %r21, 128;\n"
    "setp.lt.u32 %p1, %r21, 4096;\n@%p1 bra L;\n"
    "mul.wide.u32 %rd6, %r0, 4;\nadd.u64 %rd7, %rd2, %rd6;\nld.global.u32 %r5, [%rd7+4096];\n"
    "shl.b32 %r5, %r5, 4;\nadd.u32 %r5, %r5, %r20;\n"
    "cvt.u64.u32 %rd5, %r5;\ncvta.shared.u64 %rd5, %rd5;\nbar.sync 0;\n";

struct Tile {
  std::array<std::uint16_t, 2048> elements;  ///< rows of 8
  std::array<std::uint32_t, 32> row;         ///< of each lane

  explicit Tile(unsigned seed) {
    std::mt19937 random(seed);
    for (std::uint16_t& e : elements) e = static_cast<std::uint16_t>(random());
    std::array<std::uint32_t, 256> rows;
    for (std::uint32_t i = 0; i < 256; ++i) rows[i] = i;
    std::shuffle(rows.begin(), rows.end(), random);
    std::copy_n(rows.begin(), 32, row.begin());
  }
  void give(KernelRunner& k) const {
    for (unsigned i = 0; i < 2048; ++i) k.set_input(i, elements[i]);
    for (unsigned i = 0; i < 32; ++i) k.set_input(1024 + i, row[i]);
  }
  /// Element of matrix m, whose rows the lanes from 8 m on address.
  std::uint16_t at(unsigned m, unsigned r, unsigned c) const {
    return elements[row[8 * m + r] * 8 + c];
  }
};

}  // namespace

TEST_CASE("ldmatrix distributes the rows that the lanes address") {
  for (const unsigned count : {1u, 2u, 4u}) {
    for (const bool transposed : {false, true}) {
      for (const bool generic : {false, true}) {
        const std::string text = "ldmatrix.sync.aligned.m8n8.x" + std::to_string(count) +
                                 (transposed ? ".trans" : "") + (generic ? "" : ".shared") +
                                 ".b16 " + list(1, count) + (generic ? ", [%rd5];" : ", [%r5];");
        INFO(text);
        std::string body = kFill + text + "\n";
        for (unsigned m = 0; m < count; ++m) {
          body += "st.global.u32 [%rd1+" + std::to_string(256 * m) + "], %r" +
                  std::to_string(1 + m) + ";\n";
        }
        KernelRunner k(kernel_text(body, kTile));
        const Tile tile(count);
        tile.give(k);
        k.run();
        for (unsigned m = 0; m < count; ++m) {
          for (unsigned lane = 0; lane < 32; ++lane) {
            for (unsigned e = 0; e < 2; ++e) {
              const unsigned row = lane / 4;
              const unsigned column = lane % 4 * 2 + e;
              const std::uint16_t want =
                  transposed ? tile.at(m, column, row) : tile.at(m, row, column);
              REQUIRE((k.result<std::uint32_t>(32 * m + lane) >> (16 * e) & 0xffffu) == want);
            }
          }
        }
      }
    }
  }
}

TEST_CASE("stmatrix writes the rows that the lanes address and no other byte") {
  for (const unsigned count : {1u, 2u, 4u}) {
    for (const bool transposed : {false, true}) {
      const std::string text = "stmatrix.sync.aligned.m8n8.x" + std::to_string(count) +
                               (transposed ? ".trans" : "") + ".shared.b16 [%r5], " +
                               list(1, count) + ";";
      INFO(text);
      // The registers: lane, register and half in their bits. The tile is read back by words.
      std::string body = kFill;
      for (unsigned m = 0; m < count; ++m) {
        body += "mad.lo.u32 %r" + std::to_string(1 + m) + ", %r0, 0x00020002, " +
                std::to_string(0x00010000u + m * 0x01000100u) + ";\n";
      }
      body += text +
              "\nbar.sync 0;\nmov.u32 %r21, 0;\nM:\nmad.lo.u32 %r22, %r0, 4, %r21;\n"
              "add.u32 %r24, %r20, %r22;\nld.shared.u32 %r23, [%r24];\ncvt.u64.u32 %rd6, %r22;\n"
              "add.u64 %rd7, %rd0, %rd6;\nst.global.u32 [%rd7], %r23;\nadd.u32 %r21, %r21, 128;\n"
              "setp.lt.u32 %p1, %r21, 4096;\n@%p1 bra M;\n";
      KernelRunner k(kernel_text(body, kTile));
      const Tile tile(7 * count);
      tile.give(k);
      k.run();
      std::array<std::uint16_t, 2048> want = tile.elements;
      for (unsigned m = 0; m < count; ++m) {
        for (unsigned lane = 0; lane < 32; ++lane) {
          for (unsigned e = 0; e < 2; ++e) {
            const unsigned r = transposed ? lane % 4 * 2 + e : lane / 4;
            const unsigned c = transposed ? lane / 4 : lane % 4 * 2 + e;
            want[tile.row[8 * m + r] * 8 + c] = static_cast<std::uint16_t>(2 * lane + e + 256 * m);
          }
        }
      }
      std::array<std::uint16_t, 2048> got;
      std::memcpy(got.data(), k.memory.at(k.out), sizeof got);
      REQUIRE(got == want);
    }
  }
}

TEST_CASE("movmatrix transposes a matrix of eight rows") {
  KernelRunner k(kernel_text(
      "mul.wide.u32 %rd4, %r0, 4;\nadd.u64 %rd4, %rd4, %rd2;\nld.global.u32 %r1, [%rd4];\n"
      "movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r1;\nst.global.u32 [%rd1], %r1;\n"));
  for (unsigned i = 0; i < 64; ++i) k.set_input(i, static_cast<std::uint16_t>(1000 + i));
  k.run();
  for (unsigned lane = 0; lane < 32; ++lane) {
    for (unsigned e = 0; e < 2; ++e) {
      const unsigned row = lane / 4;
      const unsigned column = lane % 4 * 2 + e;
      REQUIRE((k.result<std::uint32_t>(lane) >> (16 * e) & 0xffffu) == 1000 + column * 8 + row);
    }
  }
}

TEST_CASE("ldmatrix and stmatrix are accesses of 16 bytes by the lanes with addresses") {
  const std::string body =
      "mov.u32 %r5, tile;\nmad.lo.u32 %r5, %r0, 48, %r5;\n"
      "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r5];\n"
      "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r1, %r2}, [%r5+16];\n"
      "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%r5], {%r1, %r2, %r3, %r4};\n";
  KernelRunner k(kernel_text(body, kTile));
  const auto program = k.program({1, 1, 1}, {32, 1, 1}, false);
  CarriedRunner runner(*program, k.memory, 1);
  runner.run();
  REQUIRE(runner.seen.size() == 3);
  const std::uint32_t active[] = {0xff, 0xffff, 0xffffffff};
  for (unsigned i = 0; i < 3; ++i) {
    const CarriedRunner::Seen& seen = runner.seen[i];
    CHECK(seen.kind == (i < 2 ? tessera::AccessKind::kLoad : tessera::AccessKind::kStore));
    CHECK(seen.space == tessera::Space::kShared);
    CHECK(seen.values_done);
    CHECK(seen.lane_bytes == 16);
    CHECK(seen.active == active[i]);
    for (unsigned lane = 0; lane < 8; ++lane) {
      CHECK(seen.address[lane] == 48 * lane + (i == 1 ? 16 : 0));
    }
  }
}

TEST_CASE("ldmatrix outside its memory is a run error with the lane's address") {
  const auto message = [](const std::string& body) {
    KernelRunner k(kernel_text(body, kTile));
    try {
      k.run();
    } catch (const RunError& e) {
      return std::string(e.what());
    }
    return std::string("ran");
  };
  const std::string load = "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1, %r2, %r3, %r4}, [%r5];";
  CHECK_THAT(message("mov.u32 %r6, tile;\nmul.lo.u32 %r5, %r0, 8;\n" + load),
             Catch::Contains("is not aligned"));
  CHECK_THAT(
      message("mov.u32 %r6, tile;\nmul.lo.u32 %r5, %r0, 160;\n" + load),
      Catch::Contains("thread (26,0,0)") && Catch::Contains("out of bounds of shared memory"));
  CHECK_THAT(message("ldmatrix.sync.aligned.m8n8.x1.b16 {%r1}, [%rd2];"),
             Catch::Contains("the address is not in shared memory"));
  CHECK_THAT(message("setp.lt.u32 %p1, %r0, 8;\nmov.u32 %r5, 0;\n@%p1 " + load),
             Catch::Contains("it needs all 32 together"));
}

TEST_CASE("ldmatrix writes no global memory for the read-only pass") {
  const auto module =
      tessera::ptx::parse(kernel_text("ld.global.u32 %r5, [%rd2];\n"
                                      "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r5];\n"
                                      "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r5], {%r1};\n"
                                      "st.global.u32 [%rd1], %r1;\n"),
                          "test.ptx");
  const auto report = tessera::ptx::find_read_only(module, "k");
  CHECK(report.global_loads == 1);
  CHECK(report.marked_loads == 1);
}

TEST_CASE("ldmatrix of bytes that another warp writes is a race") {
  // Warp 1 writes the tile without a barrier.
  const std::string body =
      "mov.u32 %r5, tile;\nmad.lo.u32 %r6, %r0, 16, %r5;\nsetp.ge.u32 %p1, %r0, 32;\n"
      "@%p1 bra W;\nldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r6];\nbra E;\n"
      "W:\nst.shared.u32 [%r6+-512], %r6;\nE:\n";
  KernelRunner k(kernel_text(body, kTile));
  k.check_races = true;
  k.run({64, 1, 1});
  REQUIRE(!k.races.empty());
  CHECK_THAT(k.races[0], Catch::Contains("race") && Catch::Contains("of shared memory"));
}

}  // namespace tessera::matrix_move_test
