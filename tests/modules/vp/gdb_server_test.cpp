// SPDX-License-Identifier: Apache-2.0
#include "modules/vp/gdb_server.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cstdio>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

#include "modules/vp/riscv_registers.h"

namespace tessera::gdb_server_test {

namespace {

/// Two threads; 256 bytes of memory at 0x1000.
class Target final : public DebugTarget {
 public:
  static constexpr std::uint64_t kMemory = 0x1000;

  unsigned threads() const override { return 2; }
  std::string describe_thread(unsigned thread) override { return "core " + std::to_string(thread); }
  bool read_register(unsigned thread, unsigned number, std::uint64_t& value) override {
    if (number == 5) return false;
    value = registers[{thread, number}];
    return true;
  }
  bool write_register(unsigned thread, unsigned number, std::uint64_t value) override {
    if (number == 5) return false;
    registers[{thread, number}] = value;
    return true;
  }
  std::size_t read_memory(unsigned thread, std::uint64_t address, unsigned char* data,
                          std::size_t bytes) override {
    accessing = thread;
    if (address < kMemory || address >= kMemory + memory.size()) return 0;
    const std::size_t n = std::min<std::size_t>(bytes, kMemory + memory.size() - address);
    std::memcpy(data, memory.data() + (address - kMemory), n);
    return n;
  }
  bool write_memory(unsigned thread, std::uint64_t address, const unsigned char* data,
                    std::size_t bytes) override {
    accessing = thread;
    if (address < kMemory || address - kMemory + bytes > memory.size()) return false;
    std::memcpy(memory.data() + (address - kMemory), data, bytes);
    return true;
  }
  bool set_point(GdbPoint kind, std::uint64_t address, std::uint64_t bytes) override {
    points.push_back("+" + std::to_string(static_cast<int>(kind)) + " " + std::to_string(address) +
                     " " + std::to_string(bytes));
    return address != 0;
  }
  bool clear_point(GdbPoint kind, std::uint64_t address, std::uint64_t bytes) override {
    points.push_back("-" + std::to_string(static_cast<int>(kind)) + " " + std::to_string(address) +
                     " " + std::to_string(bytes));
    return true;
  }
  std::optional<std::string> command(const std::string& text) override {
    if (text == "time") return "5 ns\n";
    if (text == "silent") return "";
    return std::nullopt;
  }

  std::map<std::pair<unsigned, unsigned>, std::uint64_t> registers;
  std::array<unsigned char, 256> memory{};
  std::vector<std::string> points;
  unsigned accessing = 0;
};

std::string framed(const std::string& packet) {
  unsigned sum = 0;
  for (const char c : packet) sum += static_cast<unsigned char>(c);
  std::array<char, 4> text{};
  std::snprintf(text.data(), text.size(), "#%02x", sum & 0xff);
  return "$" + packet + text.data();
}

/// A debugger at the other end of a socket pair.
struct Bench {
  Bench() {
    std::array<int, 2> ends{};
    REQUIRE(socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) == 0);
    server.connect(ends[0]);
    client = ends[1];
  }
  ~Bench() {
    if (client >= 0) close(client);
  }
  void write(const std::string& bytes) const {
    REQUIRE(::send(client, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()));
  }
  std::string read() const {
    std::string all;
    std::array<char, 4096> part{};
    for (;;) {
      const ssize_t n = recv(client, part.data(), part.size(), MSG_DONTWAIT);
      if (n <= 0) return all;
      all.append(part.data(), static_cast<std::size_t>(n));
    }
  }
  /// What the server sends for the bytes, and then for a continue.
  std::string serve_bytes(const std::string& bytes, const GdbStop& stop = {}) {
    write(bytes + framed("c"));
    resume = server.serve(stop);
    std::string all = read();
    REQUIRE_FALSE(all.empty());
    REQUIRE(all.back() == '+');  // of the continue
    all.pop_back();
    return all;
  }
  /// The reply to a packet, without its frame.
  std::string reply(const std::string& packet, const GdbStop& stop = {}) {
    // Without acknowledgements a former stop's reply, if there is one, is before the packet's.
    const std::string all = serve_bytes(framed(packet), stop);
    const std::size_t at = all.find("+$");
    REQUIRE(at != std::string::npos);
    const std::string text = all.substr(at + 2, all.rfind('#') - at - 2);
    CHECK(all.substr(at + 1) == framed(text));
    return text;
  }
  /// How a packet resumes the threads.
  GdbResume resume_by(const std::string& packet, const GdbStop& stop = {}) {
    write(framed(packet));
    return server.serve(stop);
  }

