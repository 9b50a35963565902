// SPDX-License-Identifier: Apache-2.0
// b_transport and transport_dbg of whole platforms, against a flat memory: while a kernel runs and
// warms and dirties lines everywhere, and between kernels.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cstdint>
#include <cstring>
#include <exception>
#include <random>
#include <string>
#include <systemc>
#include <utility>
#include <vector>

#include "modules/host/cta_dispatcher.h"
#include "modules/mmu/uvm_driver.h"
#include "modules/sm/l1_cache.h"
#include "tests/platforms/gpu_rig.h"

namespace tessera::untimed_transport_test {

using namespace tessera::test;

namespace {

constexpr std::uint32_t kMostBytes = 128;  ///< of a line
constexpr std::uint32_t kMostWords = kMostBytes / 4;
constexpr std::uint32_t kPages = 12;
constexpr std::uint32_t kLinesOfPage = 4;
constexpr std::uint32_t kLines = kPages * kLinesOfPage;
constexpr std::uint32_t kOps = 160;
constexpr std::uint32_t kRegisters = 6;  ///< so many loads of a warp are under way at once

using Random = std::mt19937_64;

/// The memory as it must look. Lines are numbered; odd ones are `shared`: kernels load them, and
/// each word only grows, by untimed writes; in even ones each word belongs to one SM.
struct Flat {
  explicit Flat(std::uint32_t bytes_of_line)
      : line_bytes(bytes_of_line), bytes(std::size_t{kLines} * line_bytes) {}

  const std::uint32_t line_bytes;
  std::vector<unsigned char> bytes;

  std::uint32_t words() const { return line_bytes / 4; }
  static bool shared(std::uint32_t line) { return line % 2 == 1; }
  std::uint32_t word(std::uint32_t line, std::uint32_t w) const {
    std::uint32_t value = 0;
    std::memcpy(&value, &bytes[std::size_t{line} * line_bytes + 4 * w], 4);
    return value;
  }
  void set_word(std::uint32_t line, std::uint32_t w, std::uint32_t value) {
    std::memcpy(&bytes[std::size_t{line} * line_bytes + 4 * w], &value, 4);
  }
};

Address virtual_address(std::uint32_t line, std::uint64_t page_bytes, std::uint32_t line_bytes) {
  // Lines of a page fall into different sets and channels.
  return line / kLinesOfPage * page_bytes + line % kLinesOfPage * 3 * line_bytes;
}

struct Op {
  AccessKind kind = AccessKind::kLoad;
  std::uint32_t line = 0;
  bool read_only = false;
  CacheScope scope = CacheScope::kL1;
  std::uint32_t active = 0;
  std::array<std::uint32_t, kMostWords> value{};  ///< store data, addends, or what a load must find
};

/// A warp on each SM that stores to and updates its own words, and loads them and shared ones.
class MixKernel final : public KernelProgram {
 public:
  MixKernel(const Flat& flat, std::vector<std::vector<Op>> lists, std::uint64_t page_bytes)
      : flat_(flat), lists_(std::move(lists)), page_bytes_(page_bytes), ops_(kOps) {
    for (std::uint32_t i = 0; i < kOps; ++i) {
      ops_[i].unit = Unit::kMemory;
      ops_[i].write_count = 1;
      ops_[i].registers[0] = static_cast<std::uint16_t>(i % kRegisters);
    }
    exit_.unit = Unit::kExit;
  }

  unsigned checked = 0;
  unsigned wrong = 0;

  const std::string& name() const override { return name_; }
  Dim3 grid() const override { return {static_cast<std::uint32_t>(lists_.size()), 1, 1}; }
  Dim3 block() const override { return {kWarpLanes, 1, 1}; }
  CtaResources resources() const override { return {kWarpLanes, 16, 0}; }
  unsigned register_names() const override { return kRegisters; }
  std::unique_ptr<CtaProgram> start_cta(CtaId) override { return std::make_unique<Cta>(*this); }

 private:
  class Cta final : public CtaProgram, private WarpProgram {
   public:
    explicit Cta(MixKernel& kernel) : kernel_(kernel) {}
    unsigned warp_count() const override { return 1; }
    WarpProgram& warp(unsigned) override { return *this; }
    unsigned warp_threads(unsigned) const override { return kWarpLanes; }

