import { crc32, deflateSync } from 'node:zlib';

/** A picture as a PNG. Each point has one byte, or three for red, green and blue. */
export function encodePng(points: Uint8Array, width: number, channels: 1 | 3): Buffer {
  const line = width * channels;
  const height = points.length / line;
  const lines = Buffer.alloc(height * (1 + line)); // each begins with a 0: it is not filtered
  for (let row = 0; row < height; row++) lines.set(points.subarray(row * line, (row + 1) * line), row * (1 + line) + 1);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, channels === 3 ? 2 : 0], 8);
  return Buffer.concat([SIGNATURE, chunk('IHDR', header), chunk('IDAT', deflateSync(lines)), chunk('IEND')]);
}

const SIGNATURE = Buffer.from('\x89PNG\r\n\x1A\n', 'latin1');

function chunk(name: string, data = Buffer.of()): Buffer {
  const body = Buffer.concat([Buffer.from(name), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, checksum]);
}
