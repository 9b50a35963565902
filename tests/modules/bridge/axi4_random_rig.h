// SPDX-License-Identifier: Apache-2.0
#pragma once

// TLM random traffic -> Axi4Manager -> register slice with random back-pressure -> Axi4Subordinate
// -> TLM memory, with checkers at the pins and the sockets.

#include <tlm_utils/passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "modules/bridge/axi4_checker.h"
#include "modules/bridge/axi4_manager.h"
#include "modules/bridge/axi4_subordinate.h"
#include "modules/kernel/sc_time.h"
#include "modules/protocol/paced_output.h"
#include "modules/protocol/protocol_checker.h"

namespace tessera::axi4_random {

using Payload = tlm::tlm_generic_payload;
using Random = std::mt19937_64;

inline constexpr std::uint64_t kHertz = 1'000'000'000;
inline constexpr std::uint64_t kMemoryBytes = 64 * 1024;
inline constexpr std::uint64_t kLine = 128;

/// The status with which the memory refuses a line, or TLM_OK_RESPONSE.
inline tlm::tlm_response_status line_status(std::uint64_t address) {
  const std::uint64_t line = address / kLine;
  if (line % 61 == 7) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  return line % 67 == 11 ? tlm::TLM_GENERIC_ERROR_RESPONSE : tlm::TLM_OK_RESPONSE;
}

inline bool enabled(const Payload& p, std::uint64_t i) {
  return p.get_byte_enable_ptr() == nullptr ||
         p.get_byte_enable_ptr()[i % p.get_byte_enable_length()] != 0;
}

/// A fault that a slice inserts.
enum class Fault { kNone, kReadByte, kWriteByte, kReadId, kWriteId, kReadBeat, kWriteBeat };

/// A register slice: a FIFO for each channel, with registered VALID and READY that are withheld at
/// random.
class RegisterSlice final : public RtlModel {
 public:
  RegisterSlice(Axi4Pins& up, Axi4Pins& down, std::uint64_t seed)
      : up_(up), down_(down), random_(seed) {}

  Fault fault = Fault::kNone;
  unsigned times = 1;  ///< insertions of the fault

  void set_reset(bool active) override { reset_ = active; }
  bool busy() const override {
    return aw_.busy() || w_.busy() || ar_.busy() || b_.busy() || r_.busy();
  }
  void step(Tick /*t*/) override {
    ++cycle_;
    aw_.step(up_.aw, down_.aw, *this);
    w_.step(up_.w, down_.w, *this);
    ar_.step(up_.ar, down_.ar, *this);
    b_.step(down_.b, up_.b, *this);
    r_.step(down_.r, up_.r, *this);
  }

 private:
  static constexpr std::size_t kDepth = 2;

  template <class Pins>
  struct Channel {
    std::deque<Pins> fifo;
    bool shown = false;  ///< VALID is set
    bool busy() const { return shown || !fifo.empty(); }

    void step(Pins& in, Pins& out, RegisterSlice& slice) {
      if (slice.reset_) {
        fifo.clear();
        in.ready = out.valid = shown = false;
        return;
      }
      if (in.valid && in.ready && slice.keeps(in)) {
        fifo.push_back(in);
        slice.alter(fifo.back());
      }
      if (out.valid && out.ready) out.valid = false;
      if (!out.valid && !fifo.empty() && slice.coin()) {
        const bool ready = out.ready;
        out = fifo.front();
        out.ready = ready;
        fifo.pop_front();
      }
      shown = out.valid;
      in.ready = fifo.size() < kDepth && slice.coin();
    }
  };

  bool coin() {
    if (bits_left_ == 0) {
      bits_ = random_();
      bits_left_ = 32;
    }
    const bool yes = (bits_ & 3U) != 0;
    bits_ >>= 2;
    --bits_left_;
    return yes;
  }
  bool due(Fault f) {
    if (fault != f || cycle_ < 500) return false;
    if (--times == 0) fault = Fault::kNone;
    return true;
  }
  template <class Pins>
  bool keeps(const Pins& /*pins*/) {
    return true;
  }
  bool keeps(const Axi4ReadPins& r) { return r.last || !due(Fault::kReadBeat); }
  bool keeps(const Axi4WritePins& w) { return w.last || !due(Fault::kWriteBeat); }
  void alter(Axi4AddressPins& /*a*/) {}
  void alter(Axi4ReadPins& r) {
    if (due(Fault::kReadByte)) {
      for (unsigned char& byte : r.data) byte ^= 0x10;
    }
    if (due(Fault::kReadId)) r.id = 15;
  }
  void alter(Axi4WritePins& w) {
    if (!w.strobe.none() && due(Fault::kWriteByte)) {
      for (unsigned char& byte : w.data) byte ^= 0x10;
    }
  }
  void alter(Axi4ResponsePins& b) {
    if (due(Fault::kWriteId)) b.id = 15;
  }

