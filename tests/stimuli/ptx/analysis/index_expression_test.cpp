// SPDX-License-Identifier: Apache-2.0
// Polynomials, their symbols, and the expressions of handwritten PTX in the forms of nvcc and
// clang.
#include <catch2/catch.hpp>
#include <random>
#include <string>

#include "common/error.h"
#include "stimuli/ptx/analysis/locality_table.h"
#include "tests/stimuli/ptx/analysis/small_kernel.h"

namespace tessera::index_expression_test {

namespace {

using namespace tessera::ptx;
using Catch::Matchers::Contains;
using test::small_kernel;

class FixedValues final : public SymbolValues {
 public:
  std::optional<std::int64_t> value(SymbolId id, const Symbol&) const override {
    return values.at(id);
  }
  std::vector<std::int64_t> values;
};

LocalityTable table_of(const std::string& body) {
  return make_locality_table(parse(small_kernel(body), "k.ptx"), "k");
}

/// The offset expression of the only access.
std::string offset_of(const std::string& body) {
  const LocalityTable table = table_of(body);
  REQUIRE(table.analysis().accesses.size() == 1);
  const GlobalAccess& a = table.analysis().accesses[0];
  INFO(a.problem);
  REQUIRE(a.problem.empty());
  return table.analysis().symbols.text(a.offset);
}

/// The reason why the only access is unclassified.
std::string reason_of(const std::string& body) {
  const LocalityTable table = table_of(body);
  if (table.structures().empty()) {
    REQUIRE(table.unknown_accesses().size() == 1);
    return table.analysis().accesses[0].problem;
  }
  REQUIRE(table.structures().size() == 1);
  const Locality& l = table.structures()[0].locality;
  CHECK(l.type == LocalityType::kUnclassified);
  return l.why;
}

/// A load of p[%r20].
const std::string kLoad =
    "mul.wide.s32 %rd20, %r20, 4;\nadd.s64 %rd21, %rd1, %rd20;\nld.global.u32 %r21, [%rd21];\n";

LaunchRequest launch(Dim3 grid, Dim3 block, std::int32_t n, std::int32_t s) {
  LaunchRequest r;
  r.kernel = "k";
  r.grid = grid;
  r.block = block;
  r.arguments = {KernelArgument::of(std::uint64_t{0x1000}),
                 KernelArgument::of(std::uint64_t{0x2000}), KernelArgument::of(n),
                 KernelArgument::of(s)};
  return r;
}

Polynomial random_polynomial(std::mt19937& random, unsigned symbols) {
  Polynomial p;
  for (unsigned t = random() % 5; t-- > 0;) {
    Monomial m;
    for (unsigned d = random() % 3; d-- > 0;) m.push_back(random() % symbols);
    std::sort(m.begin(), m.end());
    p.add_term(m, static_cast<std::int64_t>(random() % 21) - 10);
  }
  return p;
}

}  // namespace

TEST_CASE("sums, products and substitutions of polynomials have the values of their parts") {
  std::mt19937 random(3);
  SymbolTable symbols;
  for (unsigned a = 0; a < 3; ++a) symbols.index(SymbolKind::kTid, a);
  symbols.index(SymbolKind::kCtaid, 0);
  for (int n = 0; n < 1000; ++n) {
    FixedValues v;
    for (unsigned s = 0; s < 4; ++s)
      v.values.push_back(static_cast<std::int64_t>(random() % 99) - 49);
    const Polynomial p = random_polynomial(random, 4);
    const Polynomial q = random_polynomial(random, 4);
    const auto value = [&](const Polynomial& x) { return symbols.evaluate(x, v).value(); };
    CHECK(value(p + q) == value(p) + value(q));
    CHECK(value(p - q) == value(p) - value(q));
    CHECK(value(p * q) == value(p) * value(q));
    FixedValues replaced;
    replaced.values = v.values;
    replaced.values[1] = value(q);
    CHECK(value(p.substituted(1, q)) == symbols.evaluate(p, replaced));
    CHECK((p - p).is_zero());
    if (p.degree(0) <= 1) {
      const Polynomial rest = p - p.factor(0) * Polynomial::symbol(0);
      CHECK_FALSE(rest.contains(0));
    }
    if (!q.is_zero()) CHECK(integer_ratio(q * Polynomial(-3), q) == -3);
  }
}

TEST_CASE("coefficients wrap like addresses") {
  const Polynomial large(std::numeric_limits<std::int64_t>::max());
  CHECK((large + Polynomial(1)).constant() == std::numeric_limits<std::int64_t>::min());
  CHECK_FALSE(Polynomial(std::numeric_limits<std::int64_t>::min()).divided(-1));
}

TEST_CASE("shifts, masks and disjoint bits become sums") {
  CHECK(offset_of("shl.b32 %r10, %r4, 4;\nand.b32 %r11, %r3, 15;\nor.b32 %r20, %r10, %r11;\n" +
                  kLoad) == "4*tid.x - 64*(tid.x >> 4) + 64*ctaid.x");
  CHECK(offset_of("shl.b32 %r10, %r3, 4;\nor.b32 %r11, %r10, 3;\nshr.u32 %r20, %r11, 4;\n" +
                  kLoad) == "4*tid.x");
  CHECK(offset_of(
            "bfe.u32 %r10, %r3, 4, 8;\nand.b32 %r11, %r3, 15;\nmad.lo.s32 %r20, %r10, 16, %r11;\n" +
            kLoad) == "4*tid.x");
  // The quotient and the remainder of the same division.
  CHECK(offset_of("div.s32 %r10, %r6, %r1;\nmul.lo.s32 %r11, %r10, %r1;\nrem.s32 %r12, %r6, %r1;\n"
                  "add.s32 %r20, %r11, %r12;\n" +
                  kLoad) == "4*tid.x + 4*ntid.x*ctaid.x");
  // A sign extension of the 64-bit kind.
  CHECK(offset_of("cvt.u64.u32 %rd10, %r6;\nshl.b64 %rd11, %rd10, 32;\nshr.s64 %rd12, %rd11, 30;\n"
                  "add.s64 %rd21, %rd1, %rd12;\nld.global.u32 %r21, [%rd21];\n") ==
        "4*tid.x + 4*ntid.x*ctaid.x");
  // Bits that can overlap are not added.
  CHECK(offset_of("shl.b32 %r10, %r3, 2;\nand.b32 %r11, %r4, 7;\nor.b32 %r20, %r10, %r11;\n" +
                  kLoad) == "4*truncate((4*tid.x | (ctaid.x - 8*(ctaid.x >> 3))))");
  CHECK(offset_of("or.b32 %r20, %r3, %r4;\n" + kLoad) == "4*truncate((tid.x | ctaid.x))");
}

TEST_CASE("a register that a predicate can leave unchanged is not followed") {
  CHECK_THAT(
      reason_of("mov.u32 %r20, %r6;\nsetp.eq.f32 %p1, %f1, %f1;\n@%p1 mov.u32 %r20, 0;\n" + kLoad),
      Contains("depends on a predicate"));
  // Both values are the same.
  CHECK(offset_of("mov.u32 %r20, %r6;\n@%p1 mov.u32 %r20, %r6;\n" + kLoad) ==
        "4*tid.x + 4*ntid.x*ctaid.x");
}

TEST_CASE("hash values wrap and are no linear indices") {
  CHECK_THAT(reason_of("shr.u32 %r10, %r6, 3;\nxor.b32 %r20, %r10, %r6;\n" + kLoad),
             Contains("depends on ctaid.x through"));
}

TEST_CASE("arrays that a loop exchanges are unclassified") {
  CHECK_THAT(reason_of("mov.u64 %rd30, %rd1;\nmov.u64 %rd31, %rd2;\nmov.u32 %r30, 0;\n"
                       "L:\nld.global.u32 %r31, [%rd30];\n"
                       "mov.u64 %rd32, %rd30;\nmov.u64 %rd30, %rd31;\nmov.u64 %rd31, %rd32;\n"
                       "add.s32 %r30, %r30, 1;\nsetp.lt.s32 %p1, %r30, %r1;\n@%p1 bra L;\n"),
             Contains("its loop changes by another amount in each iteration at line "));
}

TEST_CASE("kernels with cycles of several entries or indirect branches are unclassified") {
  CHECK_THAT(reason_of("mov.u32 %r20, %r6;\nsetp.eq.s32 %p1, %r1, 0;\n@%p1 bra B;\n"
                       "A:\nadd.s32 %r20, %r20, 1;\nB:\nadd.s32 %r20, %r20, 2;\n"
                       "setp.lt.s32 %p2, %r20, %r1;\n@%p2 bra A;\n" +
                       kLoad),
             Contains("has several entries"));
  CHECK_THAT(reason_of("ts: .branchtargets A, B;\nmov.u32 %r20, %r6;\nbrx.idx %r1, ts;\n"
                       "A:\nadd.s32 %r20, %r20, 1;\nB:\n" +
                       kLoad),
             Contains("is an indirect branch"));
}

TEST_CASE("a value after a loop counts the loop's iterations, also around it") {
  // n & -4 iterations in steps of 4, if n >= 4; then a remainder.
  const LocalityTable table = table_of(
      "mul.lo.s32 %r20, %r6, %r1;\nmov.u32 %r30, 0;\nsetp.lt.s32 %p1, %r1, 4;\n@%p1 bra R;\n"
      "M:\n" +
      kLoad +
      "ld.global.u32 %r22, [%rd21+4];\nld.global.u32 %r23, [%rd21+8];\nld.global.u32 %r24, "
      "[%rd21+12];\n"
      "add.s32 %r20, %r20, 4;\nadd.s32 %r30, %r30, 4;\nadd.s32 %r31, %r30, 4;\n"
      "setp.le.s32 %p2, %r31, %r1;\n@%p2 bra M;\n"
      "R:\nsetp.ge.s32 %p3, %r30, %r1;\n@%p3 bra E;\n"
      "N:\nmul.wide.s32 %rd40, %r20, 4;\nadd.s64 %rd41, %rd1, %rd40;\nld.global.u32 %r25, "
      "[%rd41];\n"
      "add.s32 %r20, %r20, 1;\nadd.s32 %r30, %r30, 1;\nsetp.lt.s32 %p4, %r30, %r1;\n@%p4 bra "
      "N;\nE:\n");
  REQUIRE(table.groups().size() == 2);
  CHECK(table.groups()[0].unrolled == 4);
  CHECK(table.analysis().symbols.text(table.groups()[1].start) == "16*trips1");
  for (const AccessGroup& g : table.groups()) {
    CHECK(g.stride.constant() == 4);
    CHECK(g.locality.type == LocalityType::kIntraThread);
  }
  CHECK(table.structures()[0].locality.type == LocalityType::kIntraThread);
}

TEST_CASE("a branch around a latch without work ends the last iteration") {
  // p[i + s * iterations], with the exit in front of the branch back.
  const std::string loop =
      "mov.u32 %r20, %r6;\nmov.u32 %r30, 0;\nL:\nadd.s32 %r20, %r20, %r2;\n"
      "add.s32 %r30, %r30, 1;\nsetp.eq.s32 %p1, %r30, %r1;\n@%p1 bra E;\n";
  CHECK(offset_of(loop + "bra.uni L;\nE:\n" + kLoad) == "4*s*trips1 + 4*tid.x + 4*ntid.x*ctaid.x");
  // With work in the latch, the last iteration is not complete.
  CHECK(offset_of(loop + "add.s32 %r20, %r20, %r2;\nbra.uni L;\nE:\n" + kLoad) ==
        "4*s + 8*s*trips1 + 4*tid.x + 4*ntid.x*ctaid.x");
}

TEST_CASE("an inner loop's number of iterations is no part of the outer loop's motion") {
  // p[m + k] after an inner loop that ends at k: k differs between the outer iterations.
  CHECK_THAT(
      reason_of("mov.u32 %r30, 0;\nL:\nmov.u32 %r31, 0;\nI:\nadd.s32 %r31, %r31, 1;\n"
                "setp.lt.s32 %p1, %r31, %r6;\n@%p1 bra I;\nadd.s32 %r20, %r30, %r31;\n" +
                kLoad + "add.s32 %r30, %r30, 1;\nsetp.lt.s32 %p2, %r30, %r1;\n@%p2 bra L;\n"),
      Contains("depends on the number of iterations of the loop at line"));
}

TEST_CASE("launch values decide types that depend on them") {
  // p[index * s + m * n] in a loop.
  const LocalityTable table = table_of(
      "mul.lo.s32 %r20, %r6, %r2;\nmov.u32 %r30, 0;\nL:\n" + kLoad +
      "add.s32 %r20, %r20, %r1;\nadd.s32 %r30, %r30, 1;\nsetp.lt.s32 %p1, %r30, 9;\n@%p1 bra L;\n");
  const DataStructure& d = table.structures().at(0);
  CHECK(d.locality.type == LocalityType::kNoLocality);
  const LaunchLocality strided = table.evaluate(d, launch({4}, {32}, 100, 1));
  CHECK(strided.type == LocalityType::kNoLocality);
  CHECK(strided.stride_bytes == 400);
  CHECK(strided.datablock_bytes == 128u);
  // n = 1: consecutive elements.
  CHECK(table.evaluate(d, launch({4}, {32}, 1, 64)).type == LocalityType::kIntraThread);
  // s = 0: no CTA has an element of its own.
  const LaunchLocality shared = table.evaluate(d, launch({4}, {32}, 100, 0));
  CHECK(shared.type == LocalityType::kUnclassified);
  CHECK(shared.why == "all CTAs access the same data");
  // A grid of two dimensions, of which the kernel uses one.
  const LaunchLocality columns = table.evaluate(d, launch({4, 2}, {32}, 128, 1));
  CHECK(columns.type == LocalityType::kColumnVertical);
  CHECK(columns.row_bytes == 512u);
  CHECK(table.evaluate(d, launch({4, 2}, {32}, 16, 1)).type == LocalityType::kRowVertical);
  // A step that ends among the other CTAs' elements.
  CHECK(table.evaluate(d, launch({4, 2}, {32}, 64, 1)).type == LocalityType::kUnclassified);
  // Missing arguments are no numbers.
  LaunchRequest incomplete = launch({4}, {32}, 100, 1);
  incomplete.arguments.resize(2);
  const LaunchLocality unknown = table.evaluate(d, incomplete);
  CHECK(unknown.type == LocalityType::kUnclassified);
  CHECK_FALSE(unknown.stride_bytes);
}

TEST_CASE("masks that a launch makes transparent or zero are resolved") {
  // p[i & n]
  const LocalityTable table = table_of("and.b32 %r20, %r6, %r1;\n" + kLoad);
  const DataStructure& d = table.structures().at(0);
  CHECK(d.locality.type == LocalityType::kUnclassified);
  const auto at = [&](std::int32_t mask) { return table.evaluate(d, launch({4}, {32}, mask, 1)); };
  // 128 threads.
  CHECK(at(127).type == LocalityType::kNoLocality);
  CHECK(at(127).datablock_bytes == 128U);
  CHECK(at(1023).type == LocalityType::kNoLocality);
  CHECK(at(-128).why == "all CTAs access the same data");
  // Some threads differ, or the mask is none of consecutive bits.
  CHECK_THAT(at(63).why, Contains("it depends on ctaid.x through"));
  CHECK_THAT(at(-64).why, Contains("it depends on ctaid.x through"));
  CHECK_THAT(at(191).why, Contains("it depends on ctaid.x through"));
}

TEST_CASE("rows below a mask that a launch resolves are those of the index without it") {
  // p[(i & n) + 384 * m] and the next of three rows of 128 elements.
  const LocalityTable table = table_of(
      "and.b32 %r20, %r6, %r1;\nmov.u32 %r30, 0;\nL:\n" + kLoad +
      "ld.global.u32 %r22, [%rd21+512];\nadd.s32 %r20, %r20, 384;\nadd.s32 %r30, %r30, 1;\n"
      "setp.lt.s32 %p1, %r30, 9;\n@%p1 bra L;\n");
  const DataStructure& d = table.structures().at(0);
  const LaunchLocality l = table.evaluate(d, launch({4, 2}, {32}, 127, 1));
  CHECK(l.type == LocalityType::kColumnVertical);
  CHECK(l.stride_bytes == 1536);
  REQUIRE(l.row_bytes);
  CHECK(*l.row_bytes == 512U);
}

TEST_CASE("a datablock counts bytes that several accesses share once") {
  const LocalityTable table = table_of(
      "mul.wide.s32 %rd10, %r6, 16;\nadd.s64 %rd11, %rd1, %rd10;\n"
      "ld.global.v4.u32 {%r10, %r11, %r12, %r13}, [%rd11];\nst.global.u32 [%rd11+4], %r10;\n");
  REQUIRE(table.groups().size() == 1);
  const AccessGroup& g = table.groups()[0];
  CHECK(table.analysis().symbols.text(g.datablock.value()) == "16*ntid.x");
  CHECK(table.evaluate(g, launch({4}, {32}, 1, 1)).datablock_bytes == 512u);
}

TEST_CASE("groups of a data structure that disagree leave it unclassified") {
  // p[i], then p[p[i]].
  const LocalityTable table = table_of(
      "mul.wide.s32 %rd10, %r6, 4;\nadd.s64 %rd11, %rd1, %rd10;\nld.global.u32 %r10, [%rd11];\n"
      "mul.wide.s32 %rd12, %r10, 4;\nadd.s64 %rd13, %rd1, %rd12;\nst.global.u32 [%rd13], %r10;\n"
      "mul.wide.s32 %rd14, %r6, 4;\nadd.s64 %rd15, %rd2, %rd14;\nred.global.add.u32 [%rd15], "
      "%r10;\n");
  REQUIRE(table.structures().size() == 2);
  CHECK(table.structures()[0].groups.size() == 2);
  CHECK(table.structures()[0].locality.type == LocalityType::kUnclassified);
  CHECK_THAT(table.structures()[0].locality.why, Contains("it depends on a loaded value"));
  CHECK(table.structures()[1].locality.type == LocalityType::kNoLocality);
  CHECK(table.analysis().accesses[2].kind == AccessKind::kAtomic);
}

TEST_CASE("accesses of all CTAs to the same data do not decide a data structure's type") {
  // p[i], then p[tid]; of q, only q[tid].
  const LocalityTable table = table_of(
      "mul.wide.s32 %rd10, %r6, 4;\nadd.s64 %rd11, %rd1, %rd10;\nld.global.u32 %r10, [%rd11];\n"
      "mul.wide.s32 %rd12, %r3, 4;\nadd.s64 %rd13, %rd1, %rd12;\nst.global.u32 [%rd13], %r10;\n"
      "add.s64 %rd15, %rd2, %rd12;\nst.global.u32 [%rd15], %r10;\n");
  REQUIRE(table.structures().size() == 2);
  const DataStructure& p = table.structures()[0];
  CHECK(p.groups.size() == 2);
  CHECK(p.deciding.size() == 1);
  CHECK(p.locality.type == LocalityType::kNoLocality);
  const LaunchLocality l = table.evaluate(p, launch({4}, {32}, 100, 1));
  CHECK(l.type == LocalityType::kNoLocality);
  CHECK(l.datablock_bytes == 128U);
  CHECK(table.structures()[1].locality.type == LocalityType::kUnclassified);
  CHECK(table.structures()[1].locality.sharing == Sharing::kGrid);
}

TEST_CASE("a number that wraps in the middle of the grid has no type") {
  // p[i < n ? i : i - n], but for a border: p[i < n ? i : i - 1].
  const std::string compare = "setp.lt.s32 %p1, %r6, %r1;\n";
  CHECK_THAT(
      reason_of("sub.s32 %r30, %r6, %r1;\n" + compare + "selp.b32 %r20, %r6, %r30, %p1;\n" + kLoad),
      Contains("through select("));
  const LocalityTable border =
      table_of("add.s32 %r30, %r6, -1;\n" + compare + "selp.b32 %r20, %r6, %r30, %p1;\n" + kLoad);
  CHECK(border.structures().at(0).locality.type == LocalityType::kNoLocality);
  // p[min(i, 3)] is p[3] nearly everywhere; p[min(i, n)] is a border.
  CHECK_THAT(reason_of("min.s32 %r20, %r6, 3;\n" + kLoad), Contains("through min("));
  const LocalityTable clamped = table_of("min.s32 %r20, %r6, %r1;\n" + kLoad);
  CHECK(clamped.structures().at(0).locality.type == LocalityType::kNoLocality);
}

TEST_CASE("a part that a CTA's number selects is no sharing") {
  // p[i + (ctaid.y == 0 ? 0 : n)], as a selection and as a branch.
  CHECK_THAT(reason_of("mov.u32 %r30, %ctaid.y;\nsetp.eq.s32 %p1, %r30, 0;\n"
                       "selp.b32 %r31, 0, %r1, %p1;\nadd.s32 %r20, %r6, %r31;\n" +
                       kLoad),
             Contains("ctaid.y through select("));
  // A switch before a loop over p[i + start + m * 64].
  CHECK_THAT(
      reason_of(
          "mov.u32 %r30, %ctaid.y;\nmov.u32 %r32, 0;\nsetp.eq.s32 %p1, %r30, 0;\n@%p1 bra L;\n"
          "mov.u32 %r32, 4096;\nsetp.eq.s32 %p2, %r30, 1;\n@%p2 bra L;\nmov.u32 %r32, 7168;\nL:\n"
          "add.s32 %r20, %r6, %r32;\nmov.u32 %r31, 0;\nM:\n" +
          kLoad +
          "add.s32 %r20, %r20, 64;\nadd.s32 %r31, %r31, 1;\n"
          "setp.lt.s32 %p3, %r31, %r1;\n@%p3 bra M;\n"),
      Contains("depends on the path"));
}

TEST_CASE("a branch on a predicate that some CTAs leave unchanged is no path of all threads") {
  // As the switch above; CTAs with ctaid.y of 0 compare n, the others have compared it with 5.
  CHECK_THAT(reason_of("mov.u32 %r30, %ctaid.y;\nmov.u32 %r32, 0;\nsetp.eq.s32 %p1, %r30, 0;\n"
                       "setp.eq.s32 %p2, %r1, 5;\n@%p1 setp.eq.s32 %p2, %r1, 6;\n@%p2 bra L;\n"
                       "mov.u32 %r32, 4096;\nsetp.eq.s32 %p4, %r1, 7;\n@%p4 bra L;\n"
                       "mov.u32 %r32, 7168;\nL:\nadd.s32 %r20, %r6, %r32;\nmov.u32 %r31, 0;\nM:\n" +
                       kLoad +
                       "add.s32 %r20, %r20, 64;\nadd.s32 %r31, %r31, 1;\n"
                       "setp.lt.s32 %p3, %r31, %r1;\n@%p3 bra M;\n"),
             Contains("depends on the path"));
}

TEST_CASE("a branch on a value that its loop still defines is no path of all threads") {
  // v starts at ctaid.y; its step, which also selects a part of q, is a switch over v.
  const LocalityTable table = table_of(
      "mov.u32 %r30, %ctaid.y;\nmov.u32 %r33, 0;\nV:\n"
      "mul.wide.s32 %rd22, %r30, 4;\nadd.s64 %rd23, %rd1, %rd22;\n"
      "ld.global.u32 %r22, [%rd23];\n"
      "mov.u32 %r32, 0;\nsetp.eq.s32 %p1, %r30, 0;\n@%p1 bra L;\n"
      "mov.u32 %r32, 4096;\nsetp.eq.s32 %p2, %r30, 1;\n@%p2 bra L;\n"
      "mov.u32 %r32, 7168;\nL:\nadd.s32 %r30, %r30, %r32;\n"
      "add.s32 %r20, %r6, %r32;\nmov.u32 %r31, 0;\nM:\n"
      "mul.wide.s32 %rd20, %r20, 4;\nadd.s64 %rd21, %rd2, %rd20;\n"
      "ld.global.u32 %r21, [%rd21];\n"
      "add.s32 %r20, %r20, 64;\nadd.s32 %r31, %r31, 1;\n"
      "setp.lt.s32 %p3, %r31, %r1;\n@%p3 bra M;\n"
      "add.s32 %r33, %r33, 1;\nsetp.lt.s32 %p4, %r33, %r2;\n@%p4 bra V;\n");
  REQUIRE(table.structures().size() == 2);
  CHECK(table.structures()[1].locality.type == LocalityType::kUnclassified);
  CHECK_THAT(table.structures()[1].locality.why, Contains("depends on the path"));
}

TEST_CASE("a branch on a number of iterations is no path of all threads") {
  // The loop T runs ctaid.y times, at least once; its count selects a part of p.
  CHECK_THAT(reason_of("mov.u32 %r30, 0;\nmov.u32 %r34, %ctaid.y;\nT:\nadd.s32 %r30, %r30, 1;\n"
                       "setp.lt.s32 %p1, %r30, %r34;\n@%p1 bra T;\n"
                       "mov.u32 %r32, 0;\nsetp.eq.s32 %p2, %r30, 1;\n@%p2 bra L;\n"
                       "mov.u32 %r32, 4096;\nsetp.eq.s32 %p4, %r30, 2;\n@%p4 bra L;\n"
                       "mov.u32 %r32, 7168;\nL:\nadd.s32 %r20, %r6, %r32;\nmov.u32 %r31, 0;\nM:\n" +
                       kLoad +
                       "add.s32 %r20, %r20, 64;\nadd.s32 %r31, %r31, 1;\n"
                       "setp.lt.s32 %p3, %r31, %r1;\n@%p3 bra M;\n"),
             Contains("depends on the path"));
}

TEST_CASE("a number of fewer than 32 bits whose sign is extended wraps") {
  const auto index = [](const std::string& left, const std::string& right) {
    return "cvt.u64.u32 %rd30, %r6;\nshl.b64 %rd31, %rd30, " + left + ";\nshr.s64 %rd32, %rd31, " +
           right + ";\nadd.s64 %rd21, %rd1, %rd32;\nld.global.u32 %r21, [%rd21];\n";
  };
  CHECK_THAT(reason_of(index("56", "54")), Contains("shr.s64"));
  CHECK_THAT(reason_of(index("48", "46")), Contains("shr.s64"));
  // 32 bits are assumed to suffice.
  CHECK(offset_of(index("32", "30")) == "4*tid.x + 4*ntid.x*ctaid.x");
}

TEST_CASE("an argument of two bytes whose sign is not known has no value") {
  std::string text = small_kernel(
      "mov.u32 %r20, %r6;\nmov.u32 %r30, 0;\nL:\n" + kLoad +
      "add.s32 %r20, %r20, %r1;\nadd.s32 %r30, %r30, 1;\nsetp.lt.s32 %p1, %r30, 9;\n@%p1 bra L;\n");
  for (const auto& [from, to] :
       {std::pair<std::string, std::string>{".param .u32 n", ".param .u16 n"},
        {"ld.param.u32 %r1, [n]", "ld.param.u16 %r1, [n]"}}) {
    text.replace(text.find(from), from.size(), to);
  }
  const LocalityTable table = make_locality_table(parse(text, "k.ptx"), "k");
  const auto with = [&](std::uint16_t n) {
    LaunchRequest r = launch({4}, {32}, 0, 0);
    r.arguments[2] = KernelArgument::of(n);
    return table.evaluate(table.structures().at(0), r);
  };
  CHECK(with(400).type == LocalityType::kNoLocality);
  CHECK(with(400).stride_bytes == 1600);
  CHECK(with(65535).type == LocalityType::kUnclassified);
}

TEST_CASE("an access without a size is unclassified") {
  CHECK_THAT(reason_of("mul.wide.s32 %rd20, %r6, 4;\nadd.s64 %rd21, %rd1, %rd20;\n"
                       "ld.global.pred %p1, [%rd21];\n"),
             Contains("does not know the size"));
}

TEST_CASE("a copy to shared memory reads its source") {
  CHECK_THAT(reason_of("mul.wide.s32 %rd20, %r6, 4;\nadd.s64 %rd21, %rd1, %rd20;\n"
                       "cp.async.ca.shared.global [%r30], [%rd21], 4;\n"),
             Contains("does not follow 'cp'"));
}

TEST_CASE("calls that are not expanded leave no array classified") {
  const std::string text = small_kernel(
      "mul.wide.s32 %rd20, %r6, 4;\nadd.s64 %rd21, %rd1, %rd20;\n"
      "ld.global.u32 %r21, [%rd21];\n{\n.param .b64 a;\nst.param.b64 [a], %rd1;\n"
      "call.uni f, (a);\n}\n");
  const std::string recursive =
      ".func f(.param .b64 x)\n{\n.reg .b64 %rd<5>;\nld.param.b64 %rd1, [x];\n{\n"
      ".param .b64 y;\nst.param.b64 [y], %rd1;\ncall.uni f, (y);\n}\nret;\n}\n";
  const std::string head = ".address_size 64\n";
  std::string module = text;
  module.insert(module.find(head) + head.size(), recursive);
  const LocalityTable table = make_locality_table(parse(module, "k.ptx"), "k");
  REQUIRE(table.structures().size() == 1);
  const Locality& l = table.structures()[0].locality;
  CHECK(l.type == LocalityType::kUnclassified);
  CHECK_THAT(l.why, Contains("not expanded") && Contains("'call.uni f, (a)': 'f' is recursive"));
}

TEST_CASE("arrays that only functions out of line access are unclassified, with the call") {
  const std::string text = small_kernel(
      "mov.u64 %rd20, f;\nP : .callprototype () _ (.param .b64 _);\n{\n.param .b64 a;\n"
      "st.param.b64 [a], %rd1;\ncall %rd20, (a), P;\n}\n");
  const std::string function =
      ".func f(.param .b64 x)\n{\n.reg .b64 %rd<2>;\n.reg .b32 %r;\nld.param.b64 %rd1, [x];\n"
      "ld.global.u32 %r, [%rd1];\nst.global.u32 [%rd1+4], %r;\nret;\n}\n";
  const std::string head = ".address_size 64\n";
  std::string module = text;
  module.insert(module.find(head) + head.size(), function);
  const LocalityTable table = make_locality_table(parse(module, "k.ptx"), "k");
  REQUIRE(table.structures().size() == 1);
  CHECK(table.structures()[0].locality.type == LocalityType::kUnclassified);
  CHECK_THAT(table.structures()[0].locality.why,
             Contains("'call %rd20, (a), P': the target is an address"));
}

TEST_CASE("shared subexpressions and many blocks are analysed in little time") {
  // Eight rounds of r20 = min(r20, 101) + ... + min(r20, 108).
  std::string tree = "mov.u32 %r20, %r6;\n";
  for (int round = 0; round < 8; ++round) {
    tree += "mov.u32 %r40, 0;\n";
    for (int k = 1; k <= 8; ++k) {
      tree += "min.s32 %r41, %r20, " + std::to_string(100 + k) + ";\nadd.s32 %r40, %r40, %r41;\n";
    }
    tree += "mov.u32 %r20, %r40;\n";
  }
  CHECK(table_of(tree + kLoad).structures().size() == 1);
  std::string blocks = "mov.u32 %r20, %r6;\n";
  for (int b = 0; b < 40000; ++b) {
    const std::string label = "B" + std::to_string(b);
    blocks += "setp.eq.s32 %p1, %r1, " + std::to_string(b) + ";\n@%p1 bra " + label +
              ";\nadd.s32 %r30, %r30, 1;\n" + label + ":\n";
  }
  CHECK(table_of(blocks + kLoad).structures().size() == 1);
}

TEST_CASE("shared, local and constant memory are not in the table") {
  CHECK(table_of(".shared .b32 a[32];\n.local .b32 b[4];\nmov.u64 %rd10, a;\nld.shared.u32 %r10, "
                 "[%rd10];\n"
                 "st.local.u32 [b], %r10;\nst.shared.u32 [a+4], %r10;\n")
            .analysis()
            .accesses.empty());
}

TEST_CASE("an unknown kernel is refused with the nearest name") {
  CHECK_THROWS_WITH(make_locality_table(parse(small_kernel(""), "k.ptx"), "kk"),
                    Contains("did you mean 'k'?"));
}

}  // namespace tessera::index_expression_test