   private:
    const OpInfo& next() const override { return at_ < kOps ? kernel_.ops_[at_] : kernel_.exit_; }
    void issue(const IssueContext& context, IssueResult& result) override {
      if (at_ == kOps) {
        result.active = ~std::uint32_t{0};
        result.kind = IssueResult::Kind::kExit;
        result.warp_done = true;
        return;
      }
      list_ = &kernel_.lists_[context.sm];  // an SM's words stay its own
      Op& op = (*list_)[at_];
      result.kind = IssueResult::Kind::kMemory;
      MemoryOp& m = result.memory;
      m.kind = op.kind;
      m.space = Space::kGlobal;
      m.scope = op.scope;
      m.read_only = op.read_only;
      m.lane_bytes = 4;
      m.values_done = false;
      m.active = result.active = op.active;
      m.pc = at_;
      for (unsigned lane = 0; lane < kernel_.flat_.words(); ++lane) {
        m.address[lane] =
            virtual_address(op.line, kernel_.page_bytes_, kernel_.flat_.line_bytes) + 4 * lane;
        std::memcpy(&m.data[lane * kMaxLaneBytes], &op.value[lane], 4);
        if (Flat::shared(op.line)) op.value[lane] = kernel_.flat_.word(op.line, lane);
      }
      ++at_;
    }
    void complete(const AccessEnd& access, const std::byte* data) override {
      const Op& op = (*list_)[access.pc];
      if (op.kind != AccessKind::kLoad) return;
      for (unsigned lane = 0; lane < kernel_.flat_.words(); ++lane) {
        if ((access.active >> lane & 1) == 0) continue;
        std::uint32_t found = 0;
        std::memcpy(&found, data + lane * kMaxLaneBytes, 4);
        const std::uint32_t most =
            Flat::shared(op.line) ? kernel_.flat_.word(op.line, lane) : op.value[lane];
        ++kernel_.checked;
        if (found < op.value[lane] || found > most) ++kernel_.wrong;
      }
    }

    MixKernel& kernel_;
    std::vector<Op>* list_ = nullptr;
    std::uint32_t at_ = 0;
  };

  const Flat& flat_;
  std::vector<std::vector<Op>> lists_;
  const std::uint64_t page_bytes_;
  const std::string name_ = "mix";
  std::vector<OpInfo> ops_;
  OpInfo exit_;
};

class Mix {
 public:
  Mix(const std::string& preset, std::uint64_t seed)
      : rig_(preset, {"llc.sets=8", "remote_cache.sets=4"}, {false, true}),
        random_(seed),
        flat_(rig_.config().system.line_bytes) {
    for (const PlannedBlock* b : rig_.system().plan().of_kind("l1")) {
      const std::string path = rig_.system().plan().path_of(*b);
      l1s_.push_back(dynamic_cast<L1Cache*>(sc_core::sc_find_object(path.c_str())));
      REQUIRE(l1s_.back() != nullptr);
    }
  }

  void run() {
    // Places every page, and finds zeros.
    run_kernel(false);
    for (int n = 0; n < 4; ++n) {
      for (int i = 0; i < 600; ++i) anything();
      run_kernel(true);
    }
    for (int i = 0; i < 600; ++i) anything();
    CHECK(wrong_ == 0);
    CHECK(wrong_loads_ == 0);
    CHECK(checked_loads_ > 1000);
    CHECK(during_ > 200);
    CHECK(rig_.pool().live() == 0);
  }

 private:
  std::uint32_t sms() const { return rig_.config().system.sms; }
  std::uint32_t below(std::uint64_t n) { return static_cast<std::uint32_t>(random_() % n); }
  std::uint64_t physical(std::uint32_t line) {
    return *rig_.system().uvm().translate(
        virtual_address(line, rig_.config().system.page_bytes, flat_.line_bytes));
  }
  tlm::tlm_fw_transport_if<>& any_sm() {
    return l1s_[below(l1s_.size())]->core.get_base_interface();
  }

