// SPDX-License-Identifier: Apache-2.0
#include "modules/host/command_queue.h"

namespace tessera {

std::uint64_t CommandQueue::read(CommandRegister r, std::uint64_t queues) const {
  switch (r) {
    case CommandRegister::kId:
      return kCommandIdReset;
    case CommandRegister::kQueueBase:
      return base;
    case CommandRegister::kQueueSize:
      return size;
    case CommandRegister::kHead:
      return head;
    case CommandRegister::kTail:
      return tail;
    case CommandRegister::kStatus:
      return (size != 0 ? command_status::kQueueSet : 0) | (idle() ? 0 : command_status::kBusy) |
             (halted() ? command_status::kHalted : 0);
    case CommandRegister::kInterruptEnable:
      return interrupt_enable;
    case CommandRegister::kInterruptStatus:
      return interrupt_status;
    case CommandRegister::kError:
      return static_cast<std::uint64_t>(error);
    case CommandRegister::kErrorPacket:
      return error_packet;
    case CommandRegister::kLastCompleted:
      return last_completed;
    case CommandRegister::kQueues:
      return queues;
    case CommandRegister::kCompleted:
      break;
  }
  return completed;
}

}  // namespace tessera
