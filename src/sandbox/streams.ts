import { Duplex } from 'node:stream';
import type { Conversation } from './conversation.ts';
import { MOST_STREAMS, STREAM_WINDOW, type StreamMessage } from './runner-messages.ts';

export type Streams = { take(message: StreamMessage): void; end(): void };

type Stream = { readonly duplex: Duplex; data(body: Buffer): void; room(bytes: number): void; close(): void };

/** Large frames would make the other streams wait. */
const MOST_AT_ONCE = 32 * 1024;

/**
 * The connections of a guest, as frames of its runner. A number is used once, and the first bytes open it. No one can make the service
 * keep more than the window of each stream: what is not read by `accept` is not asked for, and more than that is a wrong frame.
 */
export function createStreams(tell: Conversation['tell'], accept: (connection: Duplex) => void): Streams {
  const open = new Map<number, Stream>();
  let newest = 0;

  function openStream(id: number): Stream {
    if (id !== newest + 1 || open.size === MOST_STREAMS) throw new Error('A stream was opened that can not be.');
    newest = id;
    const stream = createStream(
      (act, more, body) => void tell({ type: 'stream', stream: id, act, ...more }, body),
      () => open.delete(id),
    );
    open.set(id, stream);
    accept(stream.duplex);
    return stream;
  }

  return {
    take(message) {
      const { stream: id, act } = message;
      const isNew = act === 'data' && id > newest;
      const stream = isNew ? openStream(id) : open.get(id);
      if (!stream) return; // closed by us, which the runner did not know yet
      if (act === 'data') stream.data(message.body);
      else if (act === 'room') stream.room(message.room);
      else stream.close();
    },
    end() {
      for (const { duplex } of open.values()) duplex.destroy();
    },
  };
}

type Say = (act: StreamMessage['act'], more?: { readonly room: number }, body?: Buffer) => void;

function createStream(say: Say, onGone: () => boolean): Stream {
  let theirRoom = STREAM_WINDOW;
  let ourRoom = STREAM_WINDOW;
  let unsent: { bytes: Buffer; done: () => void } | undefined;
  let isClosed = false;

  const duplex = new Duplex({
    readableHighWaterMark: STREAM_WINDOW,
    read: () => process.nextTick(giveRoom), // only then is gone what is being read
    write(bytes: Buffer, _, done) {
      unsent = { bytes, done };
      send();
    },
    final(done) {
      leave();
      duplex.push(null);
      done();
    },
    destroy(error, done) {
      leave();
      done(error);
    },
  });

  function giveRoom(): void {
    const free = STREAM_WINDOW - duplex.readableLength - ourRoom;
    if (free <= 0 || duplex.destroyed || duplex.readableEnded || isClosed) return;
    ourRoom += free;
    say('room', { room: free });
  }

  function send(): void {
    while (!isClosed && unsent && unsent.bytes.length > 0 && theirRoom > 0) {
      const size = Math.min(theirRoom, MOST_AT_ONCE, unsent.bytes.length);
      theirRoom -= size;
      say('data', undefined, unsent.bytes.subarray(0, size));
      unsent.bytes = unsent.bytes.subarray(size);
    }
    if (!unsent || (unsent.bytes.length > 0 && !isClosed)) return;
    const { done } = unsent;
    unsent = undefined;
    done();
  }

  /** The other side gets what was said before, and nothing after it. */
  function leave(): void {
    if (onGone()) say('close');
  }

  return {
    duplex,
    data(body) {
      if (body.length > ourRoom) throw new Error('A stream has sent more than it may.');
      ourRoom -= body.length;
      duplex.push(body);
    },
    room(bytes) {
      theirRoom = Math.min(STREAM_WINDOW, theirRoom + bytes);
      send();
    },
    close() {
      isClosed = true; // no one reads what is written from now on
      onGone();
      duplex.push(null);
      send();
    },
  };
}
