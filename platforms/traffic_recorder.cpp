// SPDX-License-Identifier: Apache-2.0
#include "platforms/traffic_recorder.h"

#include "common/error.h"
#include "common/hex.h"
#include "common/suggest.h"
#include "common/text.h"
#include "modules/kernel/sc_time.h"
#include "modules/protocol/link_packet.h"

namespace tessera {

namespace {

constexpr Tick kTicksPerPs = kTicksPerNs / 1000;

}  // namespace

TrafficFile::Form TrafficFile::form_of(const std::string& file) {
  if (ends_with(file, ".trace")) return Form::kRamulator;
  if (ends_with(file, ".ldst")) return Form::kRamulator2;
  if (ends_with(file, ".stl")) return Form::kDramSys;
  throw InputError("--record-traffic: '" + file +
                   "' must end with .trace (Ramulator), .ldst (Ramulator 2) or .stl (DRAMSys)");
}

TrafficFile::TrafficFile(const std::string& block, const std::string& file)
    : form_(form_of(file)), file_(file) {
  if (form_ == Form::kDramSys) {
    file_.write("# requests at " + block + " in picoseconds: \"clkMhz\": 1000000\n");
  }
}

void TrafficFile::add(Request request) {
  if (!file_.is_open()) return;
  // What arrives before the present time has been announced.
  write_before(now());
  request.number = next_number_++;
  waiting_.push(request);
}

void TrafficFile::write_before(Tick end) {
  for (; !waiting_.empty() && waiting_.top().arrival < end; waiting_.pop()) write(waiting_.top());
}

void TrafficFile::write(const Request& r) {
  empty_ = false;
  switch (form_) {
    case Form::kRamulator:
      file_.write(hex(r.address) + (r.write ? " W\n" : " R\n"));
      break;
    case Form::kRamulator2:
      file_.write((r.write ? "ST " : "LD ") + hex(r.address) + '\n');
      break;
    case Form::kDramSys:
      file_.write(std::to_string(r.arrival / kTicksPerPs) + ": (" + std::to_string(r.bytes) +
                  (r.write ? ") write " : ") read ") + hex(r.address) + '\n');
      break;
  }
}

std::string TrafficFile::finish(Tick end) {
  write_before(end + 1);
  const std::string why = file_.complete();
  return why.empty() ? "" : file_.path() + ": cannot be written: " + why;
}

TrafficSocket::TrafficSocket(const sc_core::sc_module_name& name, TrafficFile& file)
    : SocketSplice(name), file_(file) {}

tlm::tlm_sync_enum TrafficSocket::nb_transport_fw(tlm::tlm_generic_payload& payload,
                                                  tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  if (phase == tlm::BEGIN_REQ) {
    const Tick arrival = now() + delay.value();
    const auto* const packet = dynamic_cast<const LinkPacket*>(&payload);
    if (packet == nullptr) {
      record(payload, arrival);
    } else if (packet->channel == PacketClass::kRequest) {
      for (const LinkPacket::Content& c : *packet) record(*c.payload, arrival);
    }
  }
  return SocketSplice::nb_transport_fw(payload, phase, delay);
}

void TrafficSocket::record(const tlm::tlm_generic_payload& request, Tick arrival) {
  if (request.get_command() == tlm::TLM_IGNORE_COMMAND) return;
  TrafficFile::Request r;
  r.arrival = arrival;
  r.address = request.get_address();
  r.bytes = request.get_data_length();
  r.write = request.is_write();
  file_.add(r);
}

TrafficRecorders::TrafficRecorders(const PlatformPlan& plan,
                                   const std::vector<TrafficRecording>& recordings) {
  std::vector<std::string> names;
  std::vector<PlannedBlockId> blocks;
  for (PlannedBlockId id = 0; id < plan.blocks.size(); ++id) {
    if (plan.blocks[id].inputs == 0) continue;
    names.push_back(plan.path_of(plan.blocks[id]));
    blocks.push_back(id);
  }
  for (const TrafficRecording& r : recordings) {
    std::size_t i = 0;
    while (i < names.size() && names[i] != r.block) ++i;
    if (i == names.size()) {
      throw InputError("--record-traffic: '" + r.block + "' is no block that receives requests" +
                       did_you_mean(r.block, names) +
                       " (tessera config PLATFORM --plan lists the blocks)");
    }
    all_.push_back(
        {blocks[i], std::make_unique<TrafficFile>(r.block, r.file), r.on_incomplete, r.on_empty});
  }
}

TrafficSocket* TrafficRecorders::splice(const PlannedLink& link) {
  for (Recorded& r : all_) {
    if (r.block != link.to) continue;
    const std::string name = "traffic" + std::to_string(sockets_.size());
    return &sockets_.emplace_back(name.c_str(), *r.file);
  }
  return nullptr;
}

void TrafficRecorders::finish(Tick end) {
  for (Recorded& r : all_) {
    const std::string why = r.file->finish(end);
    if (!why.empty() && r.on_incomplete) r.on_incomplete(why);
    if (why.empty() && r.file->empty() && r.on_empty) r.on_empty();
  }
}

}  // namespace tessera
