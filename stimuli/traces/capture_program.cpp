// SPDX-License-Identifier: Apache-2.0
// The SM's side of a capture: programs that record what another program's warps issue.
#include <algorithm>
#include <deque>
#include <utility>

#include "stimuli/ptx/launch.h"
#include "stimuli/source_places.h"
#include "stimuli/traces/capture.h"
#include "stimuli/traces/capture_codec.h"
#include "stimuli/traces/replay_program.h"
#include "stimuli/traces/trace_program.h"

namespace tessera::traces {
namespace {

/// Fields of an issue that are part of a CapturedOperation, in one word.
std::uint64_t variant_of(const IssueResult& r) {
  std::uint64_t v = static_cast<std::uint64_t>(r.kind);
  const auto add = [&v](auto value, unsigned bits) {
    v = v << bits | static_cast<std::uint64_t>(value);
  };
  if (r.kind == IssueResult::Kind::kMemory) {
    const MemoryOp& m = r.memory;
    add(m.kind, 2);
    add(m.space, 3);
    add(m.scope, 1);
    add(m.read_only, 1);
    add(m.asynchronous, 1);
    add(m.lane_bytes, 5);
    if (m.kind == AccessKind::kAtomic) {
      add(m.atomic, 4);
      add(m.atomic_type, 5);
    }
  } else if (r.kind == IssueResult::Kind::kBarrier) {
    add(r.barrier_id, 4);
    add(r.barrier_arrive_only, 1);
    add(r.barrier_threads, 32);
  } else if (r.kind == IssueResult::Kind::kExit) {
    add(r.warp_done, 1);
  }
  return v;
}

CapturedOperation operation_of(const OpInfo& info, const IssueResult& r, std::string text) {
  CapturedOperation o;
  o.info = info;
  o.kind = r.kind;
  o.text = std::move(text);
  if (r.kind == IssueResult::Kind::kMemory) {
    const MemoryOp& m = r.memory;
    o.access = m.kind;
    o.space = m.space;
    o.scope = m.scope;
    o.read_only = m.read_only;
    o.asynchronous = m.asynchronous;
    o.lane_bytes = m.lane_bytes;
    if (m.kind == AccessKind::kAtomic) {
      o.atomic = m.atomic;
      o.atomic_type = m.atomic_type;
    }
  } else if (r.kind == IssueResult::Kind::kBarrier) {
    o.barrier = r.barrier_id;
    o.barrier_threads = r.barrier_threads;
    o.arrive_only = r.barrier_arrive_only;
  } else if (r.kind == IssueResult::Kind::kExit) {
    o.ends_warp = r.warp_done;
  }
  return o;
}

LocalSlots local_slots_of(const KernelProgram& program) {
  if (const auto* const ptx = dynamic_cast<const ptx::Launch*>(&program)) {
    const ptx::LocalMemory& local = ptx->memory().local;
    return {local.begin, local.sm_bytes, local.warp_bytes};
  }
  if (const auto* const trace = dynamic_cast<const TraceProgram*>(&program)) {
    return trace->local();
  }
  if (const auto* const replay = dynamic_cast<const ReplayProgram*>(&program)) {
    return replay->local();
  }
  return {};
}

class CapturingCta;

class CapturingWarp final : public WarpProgram {
 public:
  CapturingWarp(CapturingCta& cta, unsigned index, WarpProgram& inner)
      : cta_(cta), index_(index), inner_(inner) {}

  const OpInfo& next() const override { return inner_.next(); }
  bool wait_ended() const override;
  bool wait_is_limited() const override { return inner_.wait_is_limited(); }
  void issue(const IssueContext& context, IssueResult& result) override;
  std::string where() const override { return inner_.where(); }
  std::string place_of(std::uint32_t pc) const override { return inner_.place_of(pc); }
  std::string last_barrier() const override { return inner_.last_barrier(); }
  void complete(const AccessEnd& access, const std::byte* data) override;

  std::string& bytes() { return bytes_; }
  WaitEnd::Progress progress() const { return progress_; }

