// SPDX-License-Identifier: Apache-2.0
#include "modules/vp/gdb_server.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>
#include <utility>

#include "common/hex_bytes.h"
#include "common/text.h"
#include "modules/vp/gdb_packet.h"
#include "modules/vp/riscv_registers.h"

namespace tessera {

namespace {

constexpr const char* kError = "E01";
constexpr const char* kOk = "OK";
constexpr char kBreak = 0x03;

const char* watch_reason(GdbPoint point) {
  switch (point) {
    case GdbPoint::kWriteWatchpoint:
      return "watch";
    case GdbPoint::kReadWatchpoint:
      return "rwatch";
    case GdbPoint::kAccessWatchpoint:
      return "awatch";
    case GdbPoint::kSoftwareBreakpoint:
    case GdbPoint::kHardwareBreakpoint:
      break;
  }
  return nullptr;
}

}  // namespace

GdbServer::GdbServer(DebugTarget& target, std::string description)
    : target_(target), description_(std::move(description)) {}

GdbServer::~GdbServer() { disconnect(); }

// The connection.

void GdbServer::connect(int socket) {
  disconnect();
  socket_ = socket;
  acknowledges_ = true;
  running_ = false;
  input_.clear();
  general_thread_ = 1;
  resumed_thread_ = 0;
}

void GdbServer::disconnect() {
  if (socket_ >= 0) close(socket_);
  socket_ = -1;
}

/// Appends what has come to `input_`, or disconnects.
void GdbServer::receive(int timeout_ms) {
  pollfd file{socket_, POLLIN, 0};
  if (::poll(&file, 1, timeout_ms) <= 0) return;
  std::array<char, 4096> buffer{};
  const ssize_t n = recv(socket_, buffer.data(), buffer.size(), MSG_DONTWAIT);
  if (n > 0) {
    input_.append(buffer.data(), static_cast<std::size_t>(n));
  } else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
    disconnect();
  }
}

/// Takes a packet from `input_`. Outside of packets there are acknowledgements, and breaks, which
/// have no effect while the threads are stopped.
GdbServer::Read GdbServer::next_packet(std::string& packet) {
  while (!input_.empty() && input_[0] != '$') {
    if (input_[0] == '-' && acknowledges_) send_raw(last_sent_);
    input_.erase(0, 1);
  }
  const std::size_t end = input_.find('#');
  if (end == std::string::npos || input_.size() < end + 3) {
    if (input_.size() > 2 * kPacketBytes) disconnect();  // not a debugger
    return Read::kIncomplete;
  }
  packet = input_.substr(1, end - 1);
  const auto sum = gdb::number(std::string_view(input_).substr(end + 1, 2));
  input_.erase(0, end + 3);
  if (sum == gdb::checksum(packet)) {
    if (acknowledges_) send_raw("+");
    return Read::kPacket;
  }
  if (acknowledges_) {
    send_raw("-");
  } else {
    send(kError);
  }
  return Read::kBad;
}

