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
#include "tests/support/suite_cases.h"

namespace {

using namespace tessera;
using test::AccessCheck;
using test::AddressCheck;

constexpr std::uint64_t kSeed = 1;

/// A device that checks the addresses of every launch.
class CheckingDevice final : public Device {
 public:
  explicit CheckingDevice(std::vector<ptx::Module> modules) : modules_(std::move(modules)) {}

  Address allocate(const std::string& name, std::uint64_t bytes) override {
    const Address begin = allocations_.allocate(name, bytes).begin;
    memory_.cover(allocations_.top());
    return begin;
  }
  void write(Address to, const void* from, std::uint64_t bytes) override {
    if (bytes != 0) memory_.write(to, from, bytes);
  }
  void defer(Address to, std::uint64_t bytes, Contents contents) override {
    memory_.defer(to, bytes, std::move(contents));
  }
  void read(void* to, Address from, std::uint64_t bytes) override {
    if (bytes != 0) memory_.read(to, from, bytes);
  }
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
    const auto program = source_of(request).make(request, {&memory_});
    check->run(*program, request, memory_);
  }
  const Allocations& allocations() const override { return allocations_; }
  const std::map<std::string, AddressCheck*>& checks() const { return checks_; }

 private:
  std::vector<ptx::Module> modules_;
  Allocations allocations_;
  FlatMemory memory_;
  std::vector<std::unique_ptr<AddressCheck>> owned_;
  std::map<std::string, AddressCheck*> checks_;
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

void run_workload(const std::string& name, const std::string& suite) {
  std::vector<ptx::Module> modules;
  for (const std::string& file : workload_files(name, suite)) {
    const std::string end = ".ptx";
    if (file.size() < end.size() || file.substr(file.size() - end.size()) != end) continue;
    modules.push_back(ptx::parse_file(file));
  }
  CheckingDevice device(std::move(modules));
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
