// SPDX-License-Identifier: Apache-2.0
// PTX that was not written for this suite, such as public benchmarks: the folder that
// TESSERA_FOREIGN_PTX names. Each kernel is analysed, and runs with arguments of this test's own.
// The address of each executed access is compared with its expression, up to the first access
// outside of the arrays. TESSERA_SHOW_COUNTS=1 prints the counts
// (docs/passes/index-analysis.md).
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "common/error.h"
#include "stimuli/runner/module_loader.h"
#include "tests/stimuli/ptx/analysis/address_check.h"
#include "tests/stimuli/ptx/analysis/flat_device.h"

namespace tessera::foreign_ptx_test {

namespace {

using test::AccessCheck;
using test::AddressCheck;
namespace fs = std::filesystem;

constexpr std::uint64_t kArrayBytes = std::uint64_t{8} << 20;
constexpr unsigned kMostSeconds = 5;  ///< of a kernel, in each launch

/// Memory for one kernel.
class ArraysDevice final : public test::FlatDevice {
 public:
  void launch(const LaunchRequest& /*request*/) override { throw std::logic_error("no launches"); }
};

/// Launches whose grids, blocks and scalar arguments differ.
struct Shape {
  Dim3 grid;
  Dim3 block;
  std::int32_t scalar;
};
const std::vector<Shape> kShapes = {
    {{3, 2, 1}, {16, 8, 1}, 48}, {{5, 1, 1}, {128, 1, 1}, 160}, {{2, 3, 2}, {32, 4, 1}, 7}};

/// Whether an index expression contains the parameter, which is then no pointer.
bool is_number(const ptx::LocalityTable& table, std::size_t parameter) {
  const ptx::IndexAnalysis& analysis = table.analysis();
  return std::any_of(
      analysis.accesses.begin(), analysis.accesses.end(), [&](const ptx::GlobalAccess& a) {
        return analysis.symbols.any(a.offset, [parameter](ptx::SymbolId, const ptx::Symbol& s) {
          return s.kind == ptx::SymbolKind::kParameter && s.parameter == parameter;
        });
      });
}

/// Arrays of small whole numbers for pointers (8 bytes), scalars for other parameters.
LaunchRequest request_of(ArraysDevice& device, const KernelFacts& facts,
                         const ptx::LocalityTable& table, const Shape& shape) {
  std::vector<std::int32_t> numbers(1 << 14);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    // As 64-bit numbers, they are small as well.
    if (i % 2 == 0) numbers[i] = static_cast<std::int32_t>(i * 7 % 41);
  }
  LaunchRequest r;
  r.grid = shape.grid;
  r.block = shape.block;
  r.dynamic_shared_bytes = 16384;
  for (std::size_t i = 0; i < facts.parameters.size(); ++i) {
    const KernelParameter& p = facts.parameters[i];
    if (p.bytes == 8 && is_number(table, i)) {
      r.arguments.push_back(KernelArgument::of(std::int64_t{shape.scalar}));
    } else if (p.bytes == 8) {
      const Address a = device.allocate(p.name, kArrayBytes);
      device.write(a + kArrayBytes / 2, numbers.data(), numbers.size() * sizeof numbers[0]);
      // In the middle, so that neighbours before the first element are inside.
      r.arguments.push_back(KernelArgument::of(a + kArrayBytes / 2));
    } else {
      KernelArgument scalar{std::vector<std::byte>(p.bytes)};
      for (std::size_t byte = 0; byte + 4 <= p.bytes; byte += 4) {
        std::memcpy(scalar.bytes.data() + byte, &shape.scalar, 4);
      }
      r.arguments.push_back(std::move(scalar));
    }
  }
  return r;
}

struct Counts {
  std::uint64_t executed = 0;
  std::uint64_t compared = 0;
  std::uint64_t wrong = 0;
  std::string first_wrong;
  std::string stopped;  ///< why the kernel did not run to its end
};

void check_launch(const ptx::Module& module, const std::string& kernel, const Shape& shape,
                  Counts& c) {
  std::optional<AddressCheck> check;
  try {
    check.emplace(module, kernel);
    ArraysDevice device;
    const auto source = kernels::ModuleLoader::make(device)->source(module);
    LaunchRequest request = request_of(device, source->facts(kernel), check->table(), shape);
    request.kernel = kernel;
    LaunchEnvironment environment;
    environment.flat = &device.memory();
    check->run(*source->make(request, environment), request, device.memory());
  } catch (const std::exception& e) {
    c.stopped = e.what();
  }
  if (!check) return;
  if (!check->obstacle().empty()) {
    c.stopped = check->obstacle();
    return;
  }
  for (const AccessCheck& a : check->accesses()) {
    c.executed += a.executed;
    c.compared += a.compared;
    c.wrong += a.wrong;
    if (c.first_wrong.empty()) c.first_wrong = a.first_wrong;
  }
}

/// In a process of its own, because kernels with arguments that they do not expect can loop.
Counts counts_of(const ptx::Module& module, const std::string& kernel, const Shape& shape) {
  std::array<int, 2> fd{};
  REQUIRE(pipe(fd.data()) == 0);
  std::cout.flush();
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    alarm(kMostSeconds);
    // Without the kernels' own output.
    if (std::freopen("/dev/null", "w", stdout) == nullptr) _exit(1);
    if (std::freopen("/dev/null", "w", stderr) == nullptr) _exit(1);
    Counts c;
    check_launch(module, kernel, shape, c);
    const std::string text = std::to_string(c.executed) + " " + std::to_string(c.compared) + " " +
                             std::to_string(c.wrong) + "\n" +
                             std::regex_replace(c.first_wrong, std::regex("\n"), " ") + "\n" +
                             c.stopped;
    const bool written =
        write(fd[1], text.data(), text.size()) == static_cast<ssize_t>(text.size());
    _exit(written ? 0 : 1);
  }
  close(fd[1]);
  std::string text;
  std::array<char, 4096> buffer{};
  for (ssize_t n = 0; (n = read(fd[0], buffer.data(), buffer.size())) > 0;) {
    text.append(buffer.data(), static_cast<std::size_t>(n));
  }
  close(fd[0]);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  Counts c;
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) {
    c.stopped = "it takes longer than " + std::to_string(kMostSeconds) + " s";
    return c;
  }
  INFO(kernel);
  REQUIRE(WIFEXITED(status));
  REQUIRE(WEXITSTATUS(status) == 0);
  std::istringstream lines(text);
  lines >> c.executed >> c.compared >> c.wrong;
  lines.ignore();
  std::getline(lines, c.first_wrong);
  std::getline(lines, c.stopped);
  return c;
}

