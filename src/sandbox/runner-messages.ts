import type { Frame } from './frames.ts';
import { type Limits, OUTCOMES, type Outcome, REFUSED, type RefusedReason } from './sandbox.ts';

/** What the runner says, checked as if the guest had written it: it may have taken the runner over. */
export type RunnerMessage =
  | { readonly type: 'ready'; readonly facts: Facts }
  | { readonly type: 'filled'; readonly failure: string | null }
  | { readonly type: 'progress'; readonly body: Buffer }
  | StreamMessage
  | ({ readonly type: 'ran'; readonly body: Buffer } & RanFields)
  | { readonly type: 'file'; readonly path: string; readonly mode: number; readonly body: Buffer }
  | { readonly type: 'removed'; readonly path: string }
  | { readonly type: 'refused'; readonly name: string; readonly reason: RefusedReason }
  | { readonly type: 'excess'; readonly of: 'files' | 'bytes' }
  | { readonly type: 'changed'; readonly files: number; readonly refused: number };

/**
 * One of the connections that the guest opens during a call with network. Both sides say the same: bytes, how many more the other may
 * send, or that it is closed, after the bytes before.
 */
export type StreamMessage = { readonly type: 'stream'; readonly stream: number } & (
  | { readonly act: 'data'; readonly body: Buffer }
  | { readonly act: 'room'; readonly room: number }
  | { readonly act: 'close' }
);

/** So many bytes of a connection may be on their way, in each direction. */
export const STREAM_WINDOW = 128 * 1024;
export const MOST_STREAMS = 32;

type RanFields = {
  readonly outcome: Outcome;
  readonly code: number | null;
  readonly total: number;
  readonly ms: number;
  readonly cpuMs: number;
  readonly fresh: boolean;
};

/** What the runner found out about its surroundings before any guest ran. */
export type Facts = {
  readonly namespaces: Readonly<Record<string, string>>;
  readonly pid: number;
  /** No process is there but this one and process 1. */
  readonly alone: boolean;
  readonly kernel: string;
  readonly devices: readonly string[];
  readonly capabilities: string;
  readonly noNewPrivileges: boolean;
  readonly seccomp: number;
  readonly readOnly: boolean;
  readonly writableBytes: number;
};

const REASONS = Object.keys(REFUSED) as RefusedReason[];

/** Throws on everything that our runner would not say. */
export function parseRunnerMessage({ header, body }: Frame, limits: Limits): RunnerMessage {
  const { type } = header;
  switch (type) {
    case 'ready':
      return { type, facts: parseFacts(header) };
    case 'filled':
      return { type, failure: header['failure'] === null ? null : text(header, 'failure') };
    case 'progress':
      return { type, body: within(body, limits.outputBytes) };
    case 'stream':
      return parseStream(header, body);
    case 'ran':
      return { type, body: within(body, limits.outputBytes + 100), ...parseRan(header) };
    case 'file':
      return { type, path: path(header, limits), mode: mode(header), body: within(body, limits.fileBytes) };
    case 'removed':
      return { type, path: path(header, limits) };
    case 'refused':
      return { type, name: text(header, 'name'), reason: oneOf(header, 'reason', REASONS) };
    case 'excess':
      return { type, of: oneOf(header, 'of', ['files', 'bytes']) };
    case 'changed':
      return { type, files: count(header, 'files'), refused: count(header, 'refused') };
    default:
      throw new Error('A frame of an unknown type came.');
  }
}

function parseStream(header: Frame['header'], body: Buffer): StreamMessage {
  const fields = { type: 'stream', stream: count(header, 'stream') } as const;
  const act = oneOf(header, 'act', ['data', 'room', 'close']);
  if (act === 'data') return { ...fields, act, body: within(body, STREAM_WINDOW) };
  return act === 'room' ? { ...fields, act, room: count(header, 'room') } : { ...fields, act };
}

function parseRan(header: Frame['header']): RanFields {
  return {
    outcome: oneOf(header, 'outcome', OUTCOMES),
    code: header['code'] === null ? null : count(header, 'code'),
    total: count(header, 'total'),
    ms: number(header, 'ms'),
    cpuMs: number(header, 'cpuMs'),
    fresh: flag(header, 'fresh'),
  };
}

function parseFacts(header: Frame['header']): Facts {
  const { namespaces, devices } = header;
  if (typeof namespaces !== 'object' || namespaces === null || !Array.isArray(devices)) throw wrong('facts');
  return {
    namespaces: Object.fromEntries(Object.entries(namespaces).map(([name, id]) => [name, String(id)])),
    pid: count(header, 'pid'),
    alone: flag(header, 'alone'),
    kernel: text(header, 'kernel'),
    devices: devices.map(String),
    capabilities: text(header, 'capabilities'),
    noNewPrivileges: flag(header, 'noNewPrivileges'),
    seccomp: count(header, 'seccomp'),
    readOnly: flag(header, 'readOnly'),
    writableBytes: count(header, 'writableBytes'),
  };
}

/** A name that a workspace could have. The rules for all workspaces are stricter, and not applied here. */
function path(header: Frame['header'], limits: Limits): string {
  const value = text(header, 'path');
  const names = value.split('/');
  const isPlain = names.every((name) => name !== '' && name !== '.' && name !== '..');
  const isShort = Buffer.byteLength(value) <= limits.pathBytes && names.length <= limits.depth;
  if (!isPlain || !isShort || /\p{Cc}|\p{Cs}/u.test(value)) throw wrong('path');
  return value;
}

function mode(header: Frame['header']): number {
  const value = count(header, 'mode');
  if (value > 0o777) throw wrong('mode');
  return value;
}

function within(body: Buffer, maxBytes: number): Buffer {
  if (body.length > maxBytes) throw wrong('body');
  return body;
}

function text(header: Frame['header'], name: string): string {
  const value = header[name];
  if (typeof value !== 'string') throw wrong(name);
  return value;
}

function flag(header: Frame['header'], name: string): boolean {
  const value = header[name];
  if (typeof value !== 'boolean') throw wrong(name);
  return value;
}

function number(header: Frame['header'], name: string): number {
  const value = header[name];
  if (typeof value !== 'number' || !(value >= 0)) throw wrong(name);
  return value;
}

function count(header: Frame['header'], name: string): number {
  const value = number(header, name);
  if (!Number.isSafeInteger(value)) throw wrong(name);
  return value;
}

function oneOf<const T extends string>(header: Frame['header'], name: string, values: readonly T[]): T {
  const value = values.find((each) => each === header[name]);
  if (value === undefined) throw wrong(name);
  return value;
}

function wrong(what: string): Error {
  return new Error(`A frame with a wrong ${what} came.`);
}
