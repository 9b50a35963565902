// SPDX-License-Identifier: Apache-2.0
// Kernels, module variables, textures and several PTX files as manifests name them.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "stimuli/runner/symbols.h"
#include "tests/stimuli/runner/manifest_folder.h"

namespace tessera::manifest_symbols_test {

namespace {

using tessera::test::ManifestFolder;
using tessera::test::ManifestRun;
using Ints = std::vector<std::int32_t>;

const std::string kHead = ".version 6.0\n.target sm_70\n.address_size 64\n";

// _Z4copyPi (copy): to[0] = coef[1] + count, and ++count.
const std::string kPtx = kHead + R"(
.visible .const .align 4 .b8 coef[12];
.global .align 4 .u32 _ZN2ns5countE = 7;
.global .texref image;
.visible .entry _Z4copyPi(.param .u64 to)
{
  .reg .b32 %r<5>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [to];
  ld.const.u32 %r1, [coef+4];
  ld.global.u32 %r2, [_ZN2ns5countE];
  add.s32 %r3, %r1, %r2;
  st.global.u32 [%rd1], %r3;
  add.s32 %r4, %r2, 1;
  st.global.u32 [_ZN2ns5countE], %r4;
  ret;
}
.visible .entry _Z4keepIfEvPT_y(.param .u64 to, .param .u64 what)
{
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [to];
  ld.param.u64 %rd2, [what];
  st.global.u64 [%rd1], %rd2;
  ret;
}
.visible .entry _Z4keepIdEvPT_y(.param .u64 to, .param .u64 what)
{
  ret;
}
)";

struct Run {
  ManifestFolder folder;
  ManifestRun run;
  /// `members`: of the manifest, besides name and arrays.
  explicit Run(const std::string& members, const std::string& kernel = "copy",
               const std::string& arguments = "\"out\"")
      : run(write(members, kernel, arguments)) {}

  std::string write(const std::string& members, const std::string& kernel,
                    const std::string& arguments) const {
    folder.put("k.ptx", kPtx);
    return folder.put("m.json", R"({"name": "m", "ptx": "k.ptx",
"arrays": [{"name": "out", "type": "i32", "count": 4},
           {"name": "img", "type": "f32", "count": 12, "init": "iota"}],
)" + members + (members.empty() ? "" : ",\n") +
                                    R"("launches": [{"kernel": ")" + kernel +
                                    R"(", "grid": 1, "block": 1, "arguments": [)" + arguments +
                                    "]}]}");
  }
  std::string error() const { return run.error; }
};

}  // namespace

TEST_CASE("module variables are written and checked by their plain or mangled names") {
  for (const char* count : {"count", "ns::count", "_ZN2ns5countE"}) {
    Run r(R"("variables": [{"name": "coef", "type": "i32", "init": [1, 20, 3]},
                           {"name": ")" +
          std::string(count) + R"(", "type": "u32", "init": {"constant": 5}}],
  "outputs": [{"array": "out"}, {"array": ")" +
          count + R"("}],
  "expected": {"out": [25, 0, 0, 0], ")" +
          count + R"(": [6]})");
    INFO(r.error());
    CHECK(r.run.passed());
    CHECK(r.run.verification->compared == 5);
  }
}

TEST_CASE("a variable without init keeps its module's contents") {
  Run r(R"("variables": [{"name": "count", "type": "i32"}, {"name": "coef", "type": "i32"}],
  "outputs": [{"array": "count"}], "expected": {"count": [8]})");
  INFO(r.error());
  CHECK(r.run.passed());
  CHECK(r.run.array<std::int32_t>("out")[0] == 7);
}

TEST_CASE("a constant that nobody gives a value is refused") {
  CHECK_THAT(Run("").error(),
             Catch::Contains("/launches/0/kernel: \"copy\" reads the constant \"coef\", which "
                             "neither the PTX nor the manifest gives a value"));
  Run zero(R"("variables": [{"name": "coef", "type": "i32", "init": "zero"}])");
  CHECK(zero.error().empty());
  CHECK(zero.run.array<std::int32_t>("out")[0] == 7);
}

