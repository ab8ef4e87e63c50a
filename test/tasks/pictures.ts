import { crc32, deflateSync, inflateSync } from 'node:zlib';

export type Colour = readonly [red: number, green: number, blue: number];
type Picture = { readonly width: number; readonly height: number; readonly at: (x: number, y: number) => Colour };

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');

/** A PNG with 8 bits for each of red, green and blue. */
export function pngOf(width: number, height: number, at: (x: number, y: number) => Colour): Buffer {
  const rows = Array.from({ length: height }, (_, y) =>
    Buffer.from([0, ...Array.from({ length: width }, (__, x) => at(x, y)).flat()]),
  );
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([
    SIGNATURE,
    chunkOf('IHDR', header),
    chunkOf('IDAT', deflateSync(Buffer.concat(rows))),
    chunkOf('IEND', Buffer.of()),
  ]);
}

function chunkOf(type: string, body: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type), body]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(body.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}

/** The pixels of a PNG with 8 bits a channel, as charts have them. */
export function decodePng(file: Buffer): Picture {
  if (!file.subarray(0, 8).equals(SIGNATURE)) throw new Error('This is not a PNG.');
  const [width, height, depth, kind] = [file.readUInt32BE(16), file.readUInt32BE(20), file[24], file[25]];
  if (depth !== 8 || (kind !== 2 && kind !== 6)) throw new Error(`A PNG with depth ${depth} and kind ${kind}.`);
  const size = kind === 2 ? 3 : 4;
  const pixels = unfilter(inflateSync(dataOf(file)), width * size, size);
  return {
    width,
    height,
    at(x, y) {
      const start = (y * width + x) * size;
      return [pixels[start] ?? 0, pixels[start + 1] ?? 0, pixels[start + 2] ?? 0];
    },
  };
}

function dataOf(file: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 8; at < file.length; ) {
    const length = file.readUInt32BE(at);
    if (file.toString('latin1', at + 4, at + 8) === 'IDAT') parts.push(file.subarray(at + 8, at + 8 + length));
    at += length + 12;
  }
  return Buffer.concat(parts);
}

function unfilter(raw: Buffer, stride: number, size: number): Buffer {
  const rows = raw.length / (stride + 1);
  const pixels = Buffer.alloc(rows * stride);
  for (let y = 0; y < rows; y++) {
    const filter = raw[y * (stride + 1)] ?? 0;
    for (let x = 0; x < stride; x++) {
      const here = y * stride + x;
      const left = x >= size ? (pixels[here - size] ?? 0) : 0;
      const up = y > 0 ? (pixels[here - stride] ?? 0) : 0;
      const corner = x >= size && y > 0 ? (pixels[here - stride - size] ?? 0) : 0;
      pixels[here] = (raw[y * (stride + 1) + 1 + x] ?? 0) + guess(filter, left, up, corner);
    }
  }
  return pixels;
}

function guess(filter: number, left: number, up: number, corner: number): number {
  if (filter === 0) return 0;
  if (filter === 1) return left;
  if (filter === 2) return up;
  if (filter === 3) return (left + up) >> 1;
  const [toLeft, toUp, toCorner] = [up - corner, left - corner, left + up - 2 * corner].map(Math.abs) as [
    number,
    number,
    number,
  ];
  if (toLeft <= toUp && toLeft <= toCorner) return left;
  return toUp <= toCorner ? up : corner;
}

/** The heights of the bars of one colour in pixels, from left to right. */
export function barsOf({ width, height, at }: Picture, [red, green, blue]: Colour): number[] {
  const isBar = (x: number, y: number) => {
    const [r, g, b] = at(x, y);
    return r === red && g === green && b === blue;
  };
  const heights = Array.from({ length: width }, (_, x) => {
    let count = 0;
    for (let y = 0; y < height; y++) if (isBar(x, y)) count++;
    return count;
  });
  const bars: number[] = [];
  for (const [x, tall] of heights.entries()) {
    if (tall === 0) continue;
    if (heights[x - 1]) bars.push(Math.max(bars.pop() ?? 0, tall));
    else bars.push(tall);
  }
  return bars;
}

/** The size of a JPEG, from its frame header. */
export function sizeOfJpeg(file: Buffer): { width: number; height: number } {
  if (file.readUInt16BE(0) !== 0xffd8) throw new Error('This is not a JPEG.');
  for (let at = 2; at < file.length; at += 2 + file.readUInt16BE(at + 2)) {
    const marker = file[at + 1] ?? 0;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { height: file.readUInt16BE(at + 5), width: file.readUInt16BE(at + 7) };
  }
  throw new Error('The JPEG has no frame.');
}