 private:
  CapturingCta& cta_;
  const unsigned index_;
  WarpProgram& inner_;
  std::string bytes_;
  CaptureState state_;
  WaitEnd::Progress progress_;
  /// Numbers of asynchronous copies that have started and not been found to have ended, in order.
  struct Copy {
    std::uint32_t number;
    bool ended;
  };
  std::deque<Copy> copies_;
  std::uint32_t first_copies_ = 0;  ///< that have all ended
  /// When the present wait ended; empty: it has not.
  mutable std::optional<WaitEnd> wait_;
};

class CapturingProgram final : public KernelProgram, public SourcePlacesIf {
 public:
  CapturingProgram(CaptureSession& session, std::uint64_t launch,
                   std::unique_ptr<KernelProgram> inner)
      : session_(session),
        launch_(launch),
        inner_(std::move(inner)),
        places_(dynamic_cast<const SourcePlacesIf*>(inner_.get())),
        local_(local_slots_of(*inner_)) {}

  const std::string& name() const override { return inner_->name(); }
  Dim3 grid() const override { return inner_->grid(); }
  Dim3 block() const override { return inner_->block(); }
  CtaResources resources() const override { return inner_->resources(); }
  unsigned register_names() const override { return inner_->register_names(); }
  bool cooperative() const override { return inner_->cooperative(); }
  void use_flat_memory(FlatMemory* flat) override { inner_->use_flat_memory(flat); }
  std::string instruction_text(std::uint32_t pc) const override {
    return inner_->instruction_text(pc);
  }
  std::optional<SourcePlace> source_of(std::uint32_t pc) const override {
    return places_ == nullptr ? std::nullopt : places_->source_of(pc);
  }
  std::string program_file() const override {
    return places_ == nullptr ? "" : places_->program_file();
  }
  std::unique_ptr<CtaProgram> start_cta(CtaId cta) override;

  const LocalSlots& local() const { return local_; }
  /// An operation, and whether it is a wait for other warps of the CTA.
  struct Known {
    const OpInfo* info = nullptr;
    std::uint64_t variant = 0;
    std::uint32_t operation = 0;
    bool waits_for_warps = false;
  };
  const Known& known(const OpInfo& info, const IssueResult& result);
  void count(const IssueResult& result) {
    CapturedLaunch& l = session_.run().launches[launch_];
    ++l.warp_instructions;
    l.thread_instructions += static_cast<unsigned>(__builtin_popcount(result.active));
  }
  void add_cta(std::uint64_t cta, const std::vector<std::string>& warps,
               const std::vector<std::uint64_t>& counts) {
    session_.writer().add_cta(launch_, cta, grid().count(), warps, counts);
  }

 private:
  CaptureSession& session_;
  const std::uint64_t launch_;
  const std::unique_ptr<KernelProgram> inner_;
  const SourcePlacesIf* const places_;  ///< of `inner_`; null: without source
  const LocalSlots local_;
  std::vector<Known> last_;  ///< by pc
};

class CapturingCta final : public CtaProgram {
 public:
  CapturingCta(CapturingProgram& program, CtaId id, std::unique_ptr<CtaProgram> inner)
      : program_(program), id_(id), inner_(std::move(inner)) {
    for (unsigned w = 0; w < inner_->warp_count(); ++w) {
      warps_.emplace_back(*this, w, inner_->warp(w));
      if ((inner_->ended_warps() >> w & 1) != 0) end_warp(w);
    }
  }
  ~CapturingCta() override {
    std::vector<std::string> bytes;
    std::vector<std::uint64_t> counts;
    for (CapturingWarp& w : warps_) {
      counts.push_back(w.progress().issued);
      bytes.push_back(std::move(w.bytes()));
    }
    program_.add_cta(id_.value, bytes, counts);
  }

  unsigned warp_count() const override { return inner_->warp_count(); }
  WarpProgram& warp(unsigned index) override { return warps_[index]; }
  unsigned warp_threads(unsigned index) const override { return inner_->warp_threads(index); }