  Target target;
  GdbServer server{target, "<target>" + std::string(40, '}') + "</target>"};
  GdbResume resume;
  int client = -1;
};

using Actions = std::vector<GdbAction>;
constexpr GdbAction kStop = GdbAction::kStop;
constexpr GdbAction kStep = GdbAction::kStep;
constexpr GdbAction kContinue = GdbAction::kContinue;

}  // namespace

TEST_CASE("GDB server: a packet is acknowledged and has a reply with its checksum") {
  Bench b;
  CHECK(b.serve_bytes("$qC#b4") == "+$QC1#c5");
  CHECK(b.resume.kind == GdbResume::Kind::kRun);
}

TEST_CASE("GDB server: a wrong checksum asks for the packet again") {
  Bench b;
  CHECK(b.serve_bytes("$qC#b5$qC#b4") == "-+$QC1#c5");
}

TEST_CASE("GDB server: a reply that the debugger has not understood is sent again") {
  Bench b;
  CHECK(b.serve_bytes("$qC#b4-") == "+$QC1#c5$QC1#c5");
}

TEST_CASE("GDB server: without acknowledgements there are none, and bad packets are errors") {
  Bench b;
  b.write(framed("QStartNoAckMode") + "+" + framed("qC") + "$qC#00" + framed("c"));
  b.server.serve({});
  CHECK(b.read() == "+$OK#9a$QC1#c5" + framed("E01"));
}

TEST_CASE("GDB server: a packet can come in parts, and after other bytes") {
  Bench b;
  b.write("+++\x03$q");
  bool first = true;
  b.server.cancelled = [&] {
    if (std::exchange(first, false)) b.write("C#b4" + framed("c"));
    return false;
  };
  b.server.serve({});
  CHECK(b.read() == "+$QC1#c5+");
}

TEST_CASE("GDB server: unknown packets have an empty reply") {
  Bench b;
  for (const char* packet : {"!", "qTStatus", "vMustReplyEmpty", "QNonStop:1", "Z9,1000,4", "Hx1",
                             "vFile:open", "R00"}) {
    INFO(packet);
    CHECK(b.reply(packet).empty());
  }
}

TEST_CASE("GDB server: malformed packets are errors") {
  Bench b;
  for (const char* packet : {"m1000",
                             "m1000,",
                             "m,4",
                             "mxyz,4",
                             "M1000,2:0",
                             "M1000,2:00",
                             "M1000,1:zz",
                             "X1000,2:a",
                             "p",
                             "pfffff",
                             "P1",
                             "P1=00",
                             "P1=00000000000000zz",
                             "G00",
                             "Z0,",
                             "Z2,1000,0",
                             "H",
                             "Hg3",
                             "T0",
                             "T3",
                             "vCont;x",
                             "vCont;c:9",
                             "vCont;",
                             "qThreadExtraInfo,9",
                             "qRcmd,0",
                             "qXfer:features:read:target.xml:0"}) {
    INFO(packet);
    CHECK(b.reply(packet) == "E01");
  }
}

TEST_CASE("GDB server: the reason of a stop") {
  Bench b;
  CHECK(b.reply("?") == "T05thread:1;");
  const auto text = [&](const GdbStop& stop) {
    b.read();
    b.write(framed("c"));
    b.server.serve(stop);  // the debugger waits since the last resume
    std::string all = b.read();
    return all.substr(0, all.size() - 1);
  };
  CHECK(text({2, GdbStop::kInterrupt, {}, 0}) == framed("T02thread:2;"));
  CHECK(text({2, GdbStop::kFault, {}, 0}) == framed("T0bthread:2;"));
  CHECK(text({1, GdbStop::kIllegal, {}, 0}) == framed("T04thread:1;"));
  CHECK(text({1, 5, GdbPoint::kSoftwareBreakpoint, 0x10}) == framed("T05swbreak:;thread:1;"));
  CHECK(text({1, 5, GdbPoint::kHardwareBreakpoint, 0x10}) == framed("T05hwbreak:;thread:1;"));
  CHECK(text({1, 5, GdbPoint::kWriteWatchpoint, 0xabc0}) == framed("T05watch:abc0;thread:1;"));
  CHECK(text({1, 5, GdbPoint::kReadWatchpoint, 0xabc0}) == framed("T05rwatch:abc0;thread:1;"));
  CHECK(text({1, 5, GdbPoint::kAccessWatchpoint, 0xabc0}) == framed("T05awatch:abc0;thread:1;"));
}

TEST_CASE("GDB server: features and the target description") {
  Bench b;
  const std::string features = b.reply("qSupported:multiprocess+;swbreak+;hwbreak+");
  for (const char* f : {"PacketSize=4000", "qXfer:features:read+", "vContSupported+",
                        "QStartNoAckMode+", "hwbreak+"}) {
    CHECK(features.find(f) != std::string::npos);
  }
  CHECK(b.reply("qXfer:features:read:target.xml:0,8") == "m<target>");
  // } is escaped: 0x7d 0x5d.
  CHECK(b.reply("qXfer:features:read:target.xml:7,3") == "m>}]}]");
  CHECK(b.reply("qXfer:features:read:target.xml:30,100") == "l</target>");
  CHECK(b.reply("qXfer:features:read:target.xml:39,100") == "l");
  CHECK(b.reply("qXfer:features:read:other.xml:0,8") == "E00");
}