  std::vector<Op> list_of(std::uint32_t sm) {
    std::vector<Op> list(kOps);
    for (std::uint32_t i = 0; i < kOps; ++i) {
      Op& op = list[i];
      // Every line once; then often the same few shared ones, which stay in the L1.
      op.line = i < kLines ? i : below(2) == 0 ? 1 + 2 * below(3) : below(kLines);
      const bool shared = Flat::shared(op.line);
      const auto kind = below(8);
      op.kind = shared || kind < 3 ? AccessKind::kLoad
                : kind < 6         ? AccessKind::kStore
                                   : AccessKind::kAtomic;
      op.read_only = shared && below(2) == 0;
      if (!op.read_only && op.kind == AccessKind::kLoad && below(4) == 0) {
        op.scope = CacheScope::kBypassL1;
      }
      const auto some = static_cast<std::uint32_t>(random_());
      for (std::uint32_t w = 0; w < flat_.words(); ++w) {
        if (shared ? (some >> w & 1) == 0 : (w + op.line) % sms() != sm) continue;
        op.active |= std::uint32_t{1} << w;
        if (shared) continue;
        const std::uint32_t old = flat_.word(op.line, w);
        op.value[w] = op.kind == AccessKind::kLoad ? old : static_cast<std::uint32_t>(random_());
        if (op.kind == AccessKind::kStore) flat_.set_word(op.line, w, op.value[w]);
        if (op.kind == AccessKind::kAtomic) flat_.set_word(op.line, w, old + op.value[w]);
      }
      if (op.active == 0) {
        // Owns no word of the line: a load of a shared one.
        op = Op{};
        op.line = 1;
        op.active = 1;
      }
    }
    return list;
  }

  void run_kernel(bool disturbed) {
    std::vector<std::vector<Op>> lists;
    for (std::uint32_t sm = 0; sm < sms(); ++sm) lists.push_back(list_of(sm));
    MixKernel kernel(flat_, std::move(lists), rig_.config().system.page_bytes);
    if (!disturbed) {
      rig_.run(kernel);
    } else {
      bool done = false;
      std::exception_ptr error;
      rig_.system().dispatcher().launch({kernel, [&](const KernelEnd& e) {
                                           done = true;
                                           error = e.error;
                                           sc_core::sc_pause();
                                         }});
      while (!done) {
        sc_core::sc_start(sc_core::sc_time(20.0 + below(100), sc_core::SC_NS));
        for (int i = 0; i < 20 && !done; ++i, ++during_) grow();
      }
      if (error) std::rethrow_exception(error);
    }
    checked_loads_ += kernel.checked;
    wrong_loads_ += kernel.wrong;
  }

  /// While a kernel runs: a shared word is read, or grows.
  void grow() {
    const std::uint32_t line = below(below(2) == 0 ? 3 : kLines / 2) * 2 + 1;
    const std::uint32_t w = below(flat_.words());
    const std::uint32_t old = flat_.word(line, w);
    std::uint32_t value = old + 1;
    const auto kind = below(4);
    if (kind == 0) {
      CHECK(debug(tlm::TLM_READ_COMMAND, line, 4 * w, 4, &value));
      if (value != old) ++wrong_;
      return;
    }
    flat_.set_word(line, w, old + 1);
    if (kind == 1) {
      CHECK(debug(tlm::TLM_WRITE_COMMAND, line, 4 * w, 4, &value));
    } else if (kind == 2) {
      CHECK(blocking(tlm::TLM_WRITE_COMMAND, line, 4 * w, 4, &value));
    } else if (atomic_add(line, w, 1) != old) {
      ++wrong_;
    }
  }

  /// Between kernels: any bytes of a line, of any SM.
  void anything() {
    const std::uint32_t line = below(kLines);
    const std::uint32_t offset = below(flat_.line_bytes);
    const std::uint32_t length = 1 + below(flat_.line_bytes - offset);
    unsigned char* const at = &flat_.bytes[std::size_t{line} * flat_.line_bytes + offset];
    std::array<unsigned char, kMostBytes> bytes;
    for (auto& b : bytes) b = static_cast<unsigned char>(random_());
    std::vector<unsigned char> enables(length, 0xff);
    const auto kind = below(6);
    const bool shared = Flat::shared(line);
    if (kind == 0) {
      const std::uint32_t w = below(flat_.words());
      const std::uint32_t old = flat_.word(line, w);
      const std::uint32_t addend = shared ? 1 : static_cast<std::uint32_t>(random_());
      flat_.set_word(line, w, old + addend);
      if (atomic_add(line, w, addend) != old) ++wrong_;
    } else if (kind == 1 && !shared) {
      std::copy_n(bytes.data(), length, at);
      CHECK(debug(tlm::TLM_WRITE_COMMAND, line, offset, length, bytes.data()));
    } else if (kind == 2 && !shared) {
      for (auto& e : enables) e = below(2) == 0 ? 0xff : 0;
      for (std::uint32_t i = 0; i < length; ++i) {
        if (enables[i] != 0) at[i] = bytes[i];
      }
      CHECK(blocking(tlm::TLM_WRITE_COMMAND, line, offset, length, bytes.data(), &enables));
    } else if (kind == 3) {
      CHECK(debug(tlm::TLM_READ_COMMAND, line, offset, length, bytes.data()));
      if (!std::equal(at, at + length, bytes.begin())) ++wrong_;
    } else if (kind == 4) {
      const std::array<unsigned char, kMostBytes> before = bytes;
      for (auto& e : enables) e = below(2) == 0 ? 0xff : 0;
      CHECK(blocking(tlm::TLM_READ_COMMAND, line, offset, length, bytes.data(), &enables));
      for (std::uint32_t i = 0; i < length; ++i) {
        if (bytes[i] != (enables[i] != 0 ? at[i] : before[i])) ++wrong_;
      }
    } else {
      CHECK(blocking(tlm::TLM_READ_COMMAND, line, offset, length, bytes.data()));
      if (!std::equal(at, at + length, bytes.begin())) ++wrong_;
    }
  }

