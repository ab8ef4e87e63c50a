import { type TurnTrace, toOtlpTraces } from './otlp-traces.ts';

const TIMEOUT_MS = 5000;

/** Posts traces to an OpenTelemetry collector; throws when it did not take them. */
export function createTraceSender(endpoint: string, service: { readonly version: string; readonly replica: string }) {
  const url = `${endpoint.replace(/\/$/, '')}/v1/traces`;
  return async (traces: readonly TurnTrace[]): Promise<void> => {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(toOtlpTraces(traces, service)),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    await answer.body?.cancel();
    if (!answer.ok) throw new Error(`The collector at ${url} answered ${answer.status}.`);
  };
}
