// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tessera {

/// Kinds of packets Z and z.
enum class GdbPoint : std::uint8_t {
  kSoftwareBreakpoint = 0,
  kHardwareBreakpoint = 1,
  kWriteWatchpoint = 2,
  kReadWatchpoint = 3,
  kAccessWatchpoint = 4,
};

/// Why all threads have stopped.
struct GdbStop {
  static constexpr unsigned kInterrupt = 2;  ///< SIGINT
  static constexpr unsigned kIllegal = 4;    ///< SIGILL
  static constexpr unsigned kTrap = 5;       ///< SIGTRAP
  static constexpr unsigned kFault = 11;     ///< SIGSEGV

  unsigned thread = 1;
  unsigned signal = kTrap;
  std::optional<GdbPoint> point;  ///< at which the thread has stopped
  std::uint64_t address = 0;      ///< of a watchpoint's access
};

enum class GdbAction : std::uint8_t { kStop, kStep, kContinue };

/// What the debugger has requested.
struct GdbResume {
  enum class Kind : std::uint8_t {
    kRun,
    kDetach,  ///< all threads continue, also after a lost connection
    kKill,
  };
  Kind kind = Kind::kRun;
  std::vector<GdbAction> actions;  ///< [n] of thread n + 1, if kRun
};

/// What a debugger sees: one process whose threads, numbered from 1, are the cores.
class DebugTarget {
 public:
  virtual ~DebugTarget() = default;
  virtual unsigned threads() const = 0;
  /// "core 1, waits for an interrupt".
  virtual std::string describe_thread(unsigned thread) = 0;
  /// Numbers: RiscvRegister. False: there is no such register, or it cannot be accessed now.
  virtual bool read_register(unsigned thread, unsigned number, std::uint64_t& value) = 0;
  virtual bool write_register(unsigned thread, unsigned number, std::uint64_t value) = 0;
  /// Virtual addresses, as the thread sees them. Returns the bytes that could be read.
  virtual std::size_t read_memory(unsigned thread, std::uint64_t address, unsigned char* data,
                                  std::size_t bytes) = 0;
  virtual bool write_memory(unsigned thread, std::uint64_t address, const unsigned char* data,
                            std::size_t bytes) = 0;
  /// A point that exists already can be set again. False: the kind is not supported.
  virtual bool set_point(GdbPoint kind, std::uint64_t address, std::uint64_t bytes) = 0;
  virtual bool clear_point(GdbPoint kind, std::uint64_t address, std::uint64_t bytes) = 0;
  /// Output of a command of the user ("monitor ..."); none if the command is unknown.
  virtual std::optional<std::string> command(const std::string& text) = 0;
};

/// The server's side of GDB's remote serial protocol (GDB manual, appendix E), in all-stop mode,
/// over a connected socket. A debugger can connect at any time, and again after it has detached.
///
/// The target calls serve() when its threads have stopped. Between such calls the threads run, and
/// poll() finds the debugger's break (^C).
///
/// Packets: ! is refused; ?, c, C, D, g, G, H, k, m, M, p, P, s, S, T, vCont, vKill, X, z and Z 0
/// to 4; qAttached, qC, qRcmd, qSupported, qThreadExtraInfo, qXfer:features:read, qfThreadInfo,
/// QStartNoAckMode. A packet that is not known has an empty reply.
class GdbServer {
 public:
  /// `description`: target.xml.
  GdbServer(DebugTarget& target, std::string description);
  ~GdbServer();
  GdbServer(const GdbServer&) = delete;
  GdbServer& operator=(const GdbServer&) = delete;

  /// Takes the connected socket. The debugger requests the stop's reason itself.
  void connect(int socket);
  bool connected() const { return socket_ >= 0; }
  /// True ends serve() with kKill. Looked at ten times a second. Can be empty.
  std::function<bool()> cancelled;

  /// Reports the stop, and serves the debugger until it resumes the threads. Without a debugger it
  /// returns kDetach.
  GdbResume serve(const GdbStop& stop);
  /// While the threads run. True: the debugger requests a stop, by a break or by a packet. A
  /// debugger that has closed the connection is disconnected.
  bool poll();
  /// Text for the debugger's console, while the threads run.
  void print(const std::string& text);
  /// The process has ended: W, and the connection ends.
  void exit(unsigned status);

 private:
  enum class Read : std::uint8_t { kPacket, kBad, kIncomplete };

  static constexpr std::size_t kPacketBytes = 0x4000;

  void disconnect();
  void receive(int timeout_ms);
  Read next_packet(std::string& packet);
  void send(const std::string& packet);
  void send_raw(const std::string& bytes);
  /// Empty: `resume_` is set.
  std::optional<std::string> handle(const std::string& packet);
  std::string handle_query(const std::string& packet);
  std::optional<std::string> handle_set(const std::string& packet);
  std::string handle_v(const std::string& packet);
  std::string handle_point(const std::string& packet);
  std::string handle_command(const std::string& text);
  std::string read_description(const std::string& range) const;
  std::string read_registers();
  std::string write_registers(const std::string& text);
  std::string read_register(const std::string& text);
  std::string write_register(const std::string& text);
  std::string read_memory(const std::string& text);
  std::string write_memory(const std::string& text, bool binary);
  std::string select_thread(const std::string& text);
  bool parse_continue(const std::string& text);
  void resume_one(const std::string& packet);
  std::string stop_reply() const;
  std::optional<unsigned> thread_of(const std::string& text) const;

  DebugTarget& target_;
  const std::string description_;
  int socket_ = -1;
  bool acknowledges_ = true;
  std::string input_;
  std::string last_sent_;
  bool running_ = false;  ///< the debugger waits for a stop
  GdbStop stop_;
  unsigned general_thread_ = 1;  ///< of g, m and their like
  unsigned resumed_thread_ = 0;  ///< of c and s; 0: all
  std::optional<GdbResume> resume_;
};

}  // namespace tessera
