import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect } from 'vitest';
import { journey } from '../../support/journey.ts';
import { waitFor } from '../../support/wait-for.ts';

type OtlpSpan = {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: { key: string; value: { stringValue?: string; intValue?: string } }[];
  status: { code?: number };
};

const collector = { status: 200, bodies: [] as string[], refused: 0 };
const test = journey()
  .extend('collectorUrl', { scope: 'file' }, async ({}, { onCleanup }) => {
    const server = createServer((request, response) => {
      void text(request).then((body) => {
        if (collector.status === 200 && request.url === '/v1/traces') collector.bodies.push(body);
        else collector.refused++;
        response.writeHead(collector.status).end('{}');
      });
    });
    onCleanup(() => void server.close());
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  })
  .override('settings', ({ collectorUrl }) => ({ OTEL_EXPORTER_OTLP_ENDPOINT: collectorUrl }))
  .override('parts', { traces: { everyMs: 50, mostAtOnce: 2, mostKept: 3 } });

const spans = (): OtlpSpan[] =>
  collector.bodies.flatMap((body) => JSON.parse(body).resourceSpans[0].scopeSpans[0].spans);
const spansIn = (trace: string) => spans().filter(({ traceId }) => traceId === trace);
const traceOf = async ({ id }: { id: string }) =>
  waitFor('the trace', async () => {
    const hex = id.slice('resp_'.length, 'resp_'.length + 32);
    const found = spansIn(hex);
    return found.length > 0 ? found : undefined;
  });
const attribute = (span: OtlpSpan | undefined, name: string) => {
  const value = span?.attributes.find(({ key }) => key === name)?.value;
  return value?.stringValue ?? value?.intValue;
};

test('a trace has the turn, its model calls and its tool calls, and no message text', async ({ service }) => {
  const answered = await service.ask('use reborn_time {}');
  const trace = await traceOf(answered);

  expect(trace.map(({ name }) => name).toSorted()).toEqual(
    [
      'attempt 1',
      'chat scripted',
      'chat scripted',
      'execute_tool reborn_time',
      'in the queue',
      'invoke_agent reborn',
    ].toSorted(),
  );
  const root = trace.find(({ name }) => name === 'invoke_agent reborn');
  const attempt = trace.find(({ name }) => name === 'attempt 1');
  for (const span of trace) {
    const isStep = span.name.startsWith('chat') || span.name.startsWith('execute_tool');
    expect(span.parentSpanId).toBe(span === root ? undefined : isStep ? attempt?.spanId : root?.spanId);
    expect(BigInt(span.endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(span.startTimeUnixNano));
  }
  expect(new Set(trace.map(({ spanId }) => spanId)).size).toBe(trace.length);
  expect(attribute(root, 'reborn.status')).toBe('completed');
  expect(attribute(root, 'gen_ai.usage.input_tokens')).toBe(String(answered.usage.input_tokens));
  expect(collector.bodies.join()).not.toContain('result:');
});

test('a failed turn is an error with its code', async ({ service }) => {
  const trace = await traceOf(await service.ask('break 400'));
  const root = trace.find(({ name }) => name === 'invoke_agent reborn');
  expect(root?.status.code).toBe(2);
  expect(attribute(root, 'error.type')).toBe('model_error');
});

test("a caller's trace continues in the turn, in the model's requests, and on the replica that takes over", async ({
  service,
  startAnother,
  model,
}) => {
  const first = await startAnother();
  const [trace, parent] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331'];
  const response = await first.request('/api/v1/responses', {
    method: 'POST',
    headers: { traceparent: `00-${trace}-${parent}-01` },
    body: JSON.stringify({ model: 'm', input: 'count 20 every 100', background: true }),
  });
  const { id } = (await response.json()) as { id: string };
  const asked = () => model.seen.flatMap(({ traceparent }) => (traceparent?.includes(trace) ? [traceparent] : []));
  await waitFor('the model to be asked', async () => asked().length > 0);
  await first.close();
  await waitFor('the turn to end elsewhere', async () => {
    const found = (await (await service.request(`/api/v1/responses/${id}`)).json()) as { status: string };
    return found.status === 'completed';
  });
  await waitFor('the trace', async () => spansIn(trace).length > 0);

  const root = spansIn(trace).find(({ name }) => name === 'invoke_agent reborn');
  expect(root?.parentSpanId).toBe(parent);
  const attempts = spansIn(trace).filter(({ name }) => name.startsWith('attempt'));
  expect(attempts.map(({ name }) => name)).toEqual(['attempt 1', 'attempt 2']);
  expect(asked()).toEqual(attempts.map(({ spanId }) => `00-${trace}-${spanId}-01`));
});

test('a collector that was down receives the newest spans later', async ({ service }) => {
  collector.status = 503;
  const turns = [];
  for (let turn = 0; turn < 5; turn++) turns.push(await service.ask(`say ${turn}`));
  const before = collector.refused;
  await waitFor('an attempt', async () => collector.refused > before);
  collector.status = 200;

  for (const turn of turns.slice(2)) await traceOf(turn);
  const [first] = turns;
  expect(spans().some(({ traceId }) => first?.id.includes(traceId))).toBe(false);
});
