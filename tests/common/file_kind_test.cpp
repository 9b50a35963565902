// SPDX-License-Identifier: Apache-2.0
#include "common/file_kind.h"

#include <catch2/catch.hpp>

#include "common/error.h"
#include "common/json.h"
#include "common/located_json.h"

namespace tessera::file_kind_test {

namespace {

std::string of_json(const std::string& text, const std::string& file = "f") {
  return wrong_kind(ExpectedFile::kJson, text, file);
}
std::string of_ptx(const std::string& text, const std::string& file = "f") {
  return wrong_kind(ExpectedFile::kPtx, text, file);
}

}  // namespace

TEST_CASE("CUDA source is reported with the command that compiles it") {
  const std::string compile =
      "found CUDA or C++ source: compile it to PTX with 'nvcc -ptx -arch=sm_75 f.cu' (with clang: "
      "docs/guide/your-own-kernel.md)";
  CHECK(of_ptx("int x;", "f.cu") == "expected PTX, " + compile);
  CHECK(of_json("int x;", "f.cu") ==
        "expected JSON, " + compile +
            ", then run the PTX with a manifest that lists its arrays and launches");
  CHECK(of_json("// a comment\n#include <x>\n") != "");
  CHECK(of_json("/* a\n comment */ extern \"C\" __global__ void k() {}") != "");
}

TEST_CASE("other kinds of files are recognised by their beginnings") {
  CHECK(of_json("\n// x\n.version 7.0\n") ==
        "expected JSON, found PTX: PTX is a workload, 'tessera run PLATFORM FILE.ptx --manifest "
        "FILE.json'");
  CHECK(of_ptx("// a\n{}") ==
        "expected PTX, found JSON: a manifest is a workload by itself, or the file of --manifest");
  CHECK(of_ptx("\x7f"
               "ELF\x02") ==
        "expected PTX, found a compiled file (ELF): 'cuobjdump -ptx f' prints the PTX that it "
        "holds");
  CHECK(of_ptx("\x50\xed\x55\xba") ==
        "expected PTX, found a CUDA fat binary: 'cuobjdump -ptx f' prints the PTX that it holds");
  CHECK(of_json("!<arch>\nx") == "expected JSON, found an archive");
  CHECK(of_json("\x1f\x8b\x08") == "expected JSON, found compressed data");
  CHECK(of_json(std::string("a\0b", 3)) == "expected JSON, found binary data");
  CHECK(of_json("<!DOCTYPE html>") == "expected JSON, found HTML");
  CHECK(of_ptx("; ModuleID = 'x'") == "expected PTX, found LLVM IR");
}

TEST_CASE("what can be of the expected kind, or is unknown, is left to its reader") {
  CHECK(of_json("").empty());
  CHECK(of_json("{\"a\": \"__global__\"}", "f.cu").empty());
  CHECK(of_json("\xef\xbb\xbf // a\n[1]").empty());
  CHECK(of_json("3").empty());
  CHECK(of_json("{ // unfinished").empty());
  CHECK(of_json("/* unfinished").empty());
  CHECK(of_ptx("").empty());
  CHECK(of_ptx("//\n.version 8.0").empty());
  CHECK(of_ptx("nonsense").empty());
}

TEST_CASE("JSON of another kind is recognised by its keys") {
  const auto kind = [](const char* text) { return json_kind(nlohmann::json::parse(text)); };
  CHECK(kind(R"({"name": "x", "arrays": [], "launches": []})") == kManifestKind);
  CHECK(kind(R"({"cycles": 1, "modules": {}, "config": {}})") == "the results of a run");
  CHECK(kind(R"({"points": [], "summary": {}})") == "the results of a comparison");
  CHECK(kind(R"({"title": "x", "platforms": {}, "figures": {}})") == "a study");
  CHECK(kind(R"({"study": "x", "title": "x", "figures": []})") == "the results of a study");
  CHECK(kind(R"({"base": "uba-mem"})") == kPlatformKind);
  CHECK(kind(R"({"llc": {"sets": 3}})").empty());
  CHECK(kind("[]").empty());
}

TEST_CASE("the JSON reader refuses another kind of file before its syntax") {
  CHECK_THROWS_WITH(parse_located_json(".version 8.0\n", "k.ptx"),
                    Catch::StartsWith("k.ptx: expected JSON, found PTX: "));
}

}  // namespace tessera::file_kind_test
