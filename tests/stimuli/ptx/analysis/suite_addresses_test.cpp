// SPDX-License-Identifier: Apache-2.0
// The predicted addresses of all kernels of the suite, as clang and nvcc compile them, against the
// interpreter.
#include <catch2/catch.hpp>
#include <iostream>
#include <map>
#include <memory>
#include <string>

#include "stimuli/ptx/analysis/locality_table.h"
#include "stimuli/workload.h"
#include "tests/stimuli/ptx/analysis/address_check.h"
#include "tests/stimuli/ptx/analysis/flat_device.h"
#include "tests/support/suite_cases.h"

namespace tessera::suite_addresses_test {

namespace {

using test::AccessCheck;
using test::AddressCheck;

constexpr std::uint64_t kSeed = 1;

/// A device that checks the addresses of every launch.
class CheckingDevice final : public test::FlatDevice {
 public:
  explicit CheckingDevice(std::vector<ptx::Module> modules) : modules_(std::move(modules)) {}

  void launch(const LaunchRequest& request) override {
    AddressCheck*& check = checks_[request.kernel];
    if (check == nullptr) {
      for (const ptx::Module& m : modules_) {
        if (m.function(request.kernel) == nullptr) continue;
        owned_.push_back(std::make_unique<AddressCheck>(m, request.kernel));
        check = owned_.back().get();
      }
    }
    REQUIRE(check != nullptr);
    const ptx::LocalityTable& table = check->table();
    for (const ptx::DataStructure& d : table.structures()) {
      rows_.try_emplace({request.kernel, d.origin.parameter}, table.evaluate(d, request));
    }
    const auto program = source_of(request).make(request, {&memory()});
    check->run(*program, request, memory());
  }
  const std::map<std::string, AddressCheck*>& checks() const { return checks_; }
  /// The row of a parameter in the kernel's first launch.
  const ptx::LaunchLocality& row(const std::string& kernel, std::size_t parameter) const {
    return rows_.at({kernel, parameter});
  }

