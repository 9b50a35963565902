// SPDX-License-Identifier: Apache-2.0
// data/patterns.cu, classified by hand from its CUDA source, against the analysis of the PTX that
// clang 14 and nvcc 13 make of it: types, strides and datablocks of a launch, and the addresses
// that the interpreter executes.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "stimuli/device_memory.h"
#include "stimuli/ptx/analysis/locality_table.h"
#include "stimuli/ptx/program.h"
#include "tests/stimuli/ptx/analysis/address_check.h"

namespace tessera::patterns_test {

namespace {

constexpr auto kNL = LocalityType::kNoLocality;
constexpr auto kRH = LocalityType::kRowHorizontal;
constexpr auto kRV = LocalityType::kRowVertical;
constexpr auto kCH = LocalityType::kColumnHorizontal;
constexpr auto kCV = LocalityType::kColumnVertical;
constexpr auto kIT = LocalityType::kIntraThread;
constexpr auto kNo = LocalityType::kUnclassified;

/// No number: the stride or datablock is not known, or not of interest for an unclassified row.
constexpr std::int64_t kAny = -1;

struct Row {
  std::size_t parameter;
  LocalityType type;  ///< before the launch
  LocalityType at_launch;
  std::int64_t stride;     ///< bytes
  std::int64_t datablock;  ///< bytes
};

struct Pattern {
  const char* kernel;
  Dim3 grid;
  Dim3 block;
  std::vector<std::int64_t> scalars;  ///< after the pointers
  std::vector<Row> rows;
};

const std::vector<Pattern>& patterns() {
  static const std::vector<Pattern> all = {
      // LADM Figure 6: A, B and C of a matrix multiplication.
      {"figure6",
       {4, 3},
       {16, 16},
       {},
       {{0, kRH, kRH, 64, 1024}, {1, kCV, kCV, 4096, 1024}, {2, kNL, kNL, 0, 1024}}},
      {"tiled_gemm",
       {4, 3},
       {16, 16},
       {64, 48},
       {{0, kRH, kRH, 64, 1024}, {1, kCV, kCV, 4096, 1024}, {2, kNL, kNL, 0, 1024}}},
      {"tiled_gemm_tt",
       {4, 3},
       {16, 16},
       {48, 64, 32},
       {{0, kCH, kCH, 3072, 1024}, {1, kRV, kRV, 64, 1024}, {2, kNL, kNL, 0, 1024}}},
      {"naive_gemm",
       {4, 3},
       {16, 16},
       {64, 22},
       {{0, kIT, kIT, 4, 64}, {1, kCV, kCV, 256, 64}, {2, kNL, kNL, 0, 1024}}},
      {"linear_tile", {3, 4}, {256}, {96}, {{0, kRH, kRH, 64, 1024}, {1, kNL, kNL, 0, 1024}}},
      // The width is no gDimx for the compiler, and the launch shows that a step skips a row.
      {"constant_width", {2, 3}, {64}, {21}, {{0, kRV, kCV, 512, 256}, {1, kNL, kNL, 0, 256}}},
      {"add_vectors",
       {5},
       {128},
       {600},
       {{0, kNL, kNL, 0, 512}, {1, kNL, kNL, 0, 512}, {2, kNL, kNL, 0, 512}}},
      {"add_doubles", {5}, {128}, {600}, {{0, kNL, kNL, 0, 1024}, {1, kNL, kNL, 0, 1024}}},
      {"scale_bytes", {4}, {64}, {}, {{0, kNL, kNL, 0, 64}, {1, kNL, kNL, 0, 128}}},
      {"grid_stride", {4}, {64}, {1500}, {{0, kNL, kNL, 1024, 256}, {1, kNL, kNL, 1024, 256}}},
      {"grid_stride_unrolled",
       {3},
       {64},
       {2500},
       {{0, kNL, kNL, 768, 256}, {1, kNL, kNL, 768, 256}}},
      {"parameter_stride",
       {3},
       {128},
       {3000, 384},
       {{0, kNL, kNL, 1536, 512}, {1, kNL, kNL, 0, 512}}},
      {"reduce", {3}, {256}, {5000}, {{0, kNL, kNL, 6144, 2048}, {1, kNL, kNL, 0, 4}}},
      {"persistent", {3}, {256}, {10}, {{0, kNL, kNL, 3072, 1024}, {1, kNL, kNL, 3072, 1024}}},
      {"row_sums", {2}, {64}, {21}, {{0, kIT, kIT, 4, 256}, {1, kNL, kNL, 0, 256}}},
      {"row_sums_unrolled", {2}, {64}, {21}, {{0, kIT, kIT, 4, 256}, {1, kNL, kNL, 0, 256}}},
      {"row_sums_backwards", {2}, {64}, {21}, {{0, kIT, kIT, -4, 256}, {1, kNL, kNL, 0, 256}}},
      {"row_sums_vector", {2}, {64}, {21}, {{0, kIT, kIT, 16, 1024}, {1, kNL, kNL, 0, 256}}},
      {"row_sums_pointer", {2}, {64}, {21}, {{0, kIT, kIT, 4, 256}, {1, kNL, kNL, 0, 256}}},
      {"every_second", {2}, {64}, {20}, {{0, kNL, kNL, 8, 256}, {1, kNL, kNL, 0, 256}}},
      {"column_sums", {2}, {64}, {128, 21}, {{0, kNL, kNL, 512, 256}, {1, kNL, kNL, 0, 256}}},
      // The outer loop of two decides; if it does not move the access, the inner one.
      {"blocked_rows", {2}, {64}, {24, 8}, {{0, kNL, kNL, 32, kAny}, {1, kNL, kNL, 0, 256}}},
      {"repeated_rows", {2}, {64}, {20, 3}, {{0, kIT, kIT, 4, 256}, {1, kNL, kNL, 0, 256}}},
      // A row's first element is a loaded value, as in the paper's graph workloads.
      {"csr",
       {2},
       {64},
       {100},
       {{0, kNL, kNL, 0, 260},
        {1, kIT, kIT, 4, kAny},
        {2, kIT, kIT, 4, kAny},
        {3, kNo, kNo, kAny, kAny},
        {4, kNL, kNL, 0, 256}}},
      {"gather",
       {2},
       {64},
       {},
       {{0, kNL, kNL, 0, 256}, {1, kNo, kNo, kAny, kAny}, {2, kNL, kNL, 0, 256}}},
      {"histogram_of",
       {2},
       {64},
       {},
       {{0, kNL, kNL, 0, 256}, {1, kNo, kNo, kAny, kAny}, {2, kNL, kNL, 0, 4}}},
      // Algorithm 1 tests the loop-variant part first.
      {"broadcast",
       {2},
       {64},
       {20},
       {{0, kIT, kIT, 4, 4}, {1, kNo, kNo, kAny, kAny}, {2, kNL, kNL, 0, 256}}},
      {"row_bias",
       {2, 3},
       {32, 4},
       {64},
       {{0, kNo, kNo, kAny, kAny}, {1, kNo, kNo, kAny, kAny}, {2, kNL, kNL, 0, 512}}},
      {"stencil1d", {2}, {64}, {128}, {{0, kNL, kNL, 0, 264}, {1, kNL, kNL, 0, 256}}},
      {"clamped_stencil",
       {2, 3},
       {32, 4},
       {64, 12},
       {{0, kNL, kNL, 0, 544}, {1, kNL, kNL, 0, 512}}},
      {"stencil3d",
       {2, 3},
       {32, 4},
       {64, 12, 7},
       {{0, kNL, kNL, 3072, 512}, {1, kNL, kNL, 3072, 512}}},
      {"square_index", {2}, {64}, {9}, {{0, kNo, kNo, kAny, kAny}, {1, kNL, kNL, 0, 256}}},
      {"swizzled", {8}, {64}, {}, {{0, kNo, kNo, kAny, kAny}, {1, kNL, kNL, 0, 256}}},
      {"split_and_join", {3}, {64}, {24}, {{0, kNL, kNL, 0, 256}, {1, kNL, kNL, 0, 256}}},
      {"find_zero", {2}, {64}, {900}, {{0, kNL, kNL, 512, 256}, {1, kNL, kNL, 0, 256}}},
      {"linked_list", {2}, {64}, {9}, {{0, kNo, kNo, kAny, kAny}, {1, kNL, kNL, 0, 256}}},
      {"chosen_array", {2}, {64}, {1}, {{2, kNL, kNL, 0, 256}}},
      {"batched",
       {2, 3, 2},
       {32},
       {64, 3},
       {{0, kNL, kNL, 0, 128}, {1, kNo, kNo, kAny, kAny}, {2, kNL, kNL, 0, 128}}},
      {"by_value", {2}, {64}, {9, 128}, {{0, kNL, kNL, 512, 256}, {1, kNL, kNL, 0, 256}}},
      {"called_index", {2, 3}, {64}, {128}, {{0, kNL, kNL, 0, 256}, {1, kNL, kNL, 0, 256}}},
      {"unrolled_columns",
       {2, 3},
       {64},
       {128, 23},
       {{0, kCV, kCV, 512, 256}, {1, kNL, kNL, 0, 256}}},
      {"interleaved", {3}, {64}, {}, {{0, kNL, kNL, 0, 2048}, {1, kNL, kNL, 0, 256}}},
      {"strip_walk", {2, 3}, {32}, {64}, {{0, kNo, kNo, kAny, kAny}, {1, kNL, kNL, 0, 128}}},
  };
  return all;
}

/// Device memory with an array for each pointer, and the launch of a pattern.
class PatternLaunch {
 public:
  PatternLaunch(const ptx::Module& module, const Pattern& pattern)
      : kernel_(ptx::decode(module, pattern.kernel)) {
    request.kernel = pattern.kernel;
    request.grid = pattern.grid;
    request.block = pattern.block;
    const ptx::Function& function = *module.function(pattern.kernel);
    std::size_t next = 0;
    for (std::size_t p = 0; p < function.parameters.size(); ++p) {
      const ptx::Variable& v = function.parameters[p];
      const bool is_size = std::string(pattern.kernel) == "add_doubles" && p == 2;
      if (v.bytes() == 16) {
        struct {
          Address data;
          std::int32_t rows;
          std::int32_t columns;
        } dims{array(p), static_cast<std::int32_t>(pattern.scalars[0]),
               static_cast<std::int32_t>(pattern.scalars[1])};
        request.arguments.push_back(KernelArgument::of(dims));
      } else if (v.bytes() == 4) {
        request.arguments.push_back(
            KernelArgument::of(static_cast<std::int32_t>(pattern.scalars.at(next++))));
      } else if (is_size) {
        request.arguments.push_back(KernelArgument::of(pattern.scalars.at(next++)));
      } else {
        request.arguments.push_back(KernelArgument::of(array(p)));
      }
    }
    for (const ptx::Variable& v : module.variables) {
      if (v.space == ptx::StateSpace::kGlobal) {
        symbols_[v.name] = allocations_.allocate(v.name, v.bytes()).begin;
      }
    }
    memory.cover(allocations_.top());
    // Indices below 64 for gathers; ascending ones for the rows of a sparse matrix.
    std::mt19937 random(7);
    for (const Address a : arrays_) {
      for (std::uint32_t i = 0; i < kElements; ++i) {
        const std::uint32_t value =
            a == arrays_[0] && request.kernel == "csr" ? 5 * i % 640 : random() % 63 + 1;
        std::memcpy(memory.at(a + std::uint64_t{4} * i), &value, 4);
      }
    }
  }