  Axi4Pins& up_;
  Axi4Pins& down_;
  Random random_;
  std::uint64_t bits_ = 0;
  unsigned bits_left_ = 0;
  std::uint64_t cycle_ = 0;
  bool reset_ = false;
  Channel<Axi4AddressPins> aw_, ar_;
  Channel<Axi4WritePins> w_;
  Channel<Axi4ResponsePins> b_;
  Channel<Axi4ReadPins> r_;
};

/// A memory that performs an access when it arrives, and responds after a random latency.
class Memory final : public sc_core::sc_module {
 public:
  tlm_utils::passthrough_target_socket<Memory> in{"in"};
  std::vector<unsigned char> bytes = std::vector<unsigned char>(kMemoryBytes);

  Memory(const sc_core::sc_module_name& name, std::uint64_t seed) : sc_module(name), random_(seed) {
    in.register_nb_transport_fw(this, &Memory::forward);
    wake_.bind<&Memory::process>(*this);
  }

 private:
  void end_of_elaboration() override {
    receiver_.bind(in.operator->());
    responses_.sender.bind(in.operator->());
  }
  tlm::tlm_sync_enum forward(Payload& p, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    const Tick at = now() + delay.value();
    if (phase == tlm::END_RESP) {
      responses_.sender.end_response(p, at);
      wake_.at(now() + 1);
      return tlm::TLM_COMPLETED;
    }
    arrivals_.push(at, 0, &p);
    wake_.at(at);
    return receiver_.begin(p, phase, delay, 0);
  }
  void process() {
    const Tick t = now();
    while (arrivals_.due(t)) {
      Payload& p = *arrivals_.pop();
      perform(p);
      responses_.queue.push(clock_.after(t, random_() % 60), 0, &p);
    }
    if (responses_.next(clock_, t) == t) {
      const auto [p, delay] = responses_.take(clock_, t);
      receiver_.release();
      responses_.sender.send(*p, delay);
    }
    wake_.at(responses_.next(clock_, t));
    wake_.at(arrivals_.next_due());
  }
  void perform(Payload& p) {
    const std::uint64_t a = p.get_address();
    p.set_response_status(line_status(a));
    if (p.get_response_status() != tlm::TLM_OK_RESPONSE) return;
    for (unsigned i = 0; i < p.get_data_length(); ++i) {
      if (!enabled(p, i)) continue;
      if (p.is_read()) {
        p.get_data_ptr()[i] = bytes[a + i];
      } else {
        bytes[a + i] = p.get_data_ptr()[i];
      }
    }
  }

  const ClockDomain clock_{kHertz};
  Random random_;
  ProcessTimer wake_;
  RequestReceiver receiver_{6};
  PacedOutput<ResponseSender> responses_;
  TimedQueue<Payload*> arrivals_;
};

/// Random requests of 1 to 4096 bytes, compared with a flat memory.
class Traffic final : public sc_core::sc_module, public tlm::tlm_mm_interface {
 public:
  tlm_utils::simple_initiator_socket<Traffic> out{"out"};

  std::uint64_t total = 0;
  std::uint64_t sent = 0;
  std::uint64_t responses = 0;
  std::uint64_t errors = 0;  ///< statuses other than OK, as expected
  std::uint64_t reset_errors = 0;
  std::uint64_t mismatches = 0;  ///< of data or status
  std::uint64_t resets = 0;      ///< counted by the test
  Tick last_response = 0;        ///< arrival
  std::vector<unsigned char> reference = std::vector<unsigned char>(kMemoryBytes);

  Traffic(const sc_core::sc_module_name& name, const Memory& memory, std::uint64_t seed)
      : sc_module(name), memory_(memory), random_(seed), stalls_(seed + 1) {
    out.register_nb_transport_bw(this, &Traffic::backward);
    wake_.bind<&Traffic::process>(*this);
  }
  void start() { wake_.at(now() + 1); }
  bool done() const { return ended_ == total; }
  std::size_t live() const { return all_.size() - free_.size(); }