 private:
  std::vector<ptx::Module> modules_;
  std::vector<std::unique_ptr<AddressCheck>> owned_;
  std::map<std::string, AddressCheck*> checks_;
  std::map<std::pair<std::string, std::size_t>, ptx::LaunchLocality> rows_;
};

void check_kernel(const AddressCheck& check) {
  const ptx::LocalityTable& table = check.table();
  INFO("kernel " << table.analysis().kernel);
  CHECK(check.obstacle().empty());
  if (!check.obstacle().empty()) return;
  for (const AccessCheck& a : check.accesses()) {
    INFO(a.first_wrong);
    CHECK(a.first_wrong.empty());
    CHECK(a.wrong == 0);
    // A choice between uniform values is one of few.
    CHECK(a.implied.size() <= 4);
  }
  for (const ptx::AccessGroup& g : table.groups()) {
    if (g.locality.type == LocalityType::kUnclassified) continue;
    for (const std::size_t i : g.accesses) {
      INFO("line " << table.analysis().accesses[i].line);
      // Only a sum with a value that no load has given is not compared.
      const AccessCheck& a = check.accesses()[i];
      const bool is_opaque = table.analysis().symbols.any(
          table.analysis().accesses[i].offset, [](ptx::SymbolId, const ptx::Symbol& s) {
            return s.kind == ptx::SymbolKind::kOpaque && !s.is_loaded && !s.is_uniform_choice;
          });
      if (!is_opaque) CHECK(a.compared == a.executed);
    }
  }
}

std::vector<ptx::Module> modules_of(const std::string& name, const std::string& suite) {
  std::vector<ptx::Module> modules;
  for (const std::string& file : workload_files(name, suite)) {
    const std::string end = ".ptx";
    if (file.size() < end.size() || file.substr(file.size() - end.size()) != end) continue;
    modules.push_back(ptx::parse_file(file));
  }
  return modules;
}

void run_workload(const std::string& name, const std::string& suite) {
  CheckingDevice device(modules_of(name, suite));
  make_workload(name, suite)->run(device, Scale::kSmall, kSeed);
  std::uint64_t compared = 0;
  std::uint64_t executed = 0;
  for (const auto& [kernel, check] : device.checks()) {
    check_kernel(*check);
    for (const AccessCheck& a : check->accesses()) {
      executed += a.executed;
      compared += a.compared;
    }
  }
  INFO("compared " << compared << " of " << executed << " executed accesses");
  CHECK(compared > 0);
  if (std::getenv("TESSERA_SHOW_COUNTS") != nullptr) {
    std::cout << name << " " << compared << " " << executed << "\n";
  }
}

void run_all(const std::string& suite) {
  for (const std::string& name : workload_names()) {
    INFO(name);
    run_workload(name, suite);
  }
}

}  // namespace

#define TESSERA_CASE(NAME, WHAT) \
  TEST_CASE(NAME WHAT) { run_workload(NAME, {}); }
TESSERA_FOR_SUITE(TESSERA_CASE, " accesses the addresses that its index expressions predict")

namespace {

/// A data structure of a workload that LADM's Table IV names, and the type that its kernel's source
/// shows. docs/passes/index-analysis.md compares these with the paper's.
struct TableRow {
  const char* workload;
  const char* kernel;
  std::size_t parameter;
  LocalityType type;
  std::int64_t stride;  ///< bytes, at small scale
};

std::vector<TableRow> table_of_suite() {
  constexpr auto kNL = LocalityType::kNoLocality;
  constexpr auto kCV = LocalityType::kColumnVertical;
  constexpr auto kIT = LocalityType::kIntraThread;
  return {
      {"vecadd", "vecadd", 0, kNL, 0},
      {"srad", "srad_update", 5, kNL, 0},
      {"hotspot", "hotspot", 0, kNL, 0},
      {"scalarprod", "scalarprod", 0, kNL, 491520},
      {"blackscholes", "blackscholes", 0, kNL, 65536},
      {"histo-final", "histo_final", 1, kNL, 524288},
      {"reduction", "reduction", 0, kNL, 262144},
      {"hotspot3d", "hotspot3d", 0, kNL, 32768},
      {"fwt", "fwt_pass", 0, kNL, 0},
      {"histo-main", "histo_main", 0, kCV, 8192},
      {"mm", "mm", 0, LocalityType::kRowHorizontal, 64},
      {"mm", "mm", 1, kCV, 12288},
      {"gemmlayer", "gemmlayer", 1, kCV, 131072},
      {"gemm", "mm_naive", 0, kIT, 4},
      {"gemm", "mm_naive", 1, kCV, 512},
      {"alexnet-fc", "gemmlayer", 0, LocalityType::kRowHorizontal, 128},
      {"alexnet-fc", "gemmlayer", 1, kCV, 65536},
      {"resnet50-fc", "gemmlayer", 1, kCV, 131072},
      {"lstm-1", "gemmlayer", 1, kCV, 131072},
      {"lstm-2", "gemmlayer", 1, kCV, 131072},
      {"transpose", "transpose", 1, kNL, 0},
      // Not in Table IV: vectors of four elements, a section a CTA, tiles in diagonal order.
      {"mm-float4", "mm_float4", 0, kIT, 16},
      {"mm-float4", "mm_float4", 1, kCV, 2048},
      {"blackscholes-float4", "blackscholes_float4", 0, kNL, 0},
      {"reduction-uint4", "reduction_uint4", 0, kNL, 0},
      {"histogram256", "histogram256", 0, kNL, 4096},
      {"transpose-float4", "transpose_float4", 0, LocalityType::kUnclassified, 0},
      {"pagerank", "pagerank_pull", 1, kIT, 4},
      {"bfs", "bfs_level", 1, kIT, 4},
      {"sssp", "sssp_relax", 1, kIT, 4},
      {"kmeans", "kmeans_transpose", 0, kIT, 4},
      {"spmv-jds", "spmv_jds", 1, kIT, 4},
      {"btree", "btree_find", 0, LocalityType::kUnclassified, 0},
      {"streamcluster", "streamcluster_cost", 0, kNL, 32768},
      {"streamcluster", "streamcluster_cost", 5, LocalityType::kUnclassified, 0},
      {"lbm", "lbm_step", 0, kNL, 0},
  };
}

void check_table(const std::string& suite) {
  std::map<std::string, std::unique_ptr<CheckingDevice>> devices;
  for (const TableRow& row : table_of_suite()) {
    INFO(row.workload << " " << row.kernel << " " << row.parameter);
    std::unique_ptr<CheckingDevice>& device = devices[row.workload];
    if (device == nullptr) {
      device = std::make_unique<CheckingDevice>(modules_of(row.workload, suite));
      make_workload(row.workload, suite)->run(*device, Scale::kSmall, kSeed);
    }
    const ptx::LaunchLocality& l = device->row(row.kernel, row.parameter);
    CHECK(ptx::locality_type_name(l.type) == std::string(ptx::locality_type_name(row.type)));
    if (row.type != LocalityType::kUnclassified) CHECK(l.stride_bytes == row.stride);
  }
}

}  // namespace

TEST_CASE("workloads of LADM's Table IV have the types that their sources show") {
  check_table({});
}

// ctest counts what has nothing to check as skipped.
TEST_CASE("index expressions of the suite as this machine's clang compiles it predict addresses") {
  const std::string suite = TESSERA_CLANG_SUITE_DIR;
  if (suite.empty()) {
    WARN("nothing to check: no clang with an NVPTX backend");
    return;
  }
  run_all(suite);
}

TEST_CASE("index expressions of the suite as this machine's nvcc compiles it predict addresses") {
  const std::string suite = TESSERA_NVCC_SUITE_DIR;
  if (suite.empty()) {
    WARN("nothing to check: no nvcc");
    return;
  }
  run_all(suite);
}

}  // namespace tessera::suite_addresses_test