  static void describe(tlm::tlm_generic_payload& p, tlm::tlm_command command, std::uint64_t address,
                       std::uint32_t length, void* data) {
    p.set_command(command);
    p.set_address(address);
    p.set_data_ptr(static_cast<unsigned char*>(data));
    p.set_data_length(length);
    p.set_streaming_width(length);
    p.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  }
  bool debug(tlm::tlm_command command, std::uint32_t line, std::uint32_t offset,
             std::uint32_t length, void* data) {
    tlm::tlm_generic_payload p;
    describe(p, command, physical(line) + offset, length, data);
    return any_sm().transport_dbg(p) == length;
  }
  bool blocking(tlm::tlm_command command, std::uint32_t line, std::uint32_t offset,
                std::uint32_t length, void* data, std::vector<unsigned char>* enables = nullptr) {
    tlm::tlm_generic_payload p;
    describe(p, command, physical(line) + offset, length, data);
    if (enables != nullptr) {
      p.set_byte_enable_ptr(enables->data());
      p.set_byte_enable_length(length);
    }
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    any_sm().b_transport(p, delay);
    return p.is_response_ok() && delay > sc_core::SC_ZERO_TIME;
  }
  /// The old value.
  std::uint32_t atomic_add(std::uint32_t line, std::uint32_t w, std::uint32_t addend) {
    AtomicOperands operands;
    operands.count = 1;
    operands.lanes[0].offset = static_cast<std::uint8_t>(4 * w);
    operands.lanes[0].operand = addend;
    std::array<unsigned char, kMostBytes> unused{};
    tlm::tlm_generic_payload p;
    describe(p, tlm::TLM_WRITE_COMMAND, physical(line), flat_.line_bytes, unused.data());
    MemoryRequest request;
    request.kind = RequestKind::kAtomic;
    request.atomics = &operands;
    request.carries_data = true;
    request.useful_bytes = 4;
    p.set_extension(&request);
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    any_sm().b_transport(p, delay);
    p.clear_extension(&request);
    CHECK(p.is_response_ok());
    return static_cast<std::uint32_t>(operands.lanes[0].old);
  }

  GpuRig rig_;
  Random random_;
  Flat flat_;
  std::vector<L1Cache*> l1s_;
  unsigned wrong_ = 0;
  unsigned wrong_loads_ = 0;
  unsigned checked_loads_ = 0;
  unsigned during_ = 0;
};

}  // namespace

TEST_CASE("untimed accesses agree with a flat memory: memory-side UBA") {
  Mix("uba-mem-small", 1).run();
}
TEST_CASE("untimed accesses agree with a flat memory: SM-side UBA") {
  Mix("uba-sm-small", 2).run();
}
TEST_CASE("untimed accesses agree with a flat memory: NUBA") { Mix("nuba-small", 3).run(); }
TEST_CASE("untimed accesses agree with a flat memory: NUBA of several modules") {
  Mix("mcm-nuba-small", 4).run();
}
TEST_CASE("untimed accesses agree with a flat memory: GPUs with remote caches") {
  Mix("dualopt-cache-small", 5).run();
}
TEST_CASE("untimed accesses agree with a flat memory: GPUs that load pieces of lines") {
  Mix("dualopt-fine-small", 6).run();
}
TEST_CASE("untimed accesses agree with a flat memory: GPUs whose engine decides") {
  Mix("dualopt-small", 7).run();
}
TEST_CASE("untimed accesses agree with a flat memory: GPUs of partitions") {
  Mix("dualopt-nuba-small", 8).run();
}

}  // namespace tessera::untimed_transport_test
