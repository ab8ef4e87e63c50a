import type { FastifyRequest } from 'fastify';
import { parseTraceparent, type TraceContext } from '#domain/trace/trace-context.ts';

/** The caller's trace, to start a turn with. */
export function traceOf({ headers }: Pick<FastifyRequest, 'headers'>): { readonly trace?: TraceContext } {
  const trace = parseTraceparent(headers['traceparent']);
  return trace ? { trace } : {};
}