void GdbServer::send_raw(const std::string& bytes) {
  std::size_t sent = 0;
  while (connected() && sent < bytes.size()) {
    const ssize_t n = ::send(socket_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (n > 0) {
      sent += static_cast<std::size_t>(n);
    } else if (errno != EINTR) {
      disconnect();
    }
  }
}

void GdbServer::send(const std::string& packet) {
  last_sent_ = "$" + packet + "#" + gdb::byte(gdb::checksum(packet));
  send_raw(last_sent_);
}

bool GdbServer::poll() {
  if (!connected()) return false;
  receive(0);
  const std::size_t at = input_.find_first_of("\x03$");
  if (at == std::string::npos) return false;
  input_.erase(0, input_[at] == kBreak ? at + 1 : at);
  return true;
}

void GdbServer::print(const std::string& text) {
  if (running_) send("O" + gdb::text_in_hex(text));
}

void GdbServer::exit(unsigned status) {
  if (!connected()) return;
  if (running_) send("W" + gdb::byte(status & 0xff));
  disconnect();
}

GdbResume GdbServer::serve(const GdbStop& stop) {
  stop_ = stop;
  general_thread_ = stop.thread;
  resume_.reset();
  if (std::exchange(running_, false)) send(stop_reply());
  while (connected() && !resume_) {
    std::string packet;
    const Read read = next_packet(packet);
    if (read == Read::kPacket) {
      const auto reply = handle(packet);
      if (reply) send(*reply);
    } else if (read == Read::kIncomplete && connected()) {
      receive(100);
      if (cancelled && cancelled()) return {GdbResume::Kind::kKill, {}};
    }
  }
  GdbResume resume{GdbResume::Kind::kDetach, {}};
  if (resume_) resume = *resume_;
  running_ = resume.kind == GdbResume::Kind::kRun;
  if (!running_) disconnect();
  return resume;
}

// Packets.

std::optional<std::string> GdbServer::handle(const std::string& packet) {
  if (packet.empty()) return "";
  const std::string rest = packet.substr(1);
  switch (packet[0]) {
    case '?':
      return stop_reply();
    case 'c':
    case 'C':
    case 's':
    case 'S':
      resume_one(packet);
      return std::nullopt;
    case 'D':
      send(kOk);
      resume_ = GdbResume{GdbResume::Kind::kDetach, {}};
      return std::nullopt;
    case 'k':
      resume_ = GdbResume{GdbResume::Kind::kKill, {}};
      return std::nullopt;
    case 'g':
      return read_registers();
    case 'G':
      return write_registers(rest);
    case 'H':
      return select_thread(rest);
    case 'm':
      return read_memory(rest);
    case 'M':
      return write_memory(rest, false);
    case 'X':
      return write_memory(rest, true);
    case 'p':
      return read_register(rest);
    case 'P':
      return write_register(rest);
    case 'q':
      return handle_query(packet);
    case 'Q':
      return handle_set(packet);
    case 'T':
      return thread_of(rest).value_or(0) != 0 ? kOk : kError;
    case 'v': {
      const std::string reply = handle_v(packet);
      if (resume_ && resume_->kind == GdbResume::Kind::kRun) return std::nullopt;
      return reply;
    }
    case 'z':
    case 'Z':
      return handle_point(packet);
    default:
      return "";
  }
}

std::string GdbServer::stop_reply() const {
  std::string text = "T" + gdb::byte(stop_.signal);
  if (stop_.point) {
    if (const char* const watch = watch_reason(*stop_.point)) {
      text += std::string(watch) + ":" + gdb::number_text(stop_.address) + ";";
    } else {
      text += *stop_.point == GdbPoint::kHardwareBreakpoint ? "hwbreak:;" : "swbreak:;";
    }
  }
  return text + "thread:" + gdb::number_text(stop_.thread) + ";";
}

/// A thread's number; 0 for any or all. None: there is no such thread.
std::optional<unsigned> GdbServer::thread_of(const std::string& text) const {
  if (text == "-1" || text == "0") return 0;
  const auto n = gdb::number(text);
  if (!n || *n > target_.threads()) return std::nullopt;
  return static_cast<unsigned>(*n);
}

std::string GdbServer::select_thread(const std::string& text) {
  if (text.empty()) return kError;
  const auto thread = thread_of(text.substr(1));
  if (!thread) return kError;
  if (text[0] == 'c') {
    resumed_thread_ = *thread;
  } else if (text[0] == 'g') {
    general_thread_ = *thread == 0 ? stop_.thread : *thread;
  } else {
    return "";
  }
  return kOk;
}

// Execution.

/// c, s, C and S: [signal] [;address].
void GdbServer::resume_one(const std::string& packet) {
  const bool steps = packet[0] == 's' || packet[0] == 'S';
  const bool has_signal = packet[0] == 'C' || packet[0] == 'S';
  const std::size_t address_at = has_signal ? packet.find(';') : 0;
  const unsigned thread = resumed_thread_ == 0 ? stop_.thread : resumed_thread_;
  if (address_at != std::string::npos && address_at + 1 < packet.size()) {
    const auto address = gdb::number(std::string_view(packet).substr(address_at + 1));
    if (!address || !target_.write_register(thread, RiscvRegister::kPc, *address)) {
      send(kError);
      return;
    }
  }
  const bool others = resumed_thread_ == 0;
  GdbResume resume;
  resume.actions.assign(target_.threads(), others ? GdbAction::kContinue : GdbAction::kStop);
  resume.actions[thread - 1] = steps ? GdbAction::kStep : GdbAction::kContinue;
  resume_ = resume;
}

/// Of "vCont;c:1;s:2;c": a thread does the first action that names it, or all.
bool GdbServer::parse_continue(const std::string& text) {
  GdbResume resume;
  resume.actions.assign(target_.threads(), GdbAction::kStop);
  std::vector<bool> chosen(target_.threads());
  for (const std::string& action : gdb::split(text, ';')) {
    const std::size_t colon = action.find(':');
    const std::string what = action.substr(0, colon);
    GdbAction does = GdbAction::kStop;
    if (what == "c" || (begins_with(what, "C") && gdb::number(what.substr(1)))) {
      does = GdbAction::kContinue;
    } else if (what == "s" || (begins_with(what, "S") && gdb::number(what.substr(1)))) {
      does = GdbAction::kStep;
    } else {
      return false;
    }
    const auto thread = colon == std::string::npos ? std::optional<unsigned>(0)
                                                   : thread_of(action.substr(colon + 1));
    if (!thread) return false;
    for (unsigned t = 0; t < chosen.size(); ++t) {
      if (chosen[t] || (*thread != 0 && *thread != t + 1)) continue;
      chosen[t] = true;
      resume.actions[t] = does;
    }
  }
  if (std::count(resume.actions.begin(), resume.actions.end(), GdbAction::kStop) ==
      static_cast<std::ptrdiff_t>(resume.actions.size())) {
    return false;
  }
  resume_ = resume;
  return true;
}

std::string GdbServer::handle_v(const std::string& packet) {
  if (packet == "vCont?") return "vCont;c;C;s;S";
  if (begins_with(packet, "vCont;")) return parse_continue(packet.substr(6)) ? "" : kError;
  if (begins_with(packet, "vKill")) {
    resume_ = GdbResume{GdbResume::Kind::kKill, {}};
    return kOk;
  }
  return "";
}

/// "Z1,ADDRESS,BYTES".
std::string GdbServer::handle_point(const std::string& packet) {
  if (packet.size() < 3 || packet[2] != ',') return kError;
  const unsigned kind = static_cast<unsigned char>(packet[1]) - '0';
  if (kind > static_cast<unsigned>(GdbPoint::kAccessWatchpoint)) return "";
  const auto range = gdb::range_of(packet.substr(3));
  if (!range) return kError;
  const auto point = static_cast<GdbPoint>(kind);
  if (watch_reason(point) != nullptr && range->bytes == 0) return kError;
  const bool done = packet[0] == 'Z' ? target_.set_point(point, range->address, range->bytes)
                                     : target_.clear_point(point, range->address, range->bytes);
  return done ? kOk : kError;
}

// Registers and memory.

std::string GdbServer::read_registers() {
  std::string text;
  for (unsigned n = 0; n < RiscvRegister::kInPacket; ++n) {
    std::uint64_t value = 0;
    const bool known = target_.read_register(general_thread_, n, value);
    text += known ? gdb::register_text(value) : std::string(16, 'x');
  }
  return text;
}

std::string GdbServer::write_registers(const std::string& text) {
  if (text.size() != std::size_t{16} * RiscvRegister::kInPacket) return kError;
  std::vector<std::uint64_t> values;
  for (unsigned n = 0; n < RiscvRegister::kInPacket; ++n) {
    const auto value = gdb::register_value(std::string_view(text).substr(16 * std::size_t{n}, 16));
    if (!value) return kError;
    values.push_back(*value);
  }
  for (unsigned n = 0; n < values.size(); ++n) {
    if (!target_.write_register(general_thread_, n, values[n])) return kError;
  }
  return kOk;
}

std::string GdbServer::read_register(const std::string& text) {
  const auto n = gdb::number(text);
  std::uint64_t value = 0;
  if (!n || *n > RiscvRegister::kPrivilege ||
      !target_.read_register(general_thread_, static_cast<unsigned>(*n), value)) {
    return kError;
  }
  return gdb::register_text(value);
}

std::string GdbServer::write_register(const std::string& text) {
  const auto parts = gdb::split(text, '=');
  if (parts.size() != 2) return kError;
  const auto n = gdb::number(parts[0]);
  const auto value = gdb::register_value(parts[1]);
  if (!n || *n > RiscvRegister::kPrivilege || !value) return kError;
  const bool done = target_.write_register(general_thread_, static_cast<unsigned>(*n), *value);
  return done ? kOk : kError;
}

std::string GdbServer::read_memory(const std::string& text) {
  const auto range = gdb::range_of(text);
  if (!range) return kError;
  std::vector<unsigned char> data(std::min<std::uint64_t>(range->bytes, kPacketBytes / 2 - 8));
  const std::size_t n =
      target_.read_memory(general_thread_, range->address, data.data(), data.size());
  return n == 0 ? kError : hex_bytes(data.data(), n);
}

std::string GdbServer::write_memory(const std::string& text, bool binary) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) return kError;
  const auto range = gdb::range_of(text.substr(0, colon));
  const auto data =
      binary ? gdb::unescaped(text.substr(colon + 1)) : bytes_of_hex(text.substr(colon + 1));
  if (!range || !data || data->size() != range->bytes) return kError;
  if (data->empty()) return kOk;  // the debugger tries whether X is supported
  const bool done =
      target_.write_memory(general_thread_, range->address,
                           reinterpret_cast<const unsigned char*>(data->data()), data->size());
  return done ? kOk : kError;
}

