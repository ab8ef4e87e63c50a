type Extension = readonly [type: number, data: Buffer];

/** A ClientHello in one record, as a hostile client could write it. */
export function buildHello(extensions: readonly Extension[]): Buffer {
  const listed = Buffer.concat(extensions.map(([type, data]) => Buffer.concat([number(type, 2), vector(data, 2)])));
  const body = Buffer.concat([
    number(0x0303, 2),
    Buffer.alloc(32, 7),
    vector(Buffer.alloc(32, 8), 1),
    vector(Buffer.from([0x13, 0x01]), 2),
    vector(Buffer.from([0]), 1),
    vector(listed, 2),
  ]);
  return toRecord(Buffer.concat([number(1, 1), vector(body, 3)]));
}

export const serverName = (...names: readonly string[]): Extension => [
  0,
  vector(Buffer.concat(names.map((name) => Buffer.concat([number(0, 1), vector(Buffer.from(name, 'latin1'), 2)]))), 2),
];

export const toRecord = (body: Buffer): Buffer => Buffer.concat([number(22, 1), number(0x0301, 2), vector(body, 2)]);

export function vector(data: Buffer, lengthBytes: number): Buffer {
  return Buffer.concat([number(data.length, lengthBytes), data]);
}

function number(value: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  bytes.writeUIntBE(value, 0, length);
  return bytes;
}