TEST_CASE("mistakes in variables are named") {
  CHECK_THAT(Run(R"("variables": [{"name": "ceof", "type": "i32"}])").error(),
             Catch::Contains("m.json:4: /variables/0/name: ") &&
                 Catch::Contains("k.ptx has no module variable \"ceof\"; did you mean 'coef'? (it "
                                 "has: coef, ns::count)"));
  CHECK_THAT(
      Run(R"("variables": [{"name": "coef", "type": "f64"}])").error(),
      Catch::Contains("/variables/0/type: the variable \"coef\" has 12 bytes, which elements "
                      "of 8 bytes do not divide"));
  CHECK_THAT(Run(R"("variables": [{"name": "coef", "type": "i32", "init": [1, 2]}])").error(),
             Catch::Contains("/variables/0/init: expected 3 values, as many as \"coef\" has "
                             "elements, found 2"));
  CHECK_THAT(Run(R"("variables": [{"name": "coef", "type": "i32"}],
                    "outputs": [{"array": "coeff"}])")
                 .error(),
             Catch::Contains("/outputs/0/array: unknown array or variable \"coeff\"; did you mean "
                             "'coef'?"));
}

TEST_CASE("kernels have plain names where these are unique") {
  using tessera::kernels::find_symbols;
  const std::vector<std::string> all = {"_Z5scalePKfPffi",
                                        "_ZN2ns4moveEPi",
                                        "_Z4keepIfEvPT_y",
                                        "_Z4keepIdEvPT_y",
                                        "plain",
                                        "local@b",
                                        "_ZN12_GLOBAL__N_16hiddenEv",
                                        "_ZN2ns3runIfEEvPT_"};
  using Names = std::vector<std::string>;
  CHECK(find_symbols("scale", all) == Names{"_Z5scalePKfPffi"});
  CHECK(find_symbols("_Z5scalePKfPffi", all) == Names{"_Z5scalePKfPffi"});
  CHECK(find_symbols("move", all) == Names{"_ZN2ns4moveEPi"});
  CHECK(find_symbols("ns::move", all) == Names{"_ZN2ns4moveEPi"});
  CHECK(find_symbols("keep<float>", all) == Names{"_Z4keepIfEvPT_y"});
  CHECK(find_symbols("keep", all).size() == 2);
  CHECK(find_symbols("plain", all) == Names{"plain"});
  CHECK(find_symbols("local", all) == Names{"local@b"});
  CHECK(find_symbols("hidden", all) == Names{"_ZN12_GLOBAL__N_16hiddenEv"});
  for (const char* name : {"run", "ns::run", "run<float>", "ns::run<float>"}) {
    CHECK(find_symbols(name, all) == Names{"_ZN2ns3runIfEEvPT_"});
  }
  CHECK(find_symbols("scal", all).empty());
  CHECK(tessera::kernels::readable_name("_Z4keepIfEvPT_y") == "keep<float>");

  CHECK_THAT(Run("", "keep", R"("out", "out")").error(),
             Catch::Contains("/launches/0/kernel: the name \"keep\" is not unique in") &&
                 Catch::Contains("expected one of _Z4keepIfEvPT_y (void keep<float>(float*, "
                                 "unsigned long long)), _Z4keepIdEvPT_y"));
  CHECK(Run("", "keep<float>", R"("out", "out")").error().empty());
}

