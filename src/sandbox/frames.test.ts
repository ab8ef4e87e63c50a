import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createFrameReader, encodeFrame, type Frame } from './frames.ts';

const MOST = 1000;

test('frames come out as they went in, wherever the stream is cut', () => {
  const frames = fc.array(fc.tuple(fc.string(), fc.uint8Array({ maxLength: MOST })), { maxLength: 5 });
  fc.assert(
    fc.property(frames, fc.integer({ min: 1, max: 50 }), (sent, cut) => {
      const bytes = Buffer.concat(sent.map(([word, body]) => encodeFrame({ word }, body)));
      const chunks = Array.from({ length: Math.ceil(bytes.length / cut) }, (_, at) =>
        bytes.subarray(at * cut, (at + 1) * cut),
      );
      expect(readAll(chunks).map(({ header, body }) => [header['word'], [...body]])).toEqual(
        sent.map(([word, body]) => [word, [...body]]),
      );
    }),
  );
});

describe('is refused before its bytes are waited for:', () => {
  test.each([
    ['a header of 4 GiB', length(0xffff_ffff)],
    ['a header that is a little too long', length(16 * 1024 + 1)],
    ['a header that is not JSON', headed('{"bytes": ')],
    ['a header that is not UTF-8', headed(Buffer.from([0x22, 0xff, 0x22]))],
    ['a header that is a list', headed('[1]')],
    ['a header that is null', headed('null')],
    ['a header without a length', headed('{}')],
    ['a negative length', headed('{"bytes": -1}')],
    ['half a byte', headed('{"bytes": 0.5}')],
    ['a length that is a text', headed('{"bytes": "1"}')],
    ['a length beyond all numbers', headed('{"bytes": 1e400}')],
    ['a body above the limit', headed(`{"bytes": ${MOST + 1}}`)],
  ])('%s', (_, bytes) => {
    expect(() => readAll([bytes])).toThrow();
  });
});

test('a frame that is too short is waited for', () => {
  const whole = encodeFrame({ type: 'file' }, Buffer.from('four'));

  expect(readAll([whole.subarray(0, -1)])).toEqual([]);
  expect(readAll([whole.subarray(0, -1), whole.subarray(-1)])).toHaveLength(1);
});

function readAll(chunks: readonly Buffer[]): Frame[] {
  const frames: Frame[] = [];
  const read = createFrameReader(MOST, (frame) => frames.push(frame));
  for (const chunk of chunks) read(chunk);
  return frames;
}

function length(bytes: number): Buffer {
  const written = Buffer.alloc(4);
  written.writeUInt32BE(bytes);
  return written;
}

function headed(header: string | Buffer): Buffer {
  return Buffer.concat([length(header.length), Buffer.from(header)]);
}
