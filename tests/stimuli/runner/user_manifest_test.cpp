// SPDX-License-Identifier: Apache-2.0
// A user's own kernel: a manifest and a PTX file in some folder.
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "common/error.h"
#include "stimuli/runner/functional_device.h"
#include "stimuli/workload.h"

namespace tessera::user_manifest_test {

namespace {

using kernels::FunctionalDevice;

constexpr const char* kPtx = R"(.version 6.0
.target sm_70
.address_size 64
.visible .entry twice(.param .u64 p0, .param .u64 p1, .param .u32 p2)
{
  .reg .pred %p<2>;
  .reg .b32 %r<8>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [p0];
  ld.param.u64 %rd2, [p1];
  ld.param.u32 %r1, [p2];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  setp.ge.s32 %p1, %r5, %r1;
  @%p1 bra DONE;
  cvta.to.global.u64 %rd3, %rd1;
  cvta.to.global.u64 %rd4, %rd2;
  mul.wide.s32 %rd5, %r5, 4;
  add.s64 %rd6, %rd3, %rd5;
  add.s64 %rd7, %rd4, %rd5;
  ld.global.u32 %r6, [%rd6];
  add.s32 %r7, %r6, %r6;
  st.global.u32 [%rd7], %r7;
DONE:
  ret;
}
)";

constexpr const char* kManifest = R"({
  "name": "mine",
  "ptx": "twice.ptx",
  "sizes": {"small": {"n": 6}},
  "arrays": [
    {"name": "in", "type": "i32", "count": "n", "init": "iota"},
    {"name": "out", "type": "i32", "count": "n"}
  ],
  "scalars": [{"name": "n", "type": "i32", "value": "n"}],
  "launches": [
    {"kernel": "twice", "grid": 1, "block": 32, "arguments": ["in", "out", "n"]}
  ],
  "outputs": [{"array": "out"}],
  "expected": {"out": [0, 2, 4, 6, 8, 10]}
})";

/// A folder of its own that goes away with the test.
class Folder {
 public:
  Folder() {
    path_ =
        std::filesystem::temp_directory_path() / ("tessera-manifest-" + std::to_string(::getpid()));
    std::filesystem::create_directories(path_);
    put("twice.ptx", kPtx);
  }
  ~Folder() { std::filesystem::remove_all(path_); }

  std::string put(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
    return (path_ / name).string();
  }
  /// The manifest with one piece replaced.
  std::string manifest(const std::string& from = "", const std::string& to = "") const {
    std::string text = kManifest;
    if (!from.empty()) {
      const auto at = text.find(from);
      REQUIRE(at != std::string::npos);
      text.replace(at, from.size(), to);
    }
    return put("mine.json", text);
  }

 private:
  std::filesystem::path path_;
};

std::optional<Verification> run(const std::string& manifest) {
  FunctionalDevice device;
  const auto workload = make_workload(manifest);
  workload->run(device, Scale::kSmall, 1);
  return workload->verify(device);
}

}  // namespace

TEST_CASE("a user's manifest runs and is compared with its expected values") {
  const Folder folder;
  const auto result = run(folder.manifest());
  REQUIRE(result);
  CHECK(result->passed);
  CHECK(result->compared == 6);
}

TEST_CASE("a wrong expected value fails") {
  const Folder folder;
  const auto result = run(folder.manifest("8, 10", "8, 11"));
  REQUIRE(result);
  CHECK_FALSE(result->passed);
  CHECK(result->messages == std::vector<std::string>{"out[5] is 10, expected 11"});
}

TEST_CASE("expected values may stand in a file") {
  const Folder folder;
  const std::int32_t values[] = {0, 2, 4, 6, 8, 10};
  folder.put("out.bin", std::string(reinterpret_cast<const char*>(values), sizeof values));
  const auto result = run(folder.manifest("[0, 2, 4, 6, 8, 10]", "\"out.bin\""));
  REQUIRE(result);
  CHECK(result->passed);
  folder.put("out.bin", "short");
  CHECK_THROWS_WITH(run(folder.manifest("[0, 2, 4, 6, 8, 10]", "\"out.bin\"")),
                    Catch::EndsWith("out.bin: expected 24 bytes, found 5"));
}

TEST_CASE("as many expected values as elements") {
  const Folder folder;
  CHECK_THROWS_WITH(run(folder.manifest("8, 10]", "8]")),
                    Catch::Contains(":14: /expected/out: expected 6 values, as many as \"out\" has "
                                    "elements, found 5"));
}

TEST_CASE("a manifest without expected values has no verdict") {
  const Folder folder;
  CHECK_FALSE(run(folder.manifest(",\n  \"expected\": {\"out\": [0, 2, 4, 6, 8, 10]}", "")));
}

TEST_CASE("a manifest whose file name has a colon has no sizes") {
  const Folder folder;
  const std::string plain = folder.manifest();
  const std::string path = std::filesystem::path(plain).parent_path() / "a:b.json";
  std::filesystem::copy_file(plain, path, std::filesystem::copy_options::overwrite_existing);
  CHECK(make_workload(path)->info().name == make_workload(plain)->info().name);
}

TEST_CASE("a missing PTX file is named") {
  const Folder folder;
  const std::string path = folder.manifest("twice.ptx", "twcie.ptx");
  CHECK_THROWS_AS(make_workload(path), InputError);
  CHECK_THROWS_WITH(make_workload(path), Catch::Contains("twcie.ptx"));
}

TEST_CASE("a launch must fit its kernel") {
  const Folder folder;
  CHECK_THROWS_WITH(
      make_workload(folder.manifest("\"twice\", \"grid\"", "\"twise\", \"grid\"")),
      Catch::Contains(":11: /launches/0/kernel: ") &&
          Catch::Contains("has no kernel \"twise\"; did you mean 'twice'? (it has: "));
  CHECK_THROWS_WITH(
      make_workload(folder.manifest("[\"in\", \"out\", \"n\"]", "[\"in\", \"out\"]")),
      Catch::EndsWith(
          ":11: /launches/0/arguments: the kernel \"twice\" has 3 parameters, found 2 arguments"));
  CHECK_THROWS_WITH(
      make_workload(folder.manifest("[\"in\", \"out\", \"n\"]", "[\"in\", \"n\", \"n\"]")),
      Catch::EndsWith(":11: /launches/0/arguments/1: parameter 1 of \"twice\" has 8 bytes, but a "
                      "scalar of type i32 has 4"));
  CHECK_THROWS_AS(run(folder.manifest("\"block\": 32", "\"block\": 2048")), InputError);
}

TEST_CASE("an array that is too small loads, and the access beyond it is reported") {
  const Folder folder;
  const std::string path = folder.manifest("\"count\": \"n\", \"init\"", "\"count\": 4, \"init\"");
  FunctionalDevice device;
  const auto workload = make_workload(path);
  CHECK_THROWS_AS(workload->run(device, Scale::kSmall, 1), RunError);
}

}  // namespace tessera::user_manifest_test