TEST_CASE("textures and surfaces become handles of the device") {
  Run r(R"("textures": [{"name": "tex", "array": "img", "width": 2, "height": 3, "channels": 2,
    "filter": "linear", "addressing": ["wrap", "border"], "normalized_coordinates": true,
    "border": [0.5, 1], "reference": "image"}],
  "surfaces": [{"name": "surf", "array": "img", "width": 2, "height": 2, "depth": 3}])",
        "keep<float>", R"("out", "surf")");
  INFO(r.error());
  REQUIRE(r.error().empty());
  auto& table = r.run.device.textures();
  REQUIRE(table.all().size() == 2);
  const tessera::TextureDescriptor& t = table.all()[0];
  CHECK(t.base == r.run.device.allocations().find("img")->begin);
  CHECK(t.dimensions == 2);
  CHECK(t.width == 2);
  CHECK(t.height == 3);
  CHECK(t.row_bytes == 16);
  CHECK(t.type == tessera::TexelType::kFloat);
  CHECK(t.filter == tessera::TextureFilter::kLinear);
  CHECK(t.addressing[0] == tessera::TextureAddressing::kWrap);
  CHECK(t.addressing[1] == tessera::TextureAddressing::kBorder);
  CHECK(t.normalized_coordinates);
  CHECK(t.border[1] == 1);
  CHECK(table.all()[1].dimensions == 3);
  CHECK(table.all()[1].slice_bytes == 16);
  CHECK(table.bound("image") == tessera::TextureTable::kFirstHandle);
  CHECK(r.run.array<std::uint64_t>("out")[0] == tessera::TextureTable::kFirstHandle + 1);
}

TEST_CASE("mistakes in textures are named") {
  const auto error = [](const std::string& more) {
    return Run(R"("textures": [{"name": "tex", "array": "img", "width": 3, )" + more + "}]")
        .error();
  };
  CHECK_THAT(error(R"("height": 3)"),
             Catch::Contains("/textures/0: \"tex\" needs 9 elements (width * height * depth * "
                             "layers * channels), but \"img\" has 12"));
  CHECK_THAT(error(R"("height": 4, "channels": 3)"), Catch::Contains("1, 2 or 4 channels"));
  CHECK_THAT(error(R"("height": 4, "filter": "liner")"), Catch::Contains("did you mean 'linear'?"));
  CHECK_THAT(error(R"("height": 4, "addressing": "wrap")"),
             Catch::Contains("/textures/0/addressing: \"wrap\" and \"mirror\" need"));
  CHECK_THAT(error(R"("height": 4, "normalized_read": true)"),
             Catch::Contains("/textures/0/normalized_read: only integers of 1 or 2 bytes"));
  CHECK_THAT(error(R"("height": 4, "reference": "imag")"),
             Catch::Contains("has no .texref \"imag\"; did you mean 'image'?"));
}

TEST_CASE("a manifest links several PTX files") {
  const ManifestFolder folder;
  folder.put("a.ptx", kHead + R"(
.extern .func (.param .b32 r) twice(.param .b32 x);
.extern .const .align 4 .b32 bias;
.visible .entry k(.param .u64 to)
{
  .reg .b32 %r<4>;
  .reg .b64 %rd<2>;
  .param .b32 x;
  .param .b32 r;
  ld.param.u64 %rd1, [to];
  ld.const.u32 %r1, [bias];
  st.param.b32 [x], %r1;
  call.uni (r), twice, (x);
  ld.param.b32 %r2, [r];
  st.global.u32 [%rd1], %r2;
  ret;
}
)");
  folder.put("b.ptx", kHead + R"(
.visible .const .align 4 .b32 bias = 4;
.visible .func (.param .b32 r) twice(.param .b32 x)
{
  .reg .b32 %r<3>;
  ld.param.b32 %r1, [x];
  add.s32 %r2, %r1, %r1;
  st.param.b32 [r], %r2;
  ret;
}
)");
  const auto manifest = [&folder](const std::string& ptx) {
    return folder.put("m.json", R"({"name": "m", "ptx": )" + ptx + R"(,
"arrays": [{"name": "out", "type": "i32", "count": 1}],
"variables": [{"name": "bias", "type": "i32"}],
"launches": [{"kernel": "k", "grid": 1, "block": 1, "arguments": ["out"]}],
"outputs": [{"array": "out"}], "expected": {"out": [8]}})");
  };
  ManifestRun both(manifest(R"(["a.ptx", "b.ptx"])"));
  INFO(both.error);
  CHECK(both.passed());
  ManifestRun alone(manifest(R"("a.ptx")"));
  CHECK_THAT(alone.error, Catch::Contains("/variables/0/name: ") &&
                              Catch::Contains("a.ptx:6: the variable 'bias' is .extern"));
}

}  // namespace tessera::manifest_symbols_test