TEST_CASE("GDB server: the description of a hart names each register once") {
  const std::string text = riscv_target_description();
  for (const char* name :
       {"zero", "sp", "t6", "pc", "ft0", "ft11", "fcsr", "mstatus", "satp", "mhartid", "priv"}) {
    const std::string quoted = "\"" + std::string(name) + "\"";
    CHECK(text.find(quoted) != std::string::npos);
    CHECK(text.find(quoted) == text.rfind(quoted));
  }
  CHECK(text.find("\"mepc\" bitsize=\"64\" regnum=\"898\"") != std::string::npos);
  CHECK(text.find("\"priv\" bitsize=\"64\" regnum=\"4161\"") != std::string::npos);
}

TEST_CASE("GDB server: registers have eight bytes, the lowest first") {
  Bench b;
  b.target.registers[{1, 10}] = 0x1122334455667788;
  b.target.registers[{1, RiscvRegister::kCsr0 + 0x300}] = 0x1800;
  CHECK(b.reply("pa") == "8877665544332211");
  CHECK(b.reply("p341") == "0018000000000000");
  CHECK(b.reply("p5") == "E01");
  CHECK(b.reply("Pb=0123456789abcdef") == "OK");
  CHECK(b.target.registers[{1, 11}] == 0xefcdab8967452301);
  CHECK(b.reply("P5=0000000000000000") == "E01");
}

TEST_CASE("GDB server: g and G have x0 to x31, pc and f0 to f31") {
  Bench b;
  b.target.registers[{1, 1}] = 0x11;
  b.target.registers[{1, 32}] = 0x80000000;
  b.target.registers[{1, 64}] = 0x22;
  std::string all = b.reply("g");
  REQUIRE(all.size() == 65 * 16);
  CHECK(all.substr(16, 16) == "1100000000000000");
  CHECK(all.substr(5 * 16, 16) == "xxxxxxxxxxxxxxxx");
  CHECK(all.substr(32 * 16, 16) == "0000008000000000");
  CHECK(all.substr(64 * 16, 16) == "2200000000000000");
  all.replace(5 * 16, 16, "0000000000000000");
  all.replace(2 * 16, 16, "4400000000000000");
  CHECK(b.reply("G" + all) == "E01");  // register 5 cannot be written
  CHECK(b.target.registers[{1, 2}] == 0x44);
}

TEST_CASE("GDB server: memory is read and written, in hexadecimal and in binary") {
  Bench b;
  CHECK(b.reply("M1010,4:deadbe00") == "OK");
  CHECK(b.reply("m1010,4") == "deadbe00");
  CHECK(b.reply("m10fe,4") == "0000");  // what can be read
  CHECK(b.reply("m2000,4") == "E01");
  CHECK(b.reply("m0,4") == "E01");
  CHECK(b.reply("M10ff,2:0000") == "E01");
  CHECK(b.reply("X1000,0:") == "OK");
  // 0x7d, 0x23, 0x24 and 0x03; the first three are escaped.
  CHECK(b.reply("X1020,4:}]}\x03}\x04\x03") == "OK");
  CHECK(b.reply("m1020,4") == "7d232403");
}

TEST_CASE("GDB server: a read longer than a packet gives what fits") {
  Bench b;
  CHECK(b.reply("m1000,ffffffffffffffff").size() == 512);
}

TEST_CASE("GDB server: threads") {
  Bench b;
  CHECK(b.reply("qfThreadInfo") == "m1,2");
  CHECK(b.reply("qsThreadInfo") == "l");
  CHECK(b.reply("qC", {2, 5, {}, 0}) == "QC2");
  CHECK(b.reply("T2") == "OK");
  CHECK(b.reply("qAttached") == "1");
  CHECK(b.reply("qThreadExtraInfo,2") == "636f72652032");
  b.target.registers[{2, 10}] = 2;
  CHECK(b.serve_bytes(framed("Hg2") + framed("pa")).find("0200000000000000") != std::string::npos);
  // A stop selects its thread.
  CHECK(b.reply("pa", {1, 5, {}, 0}) == "0000000000000000");
  CHECK(b.reply("pa", {2, 5, {}, 0}) == "0200000000000000");
  CHECK(b.serve_bytes(framed("Hg2") + framed("m1000,1")).size() > 2);
  CHECK(b.target.accessing == 2);
}

