import { createHash } from 'node:crypto';
import { hexFromUuid, type TurnId } from '../ids.ts';

/** The caller's span that a turn belongs to. */
export type TraceContext = { readonly traceId: string; readonly parentId: string };

/** The four fields of version 00. A later version may append fields. */
const TRACEPARENT = /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-[\da-f]{2}(?:-.{0,200})?$/;

/** Reads a `traceparent` header (W3C Trace Context). An invalid one is ignored, as the standard requires. */
export function parseTraceparent(header: unknown): TraceContext | undefined {
  const [, traceId, parentId] = (typeof header === 'string' && TRACEPARENT.exec(header)) || [];
  return traceId !== undefined && parentId !== undefined ? { traceId, parentId } : undefined;
}

type Identified = { readonly id: TurnId };
type Traced = Identified & { readonly request: { readonly trace?: TraceContext } };

/** The caller's trace, or one with the turn's id. It is the same on every replica. */
export const traceIdOf = ({ id, request }: Traced): string => request.trace?.traceId ?? hexFromUuid(id);

/** Always the same for the same part of a turn, so that a span sent twice is stored once, and any replica can name it. */
export const spanIdOf = ({ id }: Identified, part: string): string =>
  createHash('sha256').update(`${id} ${part}`).digest('hex').slice(0, 16);

export const attemptSpanId = (turn: Identified, attempt: number): string => spanIdOf(turn, `attempt ${attempt}`);

/** The header for requests that an attempt at a turn sends. */
export const traceparentOf = (turn: Traced & { readonly attempt: number }): string =>
  `00-${traceIdOf(turn)}-${attemptSpanId(turn, turn.attempt)}-01`;