  std::unique_ptr<KernelProgram> program() {
    ptx::MemoryView view;
    view.allocations = &allocations_;
    view.symbols = &symbols_;
    view.flat = &memory;
    return ptx::make_program(kernel_, request, view);
  }

  LaunchRequest request;
  FlatMemory memory{std::uint64_t{1} << 24};

 private:
  static constexpr std::uint32_t kElements = 64 * 1024;

  Address array(std::size_t parameter) {
    arrays_.push_back(
        allocations_.allocate("array" + std::to_string(parameter), 4 * kElements).begin);
    return arrays_.back();
  }

  std::shared_ptr<const ptx::Kernel> kernel_;
  Allocations allocations_;
  std::map<std::string, Address> symbols_;
  std::vector<Address> arrays_;
};

const ptx::Module& compiled(const std::string& compiler) {
  static std::map<std::string, ptx::Module> modules;
  const auto [it, is_new] = modules.try_emplace(compiler);
  if (is_new) {
    it->second = ptx::parse_file(std::string(TESSERA_SOURCE_DIR) +
                                 "/tests/stimuli/ptx/analysis/data/patterns_" + compiler + ".ptx");
  }
  return it->second;
}

void check_row(const ptx::LocalityTable& table, const Row& row, const LaunchRequest& launch) {
  INFO("parameter " << row.parameter);
  const ptx::DataStructure* d = table.of_parameter(row.parameter);
  REQUIRE(d != nullptr);
  CHECK(ptx::locality_type_name(d->locality.type) ==
        std::string(ptx::locality_type_name(row.type)));
  const ptx::LaunchLocality l = table.evaluate(*d, launch);
  INFO("why: " << l.why);
  CHECK(ptx::locality_type_name(l.type) == std::string(ptx::locality_type_name(row.at_launch)));
  CHECK((l.type == LocalityType::kUnclassified) == !l.why.empty());
  if (row.stride != kAny || row.datablock != kAny) {
    REQUIRE(l.stride_bytes);
    CHECK(*l.stride_bytes == row.stride);
    CHECK(l.datablock_bytes.has_value() == (row.datablock != kAny));
    if (row.datablock != kAny) CHECK(l.datablock_bytes == std::uint64_t(row.datablock));
  }
}

void check_patterns(const std::string& compiler) {
  const ptx::Module& module = compiled(compiler);
  for (const Pattern& p : patterns()) {
    INFO(p.kernel << " by " << compiler);
    const ptx::LocalityTable table = ptx::make_locality_table(module, p.kernel);
    PatternLaunch launch(module, p);
    for (const Row& row : p.rows) check_row(table, row, launch.request);
  }
}

/// Every classified access executes, at the predicted addresses.
void check_addresses(const std::string& compiler) {
  const ptx::Module& module = compiled(compiler);
  for (const Pattern& p : patterns()) {
    INFO(p.kernel << " by " << compiler);
    PatternLaunch launch(module, p);
    test::AddressCheck check(module, p.kernel);
    const auto program = launch.program();
    check.run(*program, launch.request, launch.memory);
    // An expanded function's instructions have the same lines at each call.
    CHECK((check.obstacle().empty() || std::string(p.kernel) == "called_index"));
    const ptx::LocalityTable& table = check.table();
    for (std::size_t a = 0; a < check.accesses().size(); ++a) {
      const test::AccessCheck& seen = check.accesses()[a];
      INFO("line " << table.analysis().accesses[a].line << ": " << seen.first_wrong);
      CHECK(seen.wrong == 0);
      CHECK(seen.implied.size() <= 1);
    }
    for (const ptx::AccessGroup& g : table.groups()) {
      if (g.locality.type == LocalityType::kUnclassified) continue;
      for (const std::size_t a : g.accesses) {
        INFO("line " << table.analysis().accesses[a].line);
        CHECK(check.accesses()[a].executed > 0);
        CHECK(check.accesses()[a].compared == check.accesses()[a].executed);
      }
    }
  }
}

}  // namespace

TEST_CASE("patterns that clang 14 has compiled have their hand classification") {
  check_patterns("clang14");
}

TEST_CASE("patterns that nvcc 13 has compiled have their hand classification") {
  check_patterns("nvcc13");
}

TEST_CASE("patterns that clang 14 has compiled access the predicted addresses") {
  check_addresses("clang14");
}

TEST_CASE("patterns that nvcc 13 has compiled access the predicted addresses") {
  check_addresses("nvcc13");
}

TEST_CASE("the table of patterns has more than thirty kernels of each compiler") {
  CHECK(patterns().size() > 30);
  for (const Pattern& p : patterns()) {
    CHECK(compiled("clang14").function(p.kernel) != nullptr);
    CHECK(compiled("nvcc13").function(p.kernel) != nullptr);
  }
}

namespace {

ptx::LaunchLocality locality_of(const ptx::Module& module, const Pattern& pattern,
                                std::size_t parameter) {
  const ptx::LocalityTable table = ptx::make_locality_table(module, pattern.kernel);
  const PatternLaunch launch(module, pattern);
  return table.evaluate(*table.of_parameter(parameter), launch.request);
}

const Pattern& pattern_of(const std::string& kernel) {
  const auto found = std::find_if(patterns().begin(), patterns().end(),
                                  [&](const Pattern& p) { return p.kernel == kernel; });
  REQUIRE(found != patterns().end());
  return *found;
}

ptx::Module of_suite(const std::string& kernel) {
  return ptx::parse_file(std::string(TESSERA_SOURCE_DIR) + "/stimuli/kernels/" + kernel + "/" +
                         kernel + ".ptx");
}

}  // namespace

TEST_CASE("data structures that CTAs cross by columns have the rows of their source") {
  struct {
    const char* kernel;
    std::size_t parameter;
    std::uint64_t row;
  } const expected[] = {{"figure6", 1, 256},        {"tiled_gemm", 1, 256},
                        {"tiled_gemm_tt", 0, 192},  {"naive_gemm", 1, 256},
                        {"constant_width", 0, 512}, {"unrolled_columns", 0, 512}};
  const std::string compiler = GENERATE("clang14", "nvcc13");
  for (const auto& e : expected) {
    INFO(e.kernel << " by " << compiler);
    const ptx::Module& module = compiled(compiler);
    CHECK(locality_of(module, pattern_of(e.kernel), e.parameter).row_bytes == e.row);
  }
}

TEST_CASE("rows of a step that threads and an unrolled loop divide are single rows") {
  // The weights of a layer: steps of 64 rows, of which each thread along y takes 16, unrolled.
  const ptx::LaunchLocality weights =
      locality_of(of_suite("gemmlayer"), {"gemmlayer", {4, 2}, {32, 4}, {128, 128}, {}}, 1);
  CHECK(weights.type == kCV);
  CHECK(weights.stride_bytes == 64 * 512);
  CHECK(weights.row_bytes == 512U);
}

TEST_CASE("threads along y within a row of the data structure are not in rows of their own") {
  // 5 CTAs of 16 x 16 threads, 1 KB each, read 5 KB in a step.
  const ptx::LaunchLocality addresses =
      locality_of(of_suite("histo-main"), {"histo_main", {5, 7}, {16, 16}, {6400, 0}, {}}, 0);
  CHECK(addresses.type == kCV);
  CHECK(addresses.row_bytes == 5120U);
}

TEST_CASE("datablocks with the bytes of other CTAs between their own are tiles") {
  const ptx::Module& module = compiled("clang14");
  const auto tile = [&](const std::string& kernel, std::size_t parameter) {
    return locality_of(module, pattern_of(kernel), parameter).tile;
  };
  CHECK(tile("tiled_gemm", 2));
  CHECK(tile("stencil3d", 0));
  CHECK_FALSE(tile("add_vectors", 0));
  CHECK_FALSE(tile("stencil1d", 0));
  CHECK_FALSE(tile("grid_stride", 0));
}

}  // namespace tessera::patterns_test
