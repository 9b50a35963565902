// SPDX-License-Identifier: Apache-2.0
#include "platforms/vp_session.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "common/error.h"
#include "common/json.h"
#include "common/suggest.h"

namespace tessera {

using nlohmann::ordered_json;

namespace {

constexpr std::uint64_t kMostNs = 1'000'000'000'000;  // that a request can name

/// Length without the beginning of a character of UTF-8 at the end, whose rest is to come.
std::size_t whole_characters(const std::string& text, std::size_t begin) {
  const std::size_t size = text.size();
  for (std::size_t back = 1; back <= 3 && back <= size - begin; ++back) {
    const auto byte = static_cast<unsigned char>(text[size - back]);
    if ((byte & 0xc0) == 0x80) continue;
    const std::size_t length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? size - back : size;
  }
  return size;
}

SessionAnswer refusal(unsigned status, const std::string& what) {
  SessionAnswer answer;
  answer.status = status;
  answer.body = ordered_json{{"error", what}};
  return answer;
}

}  // namespace

VpSession::VpSession(SessionChannel& channel, VpSessionSite site)
    : channel_(channel), site_(std::move(site)), views_(site_) {
  alarm_.bind<&VpSession::alarm>(*this);
  if (site_.options.session_paused) {
    paused_ = true;
    why_ = "the run begins";
  }
  site_.board.uart.on_output = [this, before = site_.board.uart.on_output](char c) {
    if (before) before(c);
    sent(c);
  };
  channel_.on_submit([this] { bell_.ring(); });
}

VpSession::~VpSession() {
  channel_.close();
  if (step_) (*step_)(refusal(503, "the run is over"));
}

bool VpSession::ends() const {
  return channel_.quits() || (site_.options.interrupted && site_.options.interrupted());
}

void VpSession::serve() {
  if (site_.ended()) return;
  if (!due_.empty()) pause(std::exchange(due_, std::string()));
  answer_waiting();
  const auto begin = std::chrono::steady_clock::now();
  while (paused_ && !ends()) {
    channel_.wait(kPoll);
    answer_waiting();
  }
  paused_time_ += std::chrono::steady_clock::now() - begin;
  if (sc_core::sc_get_status() >= sc_core::SC_RUNNING) return;
  // SystemC forgets a pause that comes while it initialises: the alarm looks again. It would warn
  // of an sc_start() that a request pauses before anything has happened, unless an update was
  // pending at the first one.
  alarm_.at(now());
  bell_.ring();
}

void VpSession::end_run() {
  channel_.on_submit(nullptr);
  bell_.silent = true;
  breakpoints_.clear();
  due_.clear();
}

void VpSession::serve_ended() {
  end_run();
  ended_ = true;
  paused_ = false;
  why_.clear();
  if (step_) {
    SessionAnswer answer;
    answer.body = state();
    (*std::exchange(step_, std::nullopt))(std::move(answer));
  }
  answer_waiting();
  if (!ends() && site_.options.on_session_stays) site_.options.on_session_stays(site_.result);
  while (!ends()) {
    channel_.wait(kPoll);
    answer_waiting();
  }
  channel_.close();
}

void VpSession::answer_waiting() {
  while (auto call = channel_.take()) handle(*call);
}

void VpSession::handle(const SessionChannel::Call& call) {
  SessionAnswer answer;
  try {
    if (call.request.post && call.request.path == "/step") {
      begin_step(call.request, call.done);
      return;
    }
    answer.body = answer_to(call.request);
  } catch (const SessionError& e) {
    answer = refusal(e.status, e.what);
  } catch (const InputError& e) {
    answer = refusal(400, e.what());
  }
  call.done(std::move(answer));
}

/// /step is answered later (begin_step()).
struct VpSession::Route {
  const char* path;
  bool post;
  ordered_json (*answer)(VpSession&, const SessionRequest&);
};

ordered_json VpSession::answer_to(const SessionRequest& request) {
  using Self = VpSession;
  using Request = SessionRequest;
  static constexpr Route kRoutes[] = {
      {"/state", false, [](Self& s, const Request&) { return s.state(); }},
      {"/pause", true, [](Self& s, const Request&) { return s.pause_by_request(); }},
      {"/continue", true, [](Self& s, const Request&) { return s.go_on(); }},
      {"/step", true, nullptr},
      {"/quit", true, [](Self& s, const Request&) { return s.quit(); }},
      {"/statistics", false,
       [](Self& s, const Request& r) { return s.views_.statistics(r.query); }},
      {"/parameters", false,
       [](Self& s, const Request& r) { return s.views_.parameters(r.query); }},
      {"/parameters", true,
       [](Self& s, const Request& r) { return s.views_.set_parameters(*r.body); }},
      {"/memory", false, [](Self& s, const Request& r) { return s.views_.memory(r.query); }},
      {"/memory", true, [](Self& s, const Request& r) { return s.views_.write_memory(*r.body); }},
      {"/uart", false, [](Self& s, const Request& r) { return s.output(r.query); }},
      {"/uart", true, [](Self& s, const Request& r) { return s.send(*r.body); }},
      {"/devices", false, [](Self& s, const Request&) { return s.views_.devices(); }},
      {"/symbols", false, [](Self& s, const Request& r) { return s.views_.symbols(r.query); }},
      {"/breakpoint", false, [](Self& s, const Request&) { return s.breakpoints(); }},
      {"/breakpoint", true, [](Self& s, const Request& r) { return s.set_breakpoint(r); }}};
  std::vector<std::string> known;
  bool there = false;
  for (const Route& route : kRoutes) {
    known.emplace_back(route.path);
    if (request.path != route.path) continue;
    there = true;
    if (request.post != route.post || route.answer == nullptr) continue;
    if (route.post && request.path != "/quit") require_running();
    return route.answer(*this, request);
  }
  if (there) {
    throw SessionError{405, request.path + " takes " + (request.post ? "GET" : "POST") + " only"};
  }
  throw SessionError{404,
                     "unknown path '" + request.path + "'" + did_you_mean(request.path, known)};
}

ordered_json VpSession::pause_by_request() {
  if (!paused_) pause("a request");
  return state();
}

ordered_json VpSession::go_on() {
  paused_ = false;
  why_.clear();
  return state();
}

ordered_json VpSession::quit() {
  channel_.quit();
  return state();
}

void VpSession::require_running() const {
  if (ended_) throw SessionError{409, "the run has ended"};
}

void VpSession::begin_step(const SessionRequest& request, SessionChannel::Done done) {
  VpSessionViews::Query query = request.query;
  if (request.body->is_object() && request.body->contains("ns")) {
    const ordered_json& ns = (*request.body)["ns"];
    query["ns"] = ns.is_string() ? ns.get<std::string>() : ns.dump();
  }
  const std::uint64_t ns = VpSessionViews::number_of(query, "ns", "ns", 1, kMostNs);
  require_running();
  if (!paused_) throw SessionError{409, "the run is not paused: a step begins at a paused time"};
  if (ns > (kNever - 1 - now()) / kTicksPerNs) throw SessionError{400, "ns: beyond simulated time"};
  Breakpoint end;
  end.at = now() + ns * kTicksPerNs;
  breakpoints_.push_back(end);
  schedule();
  step_ = std::move(done);
  paused_ = false;
  why_.clear();
}

ordered_json VpSession::set_breakpoint(const SessionRequest& request) {
  const ordered_json& body = *request.body;
  const auto is = [&body](const char* key) { return body.is_object() && body.contains(key); };
  if (is("remove")) {
    const auto found = std::find_if(
        breakpoints_.begin(), breakpoints_.end(),
        [&body](const Breakpoint& b) { return b.id != 0 && body["remove"] == ordered_json(b.id); });
    if (found == breakpoints_.end()) {
      throw SessionError{404, "there is no breakpoint " + body["remove"].dump()};
    }
    breakpoints_.erase(found);
    return breakpoints();
  }
  Breakpoint b;
  if (is("time_ns") && body["time_ns"].is_number_unsigned()) {
    const auto ns = body["time_ns"].get<std::uint64_t>();
    if (ns > kMostNs || ns * kTicksPerNs <= now()) {
      throw SessionError{400, "time_ns: simulated time is already there, or beyond " +
                                  std::to_string(kMostNs) + " ns"};
    }
    b.at = ns * kTicksPerNs;
  } else if (is("uart") && body["uart"].is_string() && !body["uart"].get<std::string>().empty()) {
    b.text = body["uart"].get<std::string>();
    b.from = output_begin_ + output_.size();
  } else {
    throw SessionError{400, R"(expected {"time_ns": N}, {"uart": "TEXT"} or {"remove": ID})"};
  }
  b.id = ++last_id_;
  breakpoints_.push_back(std::move(b));
  schedule();
  ordered_json answer = breakpoints();
  answer["id"] = last_id_;
  return answer;
}

ordered_json VpSession::breakpoints() const {
  ordered_json all = ordered_json::array();
  for (const Breakpoint& b : breakpoints_) {
    if (b.id == 0) continue;
    ordered_json one = {{"id", b.id}};
    if (b.text.empty()) {
      one["time_ns"] = b.at / kTicksPerNs;
    } else {
      one["uart"] = b.text;
    }
    all.push_back(std::move(one));
  }
  return {{"breakpoints", std::move(all)}};
}

ordered_json VpSession::send(const ordered_json& body) {
  if (!body.is_object() || !body.contains("text") || !body["text"].is_string()) {
    throw SessionError{400, R"(expected {"text": "characters"})"};
  }
  const auto text = body["text"].get<std::string>();
  for (const char c : text) site_.board.uart.receive(c);
  return {{"bytes", text.size()}};
}

ordered_json VpSession::output(const VpSessionViews::Query& query) const {
  std::uint64_t from = 0;
  if (query.count("from") != 0) {
    from = VpSessionViews::number_of(query, "from", "byte", 0, kNever);
  }
  const std::uint64_t end = output_begin_ + output_.size();
  from = std::clamp(from, output_begin_, end);
  const auto begin = static_cast<std::size_t>(from - output_begin_);
  const std::size_t size = whole_characters(output_, begin);
  return {{"from", from},
          {"next", output_begin_ + size},
          {"text", output_.substr(begin, size - begin)}};
}

ordered_json VpSession::state() const {
  const Tick t = now();
  ordered_json time_ns = t / kTicksPerNs;
  if (t % kTicksPerNs != 0) time_ns = static_cast<double>(t) / static_cast<double>(kTicksPerNs);
  ordered_json end;
  if (ended_) {
    const VirtualPlatformResult& r = site_.result;
    end = {{"reason", text_of(r.end)}, {"status", r.status}, {"why", r.why}};
  }
  std::uint64_t instructions = 0;
  for (const auto& core : site_.board.cores) instructions += core->stats().instructions;
  ordered_json s;
  s["state"] = ended_ ? "ended" : paused_ ? "paused" : "running";
  s["why"] = why_;
  s["time_ns"] = std::move(time_ns);
  s["time_fs"] = t;
  s["instructions"] = instructions;
  s["end"] = std::move(end);
  s["cores"] = views_.cores();
  s["queues"] = views_.queues();
  s["uart"] = {{"sent", output_begin_ + output_.size()},
               {"received", site_.board.uart.stats().received}};
  s.update(breakpoints());
  return s;
}

void VpSession::pause(const std::string& why) {
  paused_ = true;
  why_ = why;
  const auto is_step = [](const Breakpoint& b) { return b.id == 0; };
  breakpoints_.erase(std::remove_if(breakpoints_.begin(), breakpoints_.end(), is_step),
                     breakpoints_.end());
  if (!step_) return;
  SessionAnswer answer;
  answer.body = state();
  (*std::exchange(step_, std::nullopt))(std::move(answer));
}

void VpSession::schedule() {
  Tick next = kNever;
  for (const Breakpoint& b : breakpoints_) next = std::min(next, b.at);
  alarm_.at(next);
}

/// At the time of a breakpoint or of the end of a step, and when simulated time begins.
void VpSession::alarm() {
  const Tick t = now();
  for (const Breakpoint& b : breakpoints_) {
    if (b.at > t) continue;
    // A step's end is there in addition.
    if (due_.empty() || b.id != 0) {
      due_ = b.id == 0 ? "the end of a step"
                       : "breakpoint " + std::to_string(b.id) + ": " +
                             std::to_string(b.at / kTicksPerNs) + " ns";
    }
  }
  const auto is_due = [t](const Breakpoint& b) { return b.at <= t; };
  breakpoints_.erase(std::remove_if(breakpoints_.begin(), breakpoints_.end(), is_due),
                     breakpoints_.end());
  schedule();
  if (!due_.empty() || (channel_.pending() && !bell_.silent)) sc_core::sc_pause();
}

void VpSession::sent(char c) {
  if (output_.size() == 2 * kMostOutput) {
    output_.erase(0, kMostOutput);
    output_begin_ += kMostOutput;
  }
  output_ += c;
  const std::uint64_t end = output_begin_ + output_.size();
  for (std::size_t i = 0; i < breakpoints_.size(); ++i) {
    const Breakpoint& b = breakpoints_[i];
    const std::size_t n = b.text.size();
    if (n == 0 || b.from + n > end || n > output_.size() ||
        output_.compare(output_.size() - n, n, b.text) != 0) {
      continue;
    }
    due_ = "breakpoint " + std::to_string(b.id) + ": software has sent " +
           ordered_json(b.text).dump(-1, ' ', false, ordered_json::error_handler_t::replace);
    breakpoints_.erase(breakpoints_.begin() + static_cast<std::ptrdiff_t>(i));
    sc_core::sc_pause();
    return;
  }
}

}  // namespace tessera