TEST_CASE("GDB server: points") {
  Bench b;
  CHECK(b.reply("Z0,80000010,2") == "OK");
  CHECK(b.reply("Z1,80000010,4") == "OK");
  CHECK(b.reply("Z2,1000,8") == "OK");
  CHECK(b.reply("Z3,1000,4") == "OK");
  CHECK(b.reply("z4,1000,1") == "OK");
  CHECK(b.reply("Z1,0,4") == "E01");  // the target refuses it
  CHECK(b.target.points == std::vector<std::string>{"+0 2147483664 2", "+1 2147483664 4",
                                                    "+2 4096 8", "+3 4096 4", "-4 4096 1",
                                                    "+1 0 4"});
}

TEST_CASE("GDB server: how threads resume") {
  Bench b;
  CHECK(b.resume_by("vCont;c").actions == Actions{kContinue, kContinue});
  CHECK(b.resume_by("vCont;s:2;c").actions == Actions{kContinue, kStep});
  CHECK(b.resume_by("vCont;s:1").actions == Actions{kStep, kStop});
  CHECK(b.resume_by("vCont;C05:2;S02:1").actions == Actions{kStep, kContinue});
  CHECK(b.resume_by("vCont;s:-1").actions == Actions{kStep, kStep});
  CHECK(b.resume_by("c").actions == Actions{kContinue, kContinue});
  CHECK(b.resume_by("s", {2, 5, {}, 0}).actions == Actions{kContinue, kStep});
  CHECK(b.resume_by("C05").actions == Actions{kContinue, kContinue});
  CHECK(b.resume_by("S05;80000000").actions == Actions{kStep, kContinue});
  CHECK(b.target.registers[{1, 32}] == 0x80000000);
  b.write(framed("Hc2"));
  CHECK(b.resume_by("s4000", {1, 5, {}, 0}).actions == Actions{kStop, kStep});
  CHECK(b.target.registers[{2, 32}] == 0x4000);
}

TEST_CASE("GDB server: a monitor command's output is for the console") {
  Bench b;
  CHECK(b.serve_bytes(framed("qRcmd,74696d65")) == "+" + framed("O35206e730a") + framed("OK"));
  CHECK(b.reply("qRcmd,73696c656e74") == "OK");
  CHECK(b.reply("qRcmd,78") == "E01");
}

TEST_CASE("GDB server: detach and kill end the connection") {
  for (const char* packet : {"D", "D;1"}) {
    Bench b;
    CHECK(b.resume_by(packet).kind == GdbResume::Kind::kDetach);
    CHECK(b.read() == "+" + framed("OK"));
    CHECK_FALSE(b.server.connected());
  }
  Bench k;
  CHECK(k.resume_by("k").kind == GdbResume::Kind::kKill);
  CHECK_FALSE(k.server.connected());
  Bench v;
  CHECK(v.resume_by("vKill;1").kind == GdbResume::Kind::kKill);
  CHECK(v.read() == "+" + framed("OK"));
}

TEST_CASE("GDB server: a lost connection is a detach") {
  Bench b;
  close(std::exchange(b.client, -1));
  CHECK(b.server.serve({}).kind == GdbResume::Kind::kDetach);
  CHECK_FALSE(b.server.connected());
  CHECK(b.server.serve({}).kind == GdbResume::Kind::kDetach);
}

TEST_CASE("GDB server: a stream that is no protocol is disconnected") {
  Bench b;
  b.write("$" + std::string(0x9000, 'a'));
  CHECK(b.server.serve({}).kind == GdbResume::Kind::kDetach);
  CHECK_FALSE(b.server.connected());
}

TEST_CASE("GDB server: the user can end a stop") {
  Bench b;
  b.server.cancelled = [] { return true; };
  CHECK(b.server.serve({}).kind == GdbResume::Kind::kKill);
}

TEST_CASE("GDB server: a break while the threads run") {
  Bench b;
  CHECK_FALSE(b.server.poll());
  b.resume_by("c");
  CHECK_FALSE(b.server.poll());
  b.write("+");
  CHECK_FALSE(b.server.poll());
  b.write("\x03");
  CHECK(b.server.poll());
  CHECK_FALSE(b.server.poll());
  b.write(framed("k"));
  CHECK(b.server.poll());
  CHECK(b.server.serve({}).kind == GdbResume::Kind::kKill);
}

TEST_CASE("GDB server: output and the exit status of software that runs") {
  Bench b;
  b.server.print("not while it is stopped");
  b.resume_by("c");
  b.read();
  b.server.print("hi");
  CHECK(b.read() == framed("O6869"));
  b.server.exit(0x1ff);
  CHECK(b.read() == framed("Wff"));
  CHECK_FALSE(b.server.connected());
}

}  // namespace tessera::gdb_server_test