  CapturingProgram& program() { return program_; }
  std::vector<WaitEnd::Progress> progress() const {
    std::vector<WaitEnd::Progress> all;
    for (const CapturingWarp& w : warps_) all.push_back(w.progress());
    return all;
  }

 private:
  CapturingProgram& program_;
  const CtaId id_;
  const std::unique_ptr<CtaProgram> inner_;
  std::deque<CapturingWarp> warps_;
};

std::unique_ptr<CtaProgram> CapturingProgram::start_cta(CtaId cta) {
  return std::make_unique<CapturingCta>(*this, cta, inner_->start_cta(cta));
}

const CapturingProgram::Known& CapturingProgram::known(const OpInfo& info,
                                                       const IssueResult& result) {
  if (info.pc >= last_.size()) last_.resize(info.pc + 1);
  Known& k = last_[info.pc];
  const std::uint64_t variant = variant_of(result);
  if (k.info == &info && k.variant == variant) return k;
  const CapturedOperation o = operation_of(info, result, inner_->instruction_text(info.pc));
  k = {&info, variant, session_.intern(o), o.text.find("mbarrier") != std::string::npos};
  return k;
}

bool CapturingWarp::wait_ended() const {
  const bool ended = inner_.wait_ended();
  if (ended && !wait_) {
    wait_.emplace();
    wait_->first_copies = first_copies_;
    wait_->copies = progress_.copies;
    wait_->warps = cta_.progress();
  }
  return ended;
}

void CapturingWarp::issue(const IssueContext& context, IssueResult& result) {
  const OpInfo& info = inner_.next();
  CapturedRecord r;
  if (info.unit == Unit::kWait) {
    r.has_wait = true;
    wait_ended();
  }
  inner_.issue(context, result);
  if (result.kind == IssueResult::Kind::kBlocked) return;
  CapturingProgram& program = cta_.program();
  const CapturingProgram::Known& known = program.known(info, result);
  program.count(result);
  r.operation = known.operation;
  r.mask = result.active;
  if (r.has_wait) {
    r.wait.limited = !wait_;
    if (wait_) r.wait = std::move(*wait_);
    wait_.reset();
    if (!known.waits_for_warps) r.wait.warps.clear();
  }
  ++progress_.issued;
  if (result.kind == IssueResult::Kind::kMemory) {
    const MemoryOp& m = result.memory;
    r.lanes = m.active;
    r.has_addresses = m.space != Space::kConst && m.space != Space::kParam;
    Address base = 0;
    if (m.space == Space::kLocal) {
      const LocalSlots& local = program.local();
      base = local.begin + context.sm * local.sm_bytes + context.warp_slot * local.warp_bytes;
    }
    if (m.active == ~std::uint32_t{0}) {
      for (unsigned i = 0; i < kWarpLanes; ++i) r.address[i] = m.address[i] - base;
    } else {
      for (std::uint32_t left = m.active; left != 0; left &= left - 1) {
        const auto lane = static_cast<unsigned>(__builtin_ctz(left));
        r.address[lane] = m.address[lane] - base;
      }
    }
    if (m.asynchronous) copies_.push_back({m.copy, false});
  }
  encode(r, state_, bytes_);
}

void CapturingWarp::complete(const AccessEnd& access, const std::byte* data) {
  inner_.complete(access, data);
  if (access.copy == 0) return;
  const auto ended = std::find_if(copies_.begin(), copies_.end(), [&](const Copy& c) {
    return c.number == access.copy && !c.ended;
  });
  if (ended == copies_.end()) return;
  ended->ended = true;
  ++progress_.copies;
  for (; !copies_.empty() && copies_.front().ended; copies_.pop_front()) ++first_copies_;
}

/// Records what the source does on the device meanwhile.
class RecordTo {
 public:
  RecordTo(CaptureSession& session, std::vector<HostOperation>& operations)
      : session_(session), before_(session.record_to(&operations)) {}
  ~RecordTo() { session_.record_to(before_); }
  RecordTo(const RecordTo&) = delete;
  RecordTo& operator=(const RecordTo&) = delete;

