// SPDX-License-Identifier: Apache-2.0
#include "platforms/timeline/trace_writer.h"

#include <protozero/pbf_builder.hpp>

#include "platforms/timeline/perfetto_fields.h"

namespace tessera {

namespace {

namespace pf = perfetto;
template <class Message>
using Builder = protozero::pbf_builder<Message>;

constexpr std::size_t kPartBytes = std::size_t{1} << 20;
constexpr std::uint32_t kSequence = 1;

}  // namespace

struct TraceWriter::Event {
  pf::TrackEventType type = pf::TrackEventType::kInstant;
  std::uint64_t track = 0;
  std::uint64_t ns = 0;
  std::uint64_t name = 0;  ///< iid; 0: none
  std::uint64_t flow = 0;
  const EventValues* values = nullptr;
  double counter = 0;  ///< of a counter
};

std::uint64_t TraceWriter::Names::iid(const std::string& name) {
  const auto [at, added] = iids.try_emplace(name, iids.size() + 1);
  if (added) unsent.emplace_back(at->second, name);
  return at->second;
}

TraceWriter::TraceWriter(const std::string& file) : out_(file) {}

void TraceWriter::track(const TraceTrack& t) {
  if (!out_.error().empty()) return;
  {
    Builder<pf::Trace> trace(buffer_);
    Builder<pf::TracePacket> packet(trace, pf::Trace::kPacket);
    packet.add_uint32(pf::TracePacket::kTrustedPacketSequenceId, kSequence);
    if (first_) {
      packet.add_uint32(pf::TracePacket::kSequenceFlags, pf::kSeqIncrementalStateCleared);
    }
    first_ = false;
    Builder<pf::TrackDescriptor> track(packet, pf::TracePacket::kTrackDescriptor);
    track.add_uint64(pf::TrackDescriptor::kUuid, t.uuid);
    track.add_string(pf::TrackDescriptor::kName, t.name);
    if (t.parent != 0) track.add_uint64(pf::TrackDescriptor::kParentUuid, t.parent);
    if (!t.unit.empty()) {
      Builder<pf::CounterDescriptor> counter(track, pf::TrackDescriptor::kCounter);
      counter.add_string(pf::CounterDescriptor::kUnitName, t.unit);
    } else {
      track.add_int32(pf::TrackDescriptor::kChildOrdering, pf::kExplicit);
    }
    track.add_int32(pf::TrackDescriptor::kSiblingOrderRank, t.rank);
  }
  if (buffer_.size() >= kPartBytes) write_buffer();
}

void TraceWriter::begin(std::uint64_t track, std::uint64_t ns, const std::string& name,
                        std::uint64_t flow, const EventValues& values) {
  write({pf::TrackEventType::kSliceBegin, track, ns, event_names_.iid(name), flow, &values, 0});
}

void TraceWriter::end(std::uint64_t track, std::uint64_t ns, const EventValues& values) {
  write({pf::TrackEventType::kSliceEnd, track, ns, 0, 0, &values, 0});
}

void TraceWriter::instant(std::uint64_t track, std::uint64_t ns, const std::string& name,
                          const EventValues& values) {
  write({pf::TrackEventType::kInstant, track, ns, event_names_.iid(name), 0, &values, 0});
}

void TraceWriter::counter(std::uint64_t track, std::uint64_t ns, double value) {
  write({pf::TrackEventType::kCounter, track, ns, 0, 0, nullptr, value});
}

void TraceWriter::write(const Event& e) {
  if (!out_.error().empty()) return;
  std::vector<std::uint64_t> value_names;
  if (e.values != nullptr) {
    for (const EventValue& v : *e.values) value_names.push_back(value_names_.iid(v.name));
  }
  {
    Builder<pf::Trace> trace(buffer_);
    Builder<pf::TracePacket> packet(trace, pf::Trace::kPacket);
    packet.add_uint64(pf::TracePacket::kTimestamp, e.ns);
    packet.add_uint32(pf::TracePacket::kTrustedPacketSequenceId, kSequence);
    packet.add_uint32(pf::TracePacket::kSequenceFlags,
                      first_ ? pf::kSeqIncrementalStateCleared | pf::kSeqNeedsIncrementalState
                             : pf::kSeqNeedsIncrementalState);
    first_ = false;
    if (!event_names_.unsent.empty() || !value_names_.unsent.empty()) {
      Builder<pf::InternedData> interned(packet, pf::TracePacket::kInternedData);
      const auto add = [&interned](pf::InternedData index, Names& names) {
        for (const auto& [iid, name] : names.unsent) {
          Builder<pf::InternedName> entry(interned, index);
          entry.add_uint64(pf::InternedName::kIid, iid);
          entry.add_string(pf::InternedName::kName, name);
        }
        names.unsent.clear();
      };
      add(pf::InternedData::kEventNames, event_names_);
      add(pf::InternedData::kDebugAnnotationNames, value_names_);
    }
    Builder<pf::TrackEvent> event(packet, pf::TracePacket::kTrackEvent);
    event.add_enum(pf::TrackEvent::kType, static_cast<std::int32_t>(e.type));
    event.add_uint64(pf::TrackEvent::kTrackUuid, e.track);
    if (e.name != 0) event.add_uint64(pf::TrackEvent::kNameIid, e.name);
    if (e.flow != 0) event.add_fixed64(pf::TrackEvent::kFlowIds, e.flow);
    if (e.type == pf::TrackEventType::kCounter) {
      event.add_double(pf::TrackEvent::kDoubleCounterValue, e.counter);
    }
    for (std::size_t i = 0; i < value_names.size(); ++i) {
      const EventValue& v = (*e.values)[i];
      Builder<pf::DebugAnnotation> annotation(event, pf::TrackEvent::kDebugAnnotations);
      annotation.add_uint64(pf::DebugAnnotation::kNameIid, value_names[i]);
      switch (v.kind) {
        case EventValue::Kind::kCount:
          annotation.add_uint64(pf::DebugAnnotation::kUintValue, v.count);
          break;
        case EventValue::Kind::kAddress:
          annotation.add_uint64(pf::DebugAnnotation::kPointerValue, v.count);
          break;
        case EventValue::Kind::kReal:
          annotation.add_double(pf::DebugAnnotation::kDoubleValue, v.real);
          break;
      }
    }
  }
  if (buffer_.size() >= kPartBytes) write_buffer();
}

void TraceWriter::write_buffer() {
  out_.write(buffer_);
  out_.flush();
  buffer_.clear();
}

std::optional<std::string> TraceWriter::finish() {
  write_buffer();
  const std::string why = out_.complete();
  if (why.empty()) return std::nullopt;
  return "the time line " + out_.path() + " is not complete: " + why;
}

}  // namespace tessera
