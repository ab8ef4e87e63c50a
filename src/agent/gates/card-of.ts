import type { describeReason } from '@reborn-agent/client/gate-card';
import { callsOf, type OpenGate } from '#domain/tool/gate.ts';

/** The part of a gate that its sentence is made of, as the clients know it. */
export function cardOf(gate: OpenGate): Parameters<typeof describeReason>[0] {
  const { asked } = gate;
  return {
    situation: asked?.situation ?? 'clean',
    because: (asked?.because ?? []).map(({ kind, name, foreign = false, private: secret = false, itemId }) => ({
      kind,
      name,
      foreign,
      private: secret,
      item_id: itemId,
    })),
    calls: callsOf(gate).map(({ call, address = null }) => ({
      call_id: call.callId,
      name: call.name,
      arguments: call.arguments,
      address,
    })),
  };
}
