// SPDX-License-Identifier: Apache-2.0
#include "platforms/signal_recording.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>

#include "common/error.h"
#include "common/json.h"
#include "modules/protocol/platform_interfaces.h"

namespace tessera::signal_recording_test {

namespace {

class Recorded final : public RecordsSignalsIf {
 public:
  explicit Recorded(std::string path, bool counts = false)
      : path_(std::move(path)), counts_(counts) {}
  const std::string& path() const override { return path_; }
  void record_waves(const std::string& name, Tick begin, Tick end) override {
    file = name;
    from = begin;
    until = end;
  }
  bool write_coverage(const std::string& name) override {
    if (counts_) std::ofstream(name) << "C '\001page\002v_line/top\001l\0027' 3\n";
    return counts_;
  }

  std::string file;
  Tick from = 0;
  Tick until = 0;

 private:
  const std::string path_;
  const bool counts_;
};

}  // namespace

TEST_CASE("signal recording: a pattern selects blocks, and times are nanoseconds") {
  Recorded a("system.gpu0.llc3");
  Recorded b("system.gpu0.llc30");
  Recorded c("system.gpu1.llc3");
  SignalRecording recording;
  recording.folder = "out";
  recording.waves = {"gpu?.llc3"};
  recording.from_ns = 5;
  begin_recording(recording, {&a, &b, &c});
  CHECK(a.file == "out/system.gpu0.llc3.fst");
  CHECK(a.from == 5 * kTicksPerNs);
  CHECK(a.until == kNever);
  CHECK(b.file.empty());
  CHECK(c.file == "out/system.gpu1.llc3.fst");
}

TEST_CASE("signal recording: coverage that nothing counts is refused before the run") {
  Recorded a("system.gpu0.llc3");
  SignalRecording recording;
  recording.coverage = true;
  CHECK_THROWS_WITH(begin_recording(recording, {&a}),
                    Catch::Contains("system.gpu0.llc3 counts no coverage"));
  CHECK_THROWS_WITH(begin_recording(recording, {}), Catch::Contains("no block of this platform"));
}

TEST_CASE("signal recording: coverage is written and counted by type") {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / ("coverage_" + std::to_string(getpid()));
  fs::create_directories(folder);
  Recorded a("system.gpu0.llc3", true);
  SignalRecording recording;
  recording.coverage = true;
  recording.folder = folder.string();
  begin_recording(recording, {&a});
  const auto result = end_recording(recording, {&a});
  CHECK(result[0]["block"] == "system.gpu0.llc3");
  CHECK(result[0]["coverage"]["line"]["points"] == 1);
  CHECK(result[0]["coverage"]["line"]["hit"] == 1);

  const std::string file = (folder / "all.dat").string();
  std::ofstream(file) << "# SystemC::Coverage-3\n"
                      << "C '\001f\002a.sv\001l\0021\001page\002v_line/a\001h\002TOP.a' 0\n"
                      << "C '\001f\002a.sv\001l\0022\001page\002v_branch/a\001h\002TOP.a' 12\n"
                      << "C '\001f\002a.sv\001l\0023\001page\002v_toggle/a\001h\002TOP.a' 10\n"
                      << "C '\001f\002a.sv\001l\0023\001page\002v_toggle/a\001h\002TOP.b' 0\n";
  const auto counted = coverage_of(file);
  CHECK(counted["line"]["points"] == 2);
  CHECK(counted["line"]["hit"] == 1);
  CHECK(counted["toggle"]["points"] == 2);
  CHECK(counted["toggle"]["hit"] == 1);
  fs::remove_all(folder);
}

}  // namespace tessera::signal_recording_test
