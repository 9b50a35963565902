// SPDX-License-Identifier: Apache-2.0
#include "platforms/timeline/event_recorders.h"

#include <algorithm>
#include <utility>

#include "stimuli/warp_program.h"

namespace tessera {

namespace {

bool same(const LaunchedCta& a, const LaunchedCta& b) {
  return a.id == b.id && a.launch == b.launch;
}

}  // namespace

// CTAs.

void CtaRecorder::start_cta(KernelProgram& kernel, LaunchedCta cta, Tick at) {
  running_.push_back({cta, kernel.name(), at});
  sm_.start_cta(kernel, cta, at);
}

void CtaRecorder::adopt_cta(KernelProgram& kernel, std::unique_ptr<CtaProgram> program,
                            LaunchedCta cta, Tick at) {
  running_.push_back({cta, kernel.name(), at});
  sm_.adopt_cta(kernel, std::move(program), cta, at);
}

void CtaRecorder::release_cta(LaunchedCta cta, CtaReleased released) {
  sm_.release_cta(cta,
                  [this, cta, call = std::move(released)](std::unique_ptr<CtaProgram> program) {
                    end(cta, now());
                    call(std::move(program));
                  });
}

void CtaRecorder::cta_finished(SmId sm, LaunchedCta cta) {
  end(cta, now());
  dispatcher_.cta_finished(sm, cta);
}

void CtaRecorder::end(const LaunchedCta& cta, Tick at) {
  const auto found = std::find_if(running_.begin(), running_.end(),
                                  [&cta](const Running& r) { return same(r.cta, cta); });
  if (found == running_.end()) return;
  record(*found, at);
  running_.erase(found);
}

void CtaRecorder::record(const Running& r, Tick at) {
  trace_.slice(lanes_, r.kernel, r.since, std::max(at, r.since),
               {EventValue::of("cta", r.cta.id.value)});
}

void CtaRecorder::finish(Tick at) {
  for (const Running& r : running_) record(r, at);
  running_.clear();
}

// Flushes.

void FlushRecorder::flush() {
  trace_.instant(lanes_, "flush", now());
  cache_.flush();
}

std::function<void()> WriteBackRecorder::recorded(std::string what, std::function<void()> done) {
  return [this, begin = now(), name = std::move(what), call = std::move(done)] {
    trace_.slice(lanes_, name, begin, now());
    call();
  };
}

void WriteBackRecorder::flush(LaunchSlot launch, std::function<void()> done) {
  cache_.flush(launch, recorded("flush", std::move(done)));
}

void WriteBackRecorder::write_back_copies(LaunchSlot launch, std::function<void()> done) {
  cache_.write_back_copies(launch, recorded("write back copies", std::move(done)));
}

void WriteBackRecorder::drop_copies() {
  trace_.instant(lanes_, "drop copies", now());
  cache_.drop_copies();
}

// Rows.

RowRecorder::Bank& RowRecorder::bank(std::uint32_t number) {
  Bank& b = banks_[number];
  if (b.lanes == nullptr) b.lanes = &trace_.lanes(track_, "bank " + std::to_string(number));
  return b;
}

void RowRecorder::close(Bank& b, Tick at) {
  if (!b.open) return;
  b.open = false;
  trace_.slice(*b.lanes, "row", b.since, at,
               {EventValue::of("row", b.row), EventValue::of("reads", b.reads),
                EventValue::of("writes", b.writes)});
}

void RowRecorder::on_command(const DramCommand& c) {
  const Tick at = clock_.time_of(c.cycle);
  switch (c.kind) {
    case DramCommand::Kind::kActivate: {
      Bank& b = bank(c.bank);
      b.open = true;
      b.row = c.row;
      b.since = at;
      b.reads = b.writes = 0;
      break;
    }
    case DramCommand::Kind::kPrecharge:
    case DramCommand::Kind::kAutoPrecharge:
      close(bank(c.bank), at);
      break;
    case DramCommand::Kind::kRead:
      ++bank(c.bank).reads;
      break;
    case DramCommand::Kind::kWrite:
      ++bank(c.bank).writes;
      break;
    case DramCommand::Kind::kPrechargeAll:
      for (auto& [number, b] : banks_) close(b, at);
      break;
    case DramCommand::Kind::kRefresh:
      if (refreshes_ == nullptr) refreshes_ = &trace_.lanes(track_, "refreshes");
      trace_.instant(*refreshes_, "refresh", at);
      break;
  }
}

void RowRecorder::finish(Tick at) {
  for (auto& [number, b] : banks_) close(b, std::max(at, b.since));
}

// Events of blocks.

void BlockEventRecorder::on_event(const std::string& row, const std::string& what, Tick begin,
                                  Tick end, const std::vector<Value>& values) {
  EventLanes*& lanes = rows_[row];
  if (lanes == nullptr) lanes = &trace_.lanes(track_, row);
  EventValues all;
  for (const Value& v : values) all.push_back(EventValue::number(v.name, v.value));
  trace_.slice(*lanes, what, begin, end, all);
}

}  // namespace tessera