 private:
  static constexpr std::uint64_t kOutstanding = 24;

  struct Item final : Payload {
    ~Item() override {
      if (extended) clear_extension(&request);  // a member of this
    }
    std::array<unsigned char, 4096> data{};
    std::array<unsigned char, 64> enables{};
    MemoryRequest request;
    bool extended = false;
    std::uint64_t resets = 0;
  };

  void free(Payload* p) override {
    auto* item = static_cast<Item*>(p);
    if (item->extended) item->clear_extension(&item->request);
    item->extended = false;
    free_.push_back(item);
  }
  void end_of_elaboration() override {
    sender_.bind(out.operator->());
    receiver_.bind(out.operator->());
  }
  std::uint64_t below(std::uint64_t n) { return random_() % n; }

  void process() {
    const Tick t = now();
    while (held_.due(t)) {
      Payload& p = *held_.pop();
      ++ended_;
      receiver_.release();
      p.release();
    }
    if (sent < total && sent - ended_ < kOutstanding && next_ <= t && sender_.free(t + kDelay)) {
      send();
      next_ = t + 1 + (below(4) == 0 ? below(30'000'000) : 0);
    }
    if (sent < total && sent - ended_ < kOutstanding && sender_.free_at() != kNever) {
      wake_.at(std::max({t + 1, next_, sender_.free_at()}));
    }
    wake_.at(held_.next_due());
  }

  void send() {
    if (free_.empty()) {
      all_.push_back(std::make_unique<Item>());
      all_.back()->set_mm(this);
      free_.push_back(all_.back().get());
    }
    Item& item = *free_.back();
    free_.pop_back();
    item.acquire();
    fill(item);
    ++sent;
    const SendOutcome outcome = sender_.send(item, kDelay);
    if (!outcome.responded) return;
    receiver_.count_early();
    respond(item, outcome.response_at);
  }

  void fill(Item& item) {
    static constexpr std::array<std::uint64_t, 8> kMost = {16, 16, 16, 128, 128, 128, 512, 4096};
    std::uint64_t bytes = 1 + below(kMost[below(kMost.size())]);
    std::uint64_t address = below(kMemoryBytes);
    if (below(4) == 0) {  // a whole line
      bytes = kLine;
      address &= ~(kLine - 1);
    }
    bytes = std::min(bytes, kMemoryBytes - address);
    const bool write = below(2) == 0;
    item.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
    item.set_address(address);
    item.set_data_ptr(item.data.data());
    item.set_data_length(static_cast<unsigned>(bytes));
    item.set_streaming_width(static_cast<unsigned>(bytes));
    item.set_byte_enable_ptr(nullptr);
    item.set_byte_enable_length(0);
    item.set_dmi_allowed(false);
    item.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    for (std::uint64_t i = 0; i < bytes; ++i) {
      item.data[i] = static_cast<unsigned char>(write ? random_() : 0);
    }
    if (below(3) == 0) {
      const auto length = static_cast<unsigned>(1 + below(item.enables.size()));
      for (unsigned i = 0; i < length; ++i) {
        item.enables[i] = below(3) == 0 ? TLM_BYTE_DISABLED : TLM_BYTE_ENABLED;
      }
      item.set_byte_enable_ptr(item.enables.data());
      item.set_byte_enable_length(length);
    }
    item.resets = resets;
    item.extended = below(4) != 0 || expected(item) != tlm::TLM_OK_RESPONSE;
    if (!item.extended) return;
    item.request = {};
    item.request.kind = write ? RequestKind::kStore : RequestKind::kLoad;
    item.request.carries_data = true;
    item.request.reports_refusal = true;
    item.request.word_mask = static_cast<std::uint32_t>(random_());
    item.set_extension(&item.request);
  }

  /// The status without a reset: the worst one of the lines.
  static tlm::tlm_response_status expected(const Payload& p) {
    auto worst = tlm::TLM_OK_RESPONSE;
    for (unsigned i = 0; i < p.get_data_length(); ++i) {
      const auto status = line_status(p.get_address() + i);
      if (status == tlm::TLM_OK_RESPONSE || (p.is_write() && !enabled(p, i))) continue;
      if (worst != tlm::TLM_ADDRESS_ERROR_RESPONSE) worst = status;
    }
    return worst;
  }

