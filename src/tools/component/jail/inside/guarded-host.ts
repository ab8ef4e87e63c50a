import type { Bridge, EndKind } from './bridge.ts';

/** What is used while the guest runs is taken before it exists: the guest may replace it. */
export const { apply } = Reflect;
const { getOwnPropertyDescriptor, getPrototypeOf } = Reflect;
export const RealmError = Error;
export const RealmTypeError = TypeError;
export const Bytes = Uint8Array;
const views = getPrototypeOf(Bytes.prototype) as Uint8Array;
export const setBytes = getOwnPropertyDescriptor(views, 'set')?.value as Uint8Array['set'];
const nameOfView = getOwnPropertyDescriptor(views, Symbol.toStringTag)?.get as () => string;
const lengthOfView = getOwnPropertyDescriptor(views, 'length')?.get as () => number;

/** The bridge as the realm uses it: every argument is of its type, and no error of the outside comes in. */
export type Host = {
  decode(bytes: Uint8Array): string | undefined;
  encode(text: string): Uint8Array;
  random(length: number): Uint8Array;
  later(milliseconds: number, run: () => void): void;
  nanoseconds(): bigint;
  log(level: string, message: string): void;
  request(
    method: string,
    url: string,
    headers: string,
    body: Uint8Array | undefined,
    timeoutMs: number | undefined,
    answer: (error: string | undefined, status: number, body: Uint8Array) => void,
  ): void;
  secretExists(name: string, answer: (exists: boolean) => void): void;
  end(kind: EndKind, text: string): void;
};

export function createHost(bridge: Bridge): Host {
  const { reserve, send, receive } = createTransfer(bridge);
  return {
    decode: (bytes) => {
      const length = send(bytes);
      return guard(() => bridge.decode(length));
    },
    encode: (text) => {
      const given = textOf(text);
      reserve(given.length * 3);
      return receive(guard(() => bridge.encode(given)));
    },
    random: (length) => {
      reserve(length);
      guard(() => bridge.random(length));
      return receive(length);
    },
    later: (milliseconds, run) => {
      const given = numberOf(milliseconds);
      guard(() => bridge.later(given, () => quietly(run)));
    },
    nanoseconds: () => guard(() => bridge.nanoseconds()),
    log: (level, message) => {
      const given = { level: textOf(level), message: textOf(message) };
      guard(() => bridge.log(given.level, given.message));
    },
    request: (method, url, headers, body, timeoutMs, answer) => {
      const given = { method: textOf(method), url: textOf(url), headers: textOf(headers) };
      const timeout = timeoutMs === undefined ? undefined : numberOf(timeoutMs);
      const bodyLength = body === undefined ? -1 : send(body);
      guard(() =>
        bridge.request(given.method, given.url, given.headers, bodyLength, timeout, (error, status, length) =>
          quietly(() => {
            reserve(length);
            answer(error, status, receive(length));
          }),
        ),
      );
    },
    secretExists: (name, answer) => {
      const given = textOf(name);
      guard(() => bridge.secretExists(given, (exists) => quietly(() => answer(exists))));
    },
    end: (kind, text) => guard(() => bridge.end(kind, text)),
  };
}

/** Moves bytes through the buffer that both sides share, and that the guest never sees. */
function createTransfer(bridge: Bridge) {
  let buffer = bridge.reserve(0);
  let room = 0;

  const reserve = (length: number): void => {
    if (length <= room) return;
    buffer = guard(() => bridge.reserve(length));
    room = length;
  };
  // Neither `slice` nor `subarray`: both ask the guest for a constructor, and show it the array.
  const send = (bytes: Uint8Array): number => {
    const length = lengthOf(bytes);
    reserve(length);
    apply(setBytes, new Bytes(buffer, 0, length), [bytes]);
    return length;
  };
  const receive = (length: number): Uint8Array => {
    const bytes = new Bytes(length);
    apply(setBytes, bytes, [new Bytes(buffer, 0, length)]);
    return bytes;
  };
  return { reserve, send, receive };
}

/** An error of the outside would lead the guest to its constructor. */
function guard<T>(act: () => T): T {
  try {
    return act();
  } catch {
    throw new RealmError('the host failed');
  }
}

/** Called from outside, where an error could not be handled. */
function quietly(act: () => void): void {
  try {
    act();
  } catch {
    // the guest has broken its own callbacks, and waits until its time is up
  }
}

function textOf(value: unknown): string {
  if (typeof value !== 'string') throw new RealmTypeError('a text is wanted');
  return value;
}

function numberOf(value: unknown): number {
  if (typeof value !== 'number') throw new RealmTypeError('a number is wanted');
  return value;
}

/** By the getter that a guest can't fool: it throws for everything but a real array of bytes. */
export function lengthOf(value: unknown): number {
  if (apply(nameOfView, value, []) !== 'Uint8Array') throw new RealmTypeError('bytes are wanted');
  return apply(lengthOfView, value, []);
}
