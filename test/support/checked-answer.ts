import { expect } from 'vitest';
import type { z } from 'zod';
import { type ResponseObject, responseObject } from '#channels/responses/response/response-object.ts';
import { type NumberedStreamEvent, streamEvent } from '#channels/responses/response/stream-event.ts';
import { errorEnvelope } from '#http/routes/error-envelope.ts';

type WireError = z.infer<typeof errorEnvelope>['error'];

export type CheckedAnswer = {
  readonly status: number;
  /** The object that was sent, or the one of the terminal event. */
  readonly response: ResponseObject | undefined;
  readonly events: readonly NumberedStreamEvent[];
  readonly error: WireError | undefined;
};

/** Reads an answer of the Responses API and checks every object in it against its schema. */
export async function checkedAnswer(answer: Response): Promise<CheckedAnswer> {
  const nothing = { status: answer.status, response: undefined, events: [], error: undefined };
  expect(answer.headers.get('x-request-id')).toBeTruthy();
  if (answer.headers.get('content-type')?.startsWith('text/event-stream')) {
    const events = checkedEvents(await answer.text());
    const last = events.at(-1);
    return { ...nothing, events, response: last && 'response' in last ? last.response : undefined };
  }
  const body: unknown = await answer.json();
  if (answer.status !== 200) return { ...nothing, error: errorEnvelope.parse(body).error };
  return { ...nothing, response: responseObject.parse(body) };
}

const TERMINAL = /^response\.(completed|incomplete|failed)$/;

/** Frames have only `event:` and `data:`, numbers rise, and the last event is the only terminal one. */
function checkedEvents(stream: string): NumberedStreamEvent[] {
  const frames = stream.split('\n\n');
  expect(frames.pop()).toBe('');
  const events = frames.map((frame) => {
    const [, type, data = ''] = /^event: ([^\n]*)\ndata: ([^\n]*)$/.exec(frame) ?? [];
    const event = streamEvent.parse(JSON.parse(data));
    expect(type).toBe(event.type);
    return event;
  });
  const numbers = events.map((event) => event.sequence_number);
  expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b));
  expect(events.filter(({ type }) => TERMINAL.test(type))).toEqual(events.slice(-1));
  return events;
}
