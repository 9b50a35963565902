// SPDX-License-Identifier: Apache-2.0
// The model of the protocol in Spin. Needs the program spin and a C compiler.
#include "tests/modules/umh/promela.h"

#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>
#include <string>

namespace tessera::promela_test {

using namespace tessera::umh;
using namespace tessera::umh::test;

namespace {

namespace fs = std::filesystem;

bool spin_is_installed() {
  if (std::system("command -v spin > /dev/null && command -v cc > /dev/null") == 0) return true;
  std::cout << "nothing to check: spin and cc are not installed\n";
  return false;
}

/// Checks a model exhaustively. Returns the output of the verifier.
std::string verify(const std::string& model) {
  char name[] = "/tmp/tessera-spin-XXXXXX";
  REQUIRE(mkdtemp(name) != nullptr);
  const fs::path folder = name;
  std::ofstream(folder / "nmoesi.pml") << model;
  const std::string command =
      "cd " + folder.string() +
      " && spin -a nmoesi.pml > spin.log 2>&1 && cc -O1 -w -DSAFETY -DCOLLAPSE -DVECTORSZ=2048 "
      "-DMEMLIM=12000 -o pan pan.c > cc.log 2>&1 && ./pan -m10000000 > pan.log 2>&1";
  const int status = std::system(command.c_str());
  std::ostringstream out;
  for (const char* log : {"spin.log", "cc.log", "pan.log"}) {
    std::ifstream file(folder / log);
    out << std::string(std::istreambuf_iterator<char>(file), {});
  }
  out << "status " << status << "\n";
  fs::remove_all(folder);
  return out.str();
}

bool holds(const std::string& output) {
  return output.find("errors: 0") != std::string::npos &&
         output.find("Search not completed") == std::string::npos;
}

}  // namespace

TEST_CASE("the model's transitions are those of the table") {
  const std::string model = promela_model(transition_table(), ModelLines::kTwo);
  CHECK(model.find("#define STORE_HITS(s) ((s) == M || (s) == E)\n") != std::string::npos);
  CHECK(model.find("#define NSTORE_READS(s) ((s) == I)\n") != std::string::npos);
  CHECK(
      model.find("#define READ_REQUEST_NEXT(s) ((s) == N -> N : ((s) == M -> O : ((s) == O -> I : "
                 "((s) == E -> S : ((s) == S -> S : I)))))\n") != std::string::npos);
  CHECK(promela_model(transition_table(OwnedRead::kToOwned), ModelLines::kOne)
            .find("((s) == O -> O :") != std::string::npos);
  CHECK_THROWS_AS(promela_model(transition_table(), ModelLines::kTwo, 3), std::invalid_argument);
}

TEST_CASE("Spin proves the invariants for one line") {
  if (!spin_is_installed()) return;
  for (const OwnedRead owned : {OwnedRead::kToInvalid, OwnedRead::kToOwned}) {
    const std::string output = verify(promela_model(transition_table(owned), ModelLines::kOne));
    INFO(output);
    CHECK(holds(output));
  }
}

// Two lines that compete for frames, two GPUs and the CPU.
TEST_CASE("Spin proves the invariants for one of two lines, whatever the other does") {
  if (!spin_is_installed()) return;
  for (const OwnedRead owned : {OwnedRead::kToInvalid, OwnedRead::kToOwned}) {
    const std::string output =
        verify(promela_model(transition_table(owned), ModelLines::kOneOfTwo));
    INFO(output);
    CHECK(holds(output));
  }
}

// Both lines' states together. With a second GPU, they are too many to visit.
// TESSERA_MODEL_CHECK=1: nightly.
TEST_CASE("Spin proves the invariants for two lines of one GPU and the CPU") {
  if (std::getenv("TESSERA_MODEL_CHECK") == nullptr) {
    std::cout << "nothing to check: TESSERA_MODEL_CHECK is not set\n";
    return;
  }
  if (!spin_is_installed()) return;
  for (const OwnedRead owned : {OwnedRead::kToInvalid, OwnedRead::kToOwned}) {
    const std::string output = verify(promela_model(transition_table(owned), ModelLines::kTwo, 1));
    INFO(output);
    CHECK(holds(output));
  }
}

TEST_CASE("Spin finds a wrong cell of the table") {
  if (!spin_is_installed()) return;
  const auto cell = [](State s) { return static_cast<std::size_t>(s); };
  TransitionTable stays_modified = transition_table();
  stays_modified.incoming[cell(State::kM)][1].next = State::kM;
  TransitionTable keeps_bytes = transition_table();
  keeps_bytes.incoming[cell(State::kN)][2].transfer = Transfer::kNone;
  for (const TransitionTable& wrong : {stays_modified, keeps_bytes}) {
    const std::string output = verify(promela_model(wrong, ModelLines::kOne));
    INFO(output);
    CHECK(output.find("assertion violated") != std::string::npos);
  }
}

TEST_CASE("Spin finds a frame that two lines take") {
  if (!spin_is_installed()) return;
  std::string model = promela_model(transition_table(), ModelLines::kOneOfTwo);
  const std::string guard = "|| !occupied[c])";
  REQUIRE(model.find(guard) != std::string::npos);
  model.replace(model.find(guard), guard.size(), "|| true)");
  const std::string output = verify(model);
  INFO(output);
  CHECK(output.find("assertion violated") != std::string::npos);
}

}  // namespace tessera::promela_test
