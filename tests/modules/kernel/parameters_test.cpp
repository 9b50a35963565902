// SPDX-License-Identifier: Apache-2.0
#include "modules/kernel/parameters.h"

#include <catch2/catch.hpp>
#include <random>
#include <string>

#include "common/error.h"
#include "common/json.h"
#include "common/located_json.h"

namespace tessera::parameters_test {

namespace {

enum class Policy { kLru, kRandom };

struct Config {
  std::uint32_t sets = 48;
  std::uint8_t small = 1;
  std::uint64_t huge = 0;
  double ratio = 0.5;
  bool enabled = false;
  std::string name = "none";
  std::string map = "pae";
  Policy policy = Policy::kLru;
};

void describe(ParameterVisitor& v, Config& c) {
  v.integer("seed", c.huge, "", "random seed", 0, ~std::uint64_t{0});
  v.enter("llc", "last-level cache");
  v.integer("sets", c.sets, "set", "sets of a slice", 1, 4096);
  v.integer("small", c.small, "", "a field of one byte", 0, 100'000);
  v.enter("deep", "a group within");
  v.real("ratio", c.ratio, "1", "share", 0, 1);
  v.flag("enabled", c.enabled, "whether at all");
  v.leave();
  v.text("name", c.name, "free text");
  v.text("map", c.map, "one of a list", {"pae", "fixed-channel"});
  v.choice("policy", c.policy, "replacement", {{"lru", Policy::kLru}, {"random", Policy::kRandom}});
  v.leave();
}

/// The configuration that a file and --set arguments make; throws what the reader throws.
Config read(const std::string& text, const std::vector<std::string>& arguments = {}) {
  std::vector<ParameterSetting> settings =
      settings_from(parse_located_json(text, "p.json"), {"base"});
  for (const std::string& a : arguments) settings.push_back(setting_from_argument(a));
  Config c;
  ParameterReader reader(std::move(settings));
  describe(reader, c);
  reader.throw_if_failed();
  return c;
}

std::string error_of(const std::string& text, const std::vector<std::string>& arguments = {}) {
  try {
    read(text, arguments);
  } catch (const InputError& e) {
    return e.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("every kind of parameter is read, and what is not named keeps its default") {
  const Config c = read(R"({"base": "x", "seed": 18446744073709551615,
      "llc": {"sets": 64, "small": 2e1, "deep": {"ratio": 0.25, "enabled": true},
              "name": "a b", "map": "fixed-channel", "policy": "random"}})");
  CHECK(c.huge == ~std::uint64_t{0});
  CHECK(c.sets == 64);
  CHECK(c.small == 20);
  CHECK(c.ratio == 0.25);
  CHECK(c.enabled);
  CHECK(c.name == "a b");
  CHECK(c.map == "fixed-channel");
  CHECK(c.policy == Policy::kRandom);
  const Config d = read("{}");
  CHECK(d.sets == 48);
  CHECK(d.policy == Policy::kLru);
  CHECK(d.map == "pae");
}

TEST_CASE("an unknown name is refused with its line and the nearest known name") {
  CHECK(error_of("{\n\"llc\": {\n\"stes\": 3}}") ==
        "p.json:3: llc.stes: no such parameter; did you mean 'llc.sets'?");
  CHECK(error_of("{\"llc\": {\"qqqqqqqqqqqq\": 3}}") ==
        "p.json:1: llc.qqqqqqqqqqqq: no such parameter");
  CHECK(error_of("{}", {"llc.polcy=lru"}) ==
        "--set: llc.polcy: no such parameter; did you mean 'llc.policy'?");
  CHECK(error_of("{\"basis\": 1}") == "p.json:1: basis: no such parameter");
}

TEST_CASE("a group is no parameter, and an empty group has a known name") {
  CHECK(error_of("{\"llc\": 3}") ==
        "p.json:1: llc: a group of parameters, not one of them: llc.sets, llc.small, "
        "llc.deep.ratio, llc.deep.enabled, llc.name, llc.map, llc.policy");
  CHECK(error_of("{}", {"LLC.deep=true"}) ==
        "--set: LLC.deep: a group of parameters, not one of them: llc.deep.ratio, "
        "llc.deep.enabled");
  CHECK(error_of("{\"llc\": {}}") == "no error");
  CHECK(error_of("{\"llc\": {\"deep\": {}}}") == "no error");
  CHECK(error_of("{\"lcl\": {}}") ==
        "p.json:1: lcl: no such parameter; did you mean the group 'llc'?");
  CHECK(error_of("{\"llc\": {\"sets\": {}}}") ==
        "p.json:1: llc.sets: {} is not a whole number from 1 to 4096 sets");
}

TEST_CASE("a number out of its range is refused") {
  CHECK(error_of("{\"llc\": {\"sets\": 0}}") ==
        "p.json:1: llc.sets: 0 is not a whole number from 1 to 4096 sets");
  CHECK(error_of("{\"llc\": {\"sets\": 4096}}") == "no error");
  CHECK(error_of("{\"llc\": {\"sets\": 4097}}") ==
        "p.json:1: llc.sets: 4097 is not a whole number from 1 to 4096 sets");
  CHECK(error_of("{\"llc\": {\"deep\": {\"ratio\": 1.5}}}") ==
        "p.json:1: llc.deep.ratio: 1.5 is not a number from 0 to 1 1");
  CHECK(error_of("{\"llc\": {\"sets\": -1}}") ==
        "p.json:1: llc.sets: -1 is not a whole number from 1 to 4096 sets");
  CHECK(error_of("{\"llc\": {\"sets\": 1.5}}") ==
        "p.json:1: llc.sets: 1.5 is not a whole number from 1 to 4096 sets");
}

TEST_CASE("a range is never wider than its field") {
  CHECK(error_of("{\"llc\": {\"small\": 256}}") ==
        "p.json:1: llc.small: 256 is not a whole number from 0 to 255");
  CHECK(read("{\"llc\": {\"small\": 255}}").small == 255);
}

TEST_CASE("a value of another type is refused") {
  CHECK(error_of("{\"llc\": {\"sets\": \"64\"}}") ==
        "p.json:1: llc.sets: \"64\" is not a whole number from 1 to 4096 sets");
  CHECK(error_of("{\"llc\": {\"sets\": null}}") ==
        "p.json:1: llc.sets: null is not a whole number from 1 to 4096 sets");
  CHECK(error_of("{\"llc\": {\"sets\": [1]}}") ==
        "p.json:1: llc.sets: [1] is not a whole number from 1 to 4096 sets");
  CHECK(error_of("{\"llc\": {\"deep\": {\"ratio\": true}}}") ==
        "p.json:1: llc.deep.ratio: true is not a number from 0 to 1 1");
  CHECK(error_of("{\"llc\": {\"deep\": {\"enabled\": 1}}}") ==
        "p.json:1: llc.deep.enabled: 1 is not true or false");
  CHECK(error_of("{\"llc\": {\"name\": 1}}") == "p.json:1: llc.name: 1 is not a text");
}

TEST_CASE("a text outside its choices is refused with the nearest one") {
  CHECK(error_of("{\"llc\": {\"map\": \"pea\"}}") ==
        "p.json:1: llc.map: 'pea' is not one of pae, fixed-channel; did you mean 'pae'?");
  CHECK(error_of("{\"llc\": {\"policy\": \"fifo\"}}") ==
        "p.json:1: llc.policy: 'fifo' is not one of lru, random");
}

TEST_CASE("all errors come at once, in the order of the description, unknown names last") {
  CHECK(error_of("{\n\"llc\": {\"nmae\": 1,\n\"map\": \"x\",\n\"sets\": 0}}") ==
        "p.json:4: llc.sets: 0 is not a whole number from 1 to 4096 sets\n"
        "p.json:3: llc.map: 'x' is not one of pae, fixed-channel\n"
        "p.json:2: llc.nmae: no such parameter; did you mean 'llc.name'?");
}

TEST_CASE("the last source that sets a parameter wins") {
  CHECK(read("{\"llc\": {\"sets\": 3}}", {"llc.sets=4"}).sets == 4);
  CHECK(read("{\"llc\": {\"sets\": 0}}", {"llc.sets=4"}).sets == 4);
  CHECK(error_of("{\"llc\": {\"sets\": 3}}", {"llc.sets=x"}) ==
        "--set: llc.sets: \"x\" is not a whole number from 1 to 4096 sets");
}

TEST_CASE("a source that sets a parameter twice is refused, also with one value") {
  CHECK(error_of("{}", {"llc.sets=4", "seed=1", "llc.sets=5"}) ==
        "--set: llc.sets: set here for the second time, to 5; the first is 4");
  CHECK(error_of("{}", {"llc.name=a", "llc.name=a"}) ==
        "--set: llc.name: set here for the second time, to \"a\"; the first is \"a\"");
  CHECK(error_of("{\"llc.sets\": 5,\n\"llc\": {\"sets\": 3}}") ==
        "p.json:2: llc.sets: set here for the second time, to 3; the first is 5 (p.json:1)");
  // Also where another source decides.
  CHECK(error_of("{\"llc.sets\": 5,\n\"llc\": {\"sets\": 3}}", {"llc.sets=4"}) ==
        "p.json:2: llc.sets: set here for the second time, to 3; the first is 5 (p.json:1)");
}

TEST_CASE("upper case in a name is found, and refused with the right name") {
  CHECK(error_of("{}", {"LLC.sets=1"}) ==
        "--set: LLC.sets: no such parameter; did you mean 'llc.sets'?");
  CHECK(error_of("{}", {"SETS=1"}) == "--set: SETS: no such parameter; did you mean 'llc.sets'?");
  CHECK(error_of("{}", {"llc.Seed=1"}) ==
        "--set: llc.Seed: no such parameter; did you mean 'seed'?");
}

TEST_CASE("a name that a group and a parameter end in is the one that takes the value") {
  struct Two {
    std::string way = "a";
    std::uint32_t depth = 1;
  } c;
  const auto error = [&c](const char* argument) -> std::string {
    ParameterReader reader({setting_from_argument(argument)});
    reader.enter("system", "");
    reader.text("way", c.way, "", {"alpha", "beta"});
    reader.leave();
    reader.enter("way", "");
    reader.integer("depth", c.depth, "", "", 0, 9);
    reader.leave();
    try {
      reader.throw_if_failed();
    } catch (const InputError& e) {
      return e.what();
    }
    return "no error";
  };
  const std::string group = "--set: way: a group of parameters, not one of them: way.depth";
  CHECK(error("way=4") == group);
  CHECK(error("way=true") == group);
  CHECK(error("way=unlike") == group);
  CHECK(error("way=alhpa") == "--set: way: no such parameter; did you mean 'system.way'?");
}

TEST_CASE("a group of many parameters is reported by its first ones and their number") {
  std::vector<std::uint32_t> fields(10, 1);
  ParameterReader reader({setting_from_argument("g=1")});
  reader.enter("g", "");
  for (std::size_t i = 0; i < fields.size(); ++i) {
    reader.integer("p" + std::to_string(i), fields[i], "", "", 0, 9);
  }
  reader.leave();
  CHECK_THROWS_WITH(reader.throw_if_failed(),
                    "--set: g: a group of parameters, not one of them: g.p0, g.p1, g.p2, g.p3, "
                    "g.p4, g.p5, g.p6, g.p7 and 2 more (tessera list parameters)");
}

TEST_CASE("a number can have a suffix that fits the parameter's unit") {
  struct Units {
    std::uint64_t bytes = 0;
    std::uint64_t clock = 0;
    std::uint32_t sets = 1;
    double pace = 0;
  } c;
  const auto visit = [&c](ParameterVisitor& v) {
    v.integer("bytes", c.bytes, "byte", "", 0, 1 << 20);
    v.integer("clock", c.clock, "Hz", "", 1, 1'000'000'000'000);
    v.integer("sets", c.sets, "set", "", 1, 4096);
    v.real("pace", c.pace, "GB/s", "", 0, 1000);
  };
  const auto read_units = [&visit](const std::vector<std::string>& arguments) -> std::string {
    std::vector<ParameterSetting> settings;
    for (const std::string& a : arguments) settings.push_back(setting_from_argument(a));
    ParameterReader reader(std::move(settings));
    visit(reader);
    try {
      reader.throw_if_failed();
    } catch (const InputError& e) {
      return e.what();
    }
    return "no error";
  };
  CHECK(read_units({"bytes=64K", "clock=1.4GHz", "sets=16 sets", "pace=0.72TB/s"}) == "no error");
  CHECK(c.bytes == 65536);
  CHECK(c.clock == 1'400'000'000);
  CHECK(c.sets == 16);
  CHECK(c.pace == 720);
  CHECK(read_units({"bytes=2M"}) ==
        "--set: bytes: \"2M\" is not a whole number from 0 to 1048576 bytes; it is 2097152");
  CHECK(read_units({"bytes=1.1K"}) ==
        "--set: bytes: \"1.1K\" is not a whole number from 0 to 1048576 bytes; it is 1126.4");
  CHECK(read_units({"clock=1.4GB"}) ==
        "--set: clock: \"1.4GB\" is not a whole number from 1 to 1000000000000 Hz; 'GB' is no "
        "suffix of Hz, which take kHz, MHz, GHz, THz (powers of 1000)");
  CHECK(read_units({"sets=4K"}) ==
        "--set: sets: \"4K\" is not a whole number from 1 to 4096 sets; 'K' is no suffix of sets");
  CHECK(read_units({"pace=2TB/s"}) ==
        "--set: pace: \"2TB/s\" is not a number from 0 to 1000 GB/s; it is 2000.0");
  CHECK(read_units({"bytes=-64K"}) ==
        "--set: bytes: \"-64K\" is not a whole number from 0 to 1048576 bytes");
  ParameterLister lister;
  visit(lister);
  CHECK(in_unit(lister.parameters()[0], "1K") == 1024);
  CHECK(in_unit(lister.parameters()[0], 5) == 5);
  CHECK(in_unit(lister.parameters()[0], "1 GHz") == "1 GHz");
  CHECK(in_unit(lister.parameters()[3], "500MB/s") == 0.5);
}

TEST_CASE("an argument of --set is JSON, or text") {
  CHECK(setting_from_argument("a.b=3").value == 3);
  CHECK(setting_from_argument("a.b=3").path == "a.b");
  CHECK(setting_from_argument("a.b=3").origin == "--set");
  CHECK(setting_from_argument("a=true").value == true);
  CHECK(setting_from_argument("a=\"3\"").value == "3");
  CHECK(setting_from_argument("a=first-touch").value == "first-touch");
  CHECK(setting_from_argument("a=b=c").value == "b=c");
  CHECK(setting_from_argument("a=").value == "");
  CHECK(setting_from_argument("a=1e999").value == "1e999");
  CHECK_THROWS_WITH(setting_from_argument("a"), "--set a: expected PATH=VALUE");
  CHECK_THROWS_WITH(setting_from_argument("=3"), "--set =3: expected PATH=VALUE");
  CHECK_THROWS_AS(setting_from_argument("a=\xFF"), InputError);
}

TEST_CASE("values made by a program are read like those of a file") {
  Config c;
  ParameterReader reader(
      {{"llc.sets", nlohmann::json(64), "program"}, {"llc.small", nlohmann::json(3U), "program"}});
  describe(reader, c);
  reader.throw_if_failed();
  CHECK(c.sets == 64);
  CHECK(c.small == 3);
  ParameterReader negative({{"llc.sets", -64, "program"}});
  describe(negative, c);
  CHECK_THROWS_AS(negative.throw_if_failed(), InputError);
}

TEST_CASE("parameters must be an object") {
  CHECK(error_of("[]") == "p.json:1: expected a JSON object of parameters");
  CHECK(error_of("3") == "p.json:1: expected a JSON object of parameters");
}

TEST_CASE("a listed configuration reads back as itself") {
  Config c;
  c.sets = 77;
  c.huge = 9'007'199'254'740'993;  // not a double
  c.ratio = 0.1;
  c.enabled = true;
  c.name = "x \"y\" / ~";
  c.map = "fixed-channel";
  c.policy = Policy::kRandom;
  ParameterLister lister;
  describe(lister, c);
  const Config d = read(lister.to_json().dump(1));
  CHECK(d.sets == 77);
  CHECK(d.huge == 9'007'199'254'740'993);
  CHECK(d.ratio == 0.1);
  CHECK(d.enabled);
  CHECK(d.name == c.name);
  CHECK(d.map == c.map);
  CHECK(d.policy == Policy::kRandom);

  REQUIRE(lister.parameters().size() == 8);
  const ListedParameter& sets = lister.parameters()[1];
  CHECK(sets.info.name == "llc.sets");
  CHECK(sets.info.unit == "set");
  CHECK(sets.info.description == "sets of a slice");
  CHECK(sets.info.min == 1);
  CHECK(sets.info.max == 4096);
  CHECK(sets.kind == "integer");
  CHECK(sets.value == 77);
  CHECK(lister.parameters()[3].info.name == "llc.deep.ratio");
  CHECK(lister.parameters()[3].kind == "real");
  CHECK(lister.parameters()[4].kind == "flag");
  CHECK(lister.parameters()[7].kind == "text");
  CHECK(lister.parameters()[7].info.choices == std::vector<std::string>{"lru", "random"});
  CHECK(lister.parameters()[7].value == "random");
  // Listing changes nothing.
  CHECK(c.sets == 77);
}

TEST_CASE("mutated parameter files give a configuration or an InputError, never anything else") {
  const std::string seed_text = R"({"base": "nuba", "seed": 12,
 "llc": {"sets": 64, "small": 7, "deep": {"ratio": 0.25, "enabled": true},
         "name": "text", "map": "fixed-channel", "policy": "random"}})";
  const std::vector<std::string> word_mask = {"{",        "}",         "[",
                                              "]",        ",",         ":",
                                              "\"",       "null",      "-1",
                                              "1e99",     "1e999",     "0.5",
                                              "true",     "\\u00e9",   "\\ud800",
                                              "\"llc\"",  "\"sets\":", "\n",
                                              "\xff",     "\xc3",      "99999999999999999999",
                                              "-0",       "{}",        "\"llc.sets\": 3,",
                                              "\"\": 1,", "\t"};
  std::mt19937_64 random(99);
  unsigned good = 0;
  unsigned bad = 0;
  const auto attempt = [&](const std::string& text, const std::vector<std::string>& arguments) {
    try {
      read(text, arguments);
      ++good;
    } catch (const InputError& e) {
      ++bad;
      if (std::string(e.what()).empty()) FAIL("an error without words for: " << text);
    } catch (const std::exception& e) {
      FAIL("not an InputError: " << e.what() << " for: " << text);
    }
  };
  for (int i = 0; i < 20'000; ++i) {
    std::string text = seed_text;
    const unsigned changes = 1 + random() % 4;
    for (unsigned k = 0; k < changes && !text.empty(); ++k) {
      const std::size_t at = random() % text.size();
      const std::size_t length = random() % std::min<std::size_t>(12, text.size() - at + 1);
      switch (random() % 5) {
        case 0:
          text[at] = static_cast<char>(random());
          break;
        case 1:
          text.erase(at, length);
          break;
        case 2:
          text.insert(at, word_mask[random() % word_mask.size()]);
          break;
        case 3:
          text.insert(random() % text.size(), text.substr(at, length));
          break;
        default:
          text.replace(at, length, word_mask[random() % word_mask.size()]);
          break;
      }
    }
    std::vector<std::string> arguments;
    if (random() % 4 == 0) {
      std::string a = "llc.sets=64";
      a[random() % a.size()] = static_cast<char>(random());
      arguments.push_back(a);
    }
    attempt(text, arguments);
  }
  // Both ways have been seen, so that neither is vacuous.
  CHECK(good > 200);
  CHECK(bad > 5'000);
}

}  // namespace tessera::parameters_test