/// The counts of one suite: the folder below TESSERA_FOREIGN_PTX.
struct SuiteCounts {
  std::uint64_t files = 0;
  std::uint64_t kernels = 0;
  std::uint64_t refused = 0;  ///< kernels with an instruction that the parser does not know
  std::uint64_t arrays = 0;
  std::map<std::string, std::uint64_t> accesses;  ///< in the source, by type
  std::map<std::string, std::uint64_t> reasons;   ///< of the unclassified ones
  std::uint64_t executed = 0;
  std::uint64_t compared = 0;
  std::uint64_t stopped = 0;  ///< launches that did not run to their ends
};

void count_types(const ptx::LocalityTable& table, SuiteCounts& s) {
  ++s.kernels;
  s.arrays += table.structures().size();
  const auto unclassified = [&s](const std::string& why) {
    // Without names and numbers.
    s.reasons[std::regex_replace(why, std::regex("'[^']*'|\\b[_A-Za-z]*\\d[\\w]*\\b"), "_")]++;
  };
  std::size_t grouped = 0;
  for (const ptx::AccessGroup& g : table.groups()) {
    s.accesses[ptx::locality_type_name(g.locality.type)] += g.accesses.size();
    grouped += g.accesses.size();
    if (g.locality.type != LocalityType::kUnclassified) continue;
    for (std::size_t i = 0; i < g.accesses.size(); ++i) unclassified(g.locality.why);
  }
  for (const ptx::GlobalAccess& a : table.analysis().accesses) {
    if (a.origin) continue;
    ++s.accesses[ptx::locality_type_name(LocalityType::kUnclassified)];
    unclassified(a.problem);
    ++grouped;
  }
  CHECK(grouped == table.analysis().accesses.size());
}

void check_file(const fs::path& file, SuiteCounts& s) {
  INFO(file.string());
  ++s.files;
  const auto refuse = [&s](const InputError& e) {
    ++s.refused;
    if (std::getenv("TESSERA_SHOW_COUNTS") != nullptr) std::cout << "refused: " << e.what() << "\n";
  };
  std::optional<ptx::Module> module;
  try {
    module = ptx::parse_file(file.string());
  } catch (const InputError& e) {
    refuse(e);
    return;
  }
  for (const std::string& kernel : module->entries()) {
    INFO("kernel " << kernel);
    try {
      count_types(ptx::make_locality_table(*module, kernel), s);
    } catch (const InputError& e) {
      refuse(e);
      continue;
    }
    for (const Shape& shape : kShapes) {
      const Counts c = counts_of(*module, kernel, shape);
      INFO(c.first_wrong);
      CHECK(c.wrong == 0);
      s.executed += c.executed;
      s.compared += c.compared;
      s.stopped += c.stopped.empty() ? 0 : 1;
    }
  }
}

void print(const std::string& name, const SuiteCounts& s) {
  std::cout << name << ": " << s.files << " files, " << s.kernels << " kernels and " << s.refused
            << " refused, " << s.arrays << " arrays; accesses:";
  for (const auto& [type, count] : s.accesses) std::cout << " " << type << " " << count;
  std::cout << "; executed " << s.executed << ", compared " << s.compared << ", launches stopped "
            << s.stopped << " of " << s.kernels * kShapes.size() << "\n";
  for (const auto& [why, count] : s.reasons) std::cout << "  " << count << "  " << why << "\n";
}

}  // namespace

TEST_CASE("PTX of TESSERA_FOREIGN_PTX is analysed, and executed addresses are as predicted") {
  const char* const folder = std::getenv("TESSERA_FOREIGN_PTX");
  if (folder == nullptr) {
    WARN("nothing to check: TESSERA_FOREIGN_PTX names no folder of PTX files");
    return;
  }
  std::map<std::string, SuiteCounts> suites;
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".ptx") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  REQUIRE_FALSE(files.empty());
  for (const fs::path& file : files) {
    check_file(file, suites[fs::relative(file, folder).begin()->string()]);
  }
  if (std::getenv("TESSERA_SHOW_COUNTS") == nullptr) return;
  for (const auto& [name, counts] : suites) print(name, counts);
}

}  // namespace tessera::foreign_ptx_test
