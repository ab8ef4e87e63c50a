import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createFrameReader, encodeFrame, type Frame } from './frames.ts';

test('frames arrive as they were sent, no matter how the pipe splits them', () => {
  const frames = fc.array(fc.record({ message: fc.jsonValue(), bytes: fc.uint8Array() }), { maxLength: 5 });
  fc.assert(
    fc.property(frames, fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }), (sent, sizes) => {
      const received: Frame[] = [];
      const read = createFrameReader(10_000, (frame) => received.push(frame));
      const stream = Buffer.concat(sent.map(({ message, bytes }) => encodeFrame(message, bytes)));
      for (let at = 0, turn = 0; at < stream.length; turn++) {
        const size = sizes[turn % sizes.length] ?? 1;
        read(stream.subarray(at, at + size));
        at += size;
      }
      expect(received).toEqual(
        sent.map(({ message, bytes }) => ({ message: JSON.parse(JSON.stringify(message)), bytes })),
      );
    }),
  );
});

test('a frame above the limit is refused at its header, before a byte of it is kept', () => {
  const read = createFrameReader(100, () => {});
  expect(() => read(Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff))).toThrow(/limit is 100/);
});

test('a message that is not JSON is refused', () => {
  const read = createFrameReader(100, () => {});
  expect(() => read(Uint8Array.of(0, 0, 0, 1, 0, 0, 0, 0, 0x7b))).toThrow(SyntaxError);
});
