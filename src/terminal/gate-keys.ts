import type { OpenGate } from '@reborn-agent/client/api';
import { approvableCalls } from '@reborn-agent/client/gate-card';

/** `e` shows the exact arguments. */
export type GateKey = 'y' | 'a' | 'n' | 'e' | TickKey;

/** The calls of a card are ticked and unticked by their numbers. */
export const TICK_KEYS = ['1', '2', '3', '4', '5', '6', '7', '8', '9'] as const;
type TickKey = (typeof TICK_KEYS)[number];

/**
 * Which of the keys mean something at this gate. `unticked` are calls that the person does not want, by their ids. What is for the
 * program that asked can't be answered by a person.
 */
export function keysOf(gate: OpenGate, unticked: ReadonlySet<string>): readonly GateKey[] {
  const { kind, calls, always } = gate;
  if (kind === 'approval') {
    const wanted = tickedCalls(gate, unticked);
    const digits = calls.length > 1 ? TICK_KEYS.slice(0, calls.length) : [];
    if (wanted.length === 0) return ['n', 'e', ...digits];
    return always && wanted.length === calls.length ? ['y', 'a', 'n', 'e', ...digits] : ['y', 'n', 'e', ...digits];
  }
  if (kind === 'auth' || kind === 'input') return ['y', 'n'];
  return kind === 'pairing' ? ['n'] : [];
}

/** The calls that `y` approves. */
export const tickedCalls = (gate: OpenGate, unticked: ReadonlySet<string>) =>
  approvableCalls(gate).filter(({ call_id: id }) => !unticked.has(id));