 private:
  CaptureSession& session_;
  std::vector<HostOperation>* const before_;
};

class CapturingSource final : public KernelSource {
 public:
  CapturingSource(CaptureSession& session, std::uint64_t launch,
                  std::shared_ptr<KernelSource> inner)
      : session_(session), launch_(launch), inner_(std::move(inner)) {}

  const KernelFacts& facts(const std::string& kernel) override {
    std::vector<HostOperation> done;
    const KernelFacts* facts = nullptr;
    {
      const RecordTo here(session_, done);
      facts = &inner_->facts(kernel);
    }
    auto& all = launch().at_facts;
    all.insert(all.end(), done.begin(), done.end());
    launch().facts = *facts;
    return *facts;
  }
  std::vector<std::optional<ArrayLocality>> locality(const LaunchRequest& request) override {
    return inner_->locality(request);
  }
  std::unique_ptr<KernelProgram> make(const LaunchRequest& request,
                                      const LaunchEnvironment& environment) override;

 private:
  CapturedLaunch& launch() { return session_.run().launches[launch_]; }

  CaptureSession& session_;
  const std::uint64_t launch_;
  const std::shared_ptr<KernelSource> inner_;
};

std::unique_ptr<KernelProgram> CapturingSource::make(const LaunchRequest& request,
                                                     const LaunchEnvironment& environment) {
  std::vector<HostOperation> done;
  std::unique_ptr<KernelProgram> inner;
  {
    const RecordTo here(session_, done);
    inner = inner_->make(request, environment);
  }
  const LocalSlots local = local_slots_of(*inner);
  for (HostOperation& h : done) {
    if (local.warp_bytes == 0 || h.kind != HostOperation::Kind::kAllocate) continue;
    if (h.address != local.begin) continue;
    h.kind = HostOperation::Kind::kAllocateSlots;
    h.warp_bytes = local.warp_bytes;
  }
  CapturedLaunch& l = launch();
  l.at_make.insert(l.at_make.end(), done.begin(), done.end());
  l.facts = inner_->facts(request.kernel);
  l.locality = inner_->locality(request);
  l.arguments = request.arguments;
  l.grid = inner->grid();
  l.block = inner->block();
  l.resources = inner->resources();
  l.register_names = inner->register_names();
  l.cooperative = inner->cooperative();
  l.local_warp_bytes = local.warp_bytes;
  return std::make_unique<CapturingProgram>(session_, launch_, std::move(inner));
}

}  // namespace

std::uint32_t CaptureSession::intern(const CapturedOperation& o) {
  std::string key = o.text;
  const auto add = [&key](auto v) { key += '\n' + std::to_string(static_cast<std::uint64_t>(v)); };
  add(o.info.unit);
  add(o.info.cost);
  add(o.info.read_count);
  add(o.info.write_count);
  for (unsigned i = 0; i < o.info.read_count + o.info.write_count; ++i) add(o.info.registers[i]);
  add(o.info.pc);
  add(o.info.line);
  add(o.kind);
  add(o.access);
  add(o.space);
  add(o.scope);
  add(o.read_only);
  add(o.asynchronous);
  add(o.lane_bytes);
  add(o.atomic);
  add(o.atomic_type);
  add(o.barrier);
  add(o.barrier_threads);
  add(o.arrive_only);
  add(o.ends_warp);
  const auto next = static_cast<std::uint32_t>(run_.operations.size());
  const auto [found, fresh] = operations_.emplace(std::move(key), next);
  if (fresh) run_.operations.push_back(o);
  return found->second;
}

std::shared_ptr<KernelSource> captured(CaptureSession& session, std::uint64_t launch,
                                       std::shared_ptr<KernelSource> source) {
  return std::make_shared<CapturingSource>(session, launch, std::move(source));
}

}  // namespace tessera::traces