// Queries.

std::optional<std::string> GdbServer::handle_set(const std::string& packet) {
  if (packet != "QStartNoAckMode") return "";
  send(kOk);
  acknowledges_ = false;
  return std::nullopt;
}

std::string GdbServer::handle_query(const std::string& packet) {
  if (begins_with(packet, "qSupported")) {
    return "PacketSize=" + gdb::number_text(kPacketBytes) +
           ";qXfer:features:read+;vContSupported+;QStartNoAckMode+;swbreak+;hwbreak+";
  }
  const std::string description = "qXfer:features:read:target.xml:";
  if (begins_with(packet, description)) return read_description(packet.substr(description.size()));
  if (begins_with(packet, "qXfer:features:read:")) return "E00";  // no such annex
  if (packet == "qfThreadInfo") {
    std::string text;
    for (unsigned t = 1; t <= target_.threads(); ++t)
      text += (t == 1 ? "m" : ",") + gdb::number_text(t);
    return text;
  }
  if (packet == "qsThreadInfo") return "l";
  if (packet == "qC") return "QC" + gdb::number_text(stop_.thread);
  if (packet == "qAttached" || begins_with(packet, "qAttached:")) return "1";
  const std::string extra = "qThreadExtraInfo,";
  if (begins_with(packet, extra)) {
    const auto thread = thread_of(packet.substr(extra.size()));
    return thread.value_or(0) == 0 ? kError : gdb::text_in_hex(target_.describe_thread(*thread));
  }
  if (begins_with(packet, "qRcmd,")) return handle_command(packet.substr(6));
  return "";
}

/// "OFFSET,BYTES".
std::string GdbServer::read_description(const std::string& text) const {
  const auto range = gdb::range_of(text);
  if (!range || range->address > description_.size()) return kError;
  const std::uint64_t most = std::min<std::uint64_t>(range->bytes, kPacketBytes / 2 - 8);
  const std::string part = description_.substr(range->address, most);
  const bool is_last = range->address + part.size() == description_.size();
  return (is_last ? "l" : "m") + gdb::escaped(part);
}

std::string GdbServer::handle_command(const std::string& text) {
  const auto command = bytes_of_hex(text);
  if (!command) return kError;
  const auto output = target_.command(*command);
  if (!output) return kError;
  if (!output->empty()) send("O" + gdb::text_in_hex(*output));
  return kOk;
}

}  // namespace tessera
