// SPDX-License-Identifier: Apache-2.0
#pragma once

// Field numbers of Perfetto's trace format, as far as a time line uses them. Each enumeration is a
// message of the package perfetto.protos (github.com/google/perfetto, protos/perfetto/trace), and
// each enumerator a field of it by its name there: kTrackUuid is `track_uuid`.

#include <cstdint>
#include <protozero/types.hpp>

namespace tessera::perfetto {

/// trace.proto
enum class Trace : protozero::pbf_tag_type { kPacket = 1 };

/// trace_packet.proto
enum class TracePacket : protozero::pbf_tag_type {
  kTimestamp = 8,  ///< uint64, nanoseconds
  kTrustedPacketSequenceId = 10,
  kTrackEvent = 11,
  kInternedData = 12,
  kSequenceFlags = 13,
  kTrackDescriptor = 60,
};

/// TracePacket.SequenceFlags
inline constexpr std::uint32_t kSeqIncrementalStateCleared = 1;
inline constexpr std::uint32_t kSeqNeedsIncrementalState = 2;

/// track_event/track_descriptor.proto
enum class TrackDescriptor : protozero::pbf_tag_type {
  kUuid = 1,
  kName = 2,
  kParentUuid = 5,
  kCounter = 8,
  kChildOrdering = 11,
  kSiblingOrderRank = 12,
};

/// TrackDescriptor.ChildTracksOrdering: by sibling_order_rank.
inline constexpr std::int32_t kExplicit = 3;

/// track_event/counter_descriptor.proto
enum class CounterDescriptor : protozero::pbf_tag_type { kUnitName = 6 };

/// track_event/track_event.proto
enum class TrackEvent : protozero::pbf_tag_type {
  kDebugAnnotations = 4,
  kType = 9,
  kNameIid = 10,
  kTrackUuid = 11,
  kDoubleCounterValue = 44,
  kFlowIds = 47,  ///< fixed64
};

/// TrackEvent.Type
enum class TrackEventType : std::int32_t {
  kSliceBegin = 1,
  kSliceEnd = 2,
  kInstant = 3,
  kCounter = 4,
};

/// track_event/debug_annotation.proto
enum class DebugAnnotation : protozero::pbf_tag_type {
  kNameIid = 1,
  kUintValue = 3,
  kDoubleValue = 5,
  kPointerValue = 7,
};

/// interned_data/interned_data.proto
enum class InternedData : protozero::pbf_tag_type {
  kEventNames = 2,
  kDebugAnnotationNames = 3,
};

/// EventName and DebugAnnotationName, which have the same fields.
enum class InternedName : protozero::pbf_tag_type { kIid = 1, kName = 2 };

}  // namespace tessera::perfetto