  tlm::tlm_sync_enum backward(Payload& p, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    const Tick at = now() + delay.value();
    sender_.end_request(p, at);
    wake_.at(now() + 1);
    if (phase == tlm::END_REQ) return tlm::TLM_ACCEPTED;
    const tlm::tlm_sync_enum sync = receiver_.begin(p, phase, delay, 0);
    respond(p, at);
    return sync;
  }

  void respond(Payload& p, Tick at) {
    ++responses;
    last_response = at;
    compare(static_cast<Item&>(p));
    // At least a tick later, because the process can have run at this time.
    const Tick stall = stalls_() % 4 == 0 ? stalls_() % 20'000'000 : 1;
    held_.push(std::max(at, now() + 1) + stall, 0, &p);
    wake_.at(std::max(now() + 1, held_.next_due()));
  }

  void compare(Item& p) {
    const auto status = p.get_response_status();
    const auto right = expected(p);
    const bool reset = p.resets != resets;
    const bool reset_error = reset && status == tlm::TLM_GENERIC_ERROR_RESPONSE;
    if (status != right && !reset_error) ++mismatches;
    if (reset_error) {
      ++reset_errors;
    } else if (status != tlm::TLM_OK_RESPONSE) {
      ++errors;
    }
    const std::uint64_t a = p.get_address();
    for (unsigned i = 0; i < p.get_data_length(); ++i) {
      if (p.is_write()) {
        // A reset can stop a write anywhere; the memory says where.
        if (reset_error) {
          reference[a + i] = memory_.bytes[a + i];
        } else if (enabled(p, i) && line_status(a + i) == tlm::TLM_OK_RESPONSE) {
          reference[a + i] = p.data[i];
        }
      } else if (status == tlm::TLM_OK_RESPONSE) {
        const unsigned char byte = enabled(p, i) ? reference[a + i] : 0;
        if (p.data[i] != byte) ++mismatches;
      }
    }
  }

  static constexpr Tick kDelay = 1'000;

  const Memory& memory_;
  Random random_;  ///< of the process
  Random stalls_;  ///< of responses, in their order
  ProcessTimer wake_;
  std::uint64_t ended_ = 0;
  RequestSender sender_;
  ResponseReceiver receiver_{3};
  TimedQueue<Payload*> held_;  ///< responses without END_RESP
  Tick next_ = 0;
  std::vector<std::unique_ptr<Item>> all_;
  std::vector<Item*> free_;
};

struct RigConfig {
  Axi4ManagerConfig manager;
  Axi4SubordinateConfig subordinate;
  std::uint64_t seed = 1;
};

struct Rig {
  /// `prefix`: of the names of its modules.
  explicit Rig(const RigConfig& config, const std::string& prefix = "")
      : memory((prefix + "memory").c_str(), config.seed + 1),
        traffic((prefix + "traffic").c_str(), memory, config.seed + 2),
        slice(up, down, config.seed + 3),
        clock(kHertz, slice),
        manager((prefix + "manager").c_str(), clock, up, config.manager),
        subordinate((prefix + "subordinate").c_str(), clock, down, pool, config.subordinate),
        up_check(prefix + "up", clock.clock(), up, checker_config(config)),
        down_check(prefix + "down", clock.clock(), down, checker_config(config)),
        upper((prefix + "upper").c_str()),
        lower((prefix + "lower").c_str()) {
    clock.add(up_check);
    clock.add(down_check);
    traffic.out.bind(upper.target);
    upper.initiator.bind(manager.in[0]);
    subordinate.out.bind(lower.target);
    lower.initiator.bind(memory.in);
    clock.power_on();
  }
  static Axi4CheckerConfig checker_config(const RigConfig& config) {
    Axi4CheckerConfig c;
    c.shape = config.manager.shape;
    c.handshake_limit.fill(5'000);
    c.response_limit = 5'000;
    return c;
  }
  void run(Tick t) { sc_core::sc_start(to_sc_time(t)); }
  bool idle() const {
    return traffic.done() && manager.idle() && subordinate.idle() && traffic.live() == 0;
  }

  TransactionPool pool;
  Axi4Pins up;
  Axi4Pins down;
  Memory memory;
  Traffic traffic;
  RegisterSlice slice;
  RtlClock clock;
  Axi4Manager manager;
  Axi4Subordinate subordinate;
  Axi4Checker up_check;
  Axi4Checker down_check;
  ProtocolChecker upper;
  ProtocolChecker lower;
};

}  // namespace tessera::axi4_random
