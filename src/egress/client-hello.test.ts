import { Duplex } from 'node:stream';
import { connect } from 'node:tls';
import { describe, expect, test } from 'vitest';
import { buildHello, serverName, toRecord, vector } from './client-hello.test-support.ts';
import { readClientHello } from './client-hello.ts';

const NAME = 'allowed.example';
const whole = buildHello([[43, Buffer.from([2, 3, 4])], serverName(NAME), [16, Buffer.alloc(5)]]);

test('the name of a ClientHello is found, with anything after it', () => {
  expect(readClientHello(whole)).toEqual({ name: NAME });
  expect(readClientHello(Buffer.concat([whole, Buffer.from('more')]))).toEqual({ name: NAME });
  expect(readClientHello(buildHello([serverName('Allowed.Example')]))).toEqual({ name: 'Allowed.Example' });
});

test('the ClientHello of a real client is understood', async () => {
  const { promise, resolve } = Promise.withResolvers<Buffer>();
  const wire = new Duplex({ read() {}, write: (chunk: Buffer, _, done) => (resolve(chunk), done()) });
  const client = connect({ socket: wire, servername: NAME }).on('error', () => {});
  expect(readClientHello(await promise)).toEqual({ name: NAME });
  client.destroy();
});

test('cut at each byte, more is waited for', () => {
  for (let length = 0; length < whole.length; length++)
    expect(readClientHello(whole.subarray(0, length))).toBe(undefined);
});

test('shortened by each number of bytes inside of its record, it is refused', () => {
  const hello = whole.subarray(5);
  for (let length = 1; length < hello.length; length++)
    expect(readClientHello(toRecord(hello.subarray(0, length)))).toHaveProperty('problem');
  // The same with the length of the message made to fit.
  for (let length = 4; length < hello.length; length++) {
    const cut = Buffer.concat([Buffer.from([1]), vector(hello.subarray(4, length), 3)]);
    expect(readClientHello(toRecord(cut))).toHaveProperty('problem');
  }
});

test('with each byte changed, it has this name or none', () => {
  for (let at = 0; at < whole.length; at++) {
    const changed = Buffer.from(whole);
    changed[at] = (changed[at] ?? 0) ^ 0xff;
    const read = readClientHello(changed);
    const isOfName = at >= whole.indexOf(NAME) && at < whole.indexOf(NAME) + NAME.length;
    const isOther = read !== undefined && 'name' in read && read.name !== NAME;
    expect(isOther).toBe(isOfName);
  }
});

describe('a hidden name is refused', () => {
  test.each([
    ['an encrypted ClientHello', buildHello([serverName(NAME), [0xfe0d, Buffer.alloc(8)]]), 'an encrypted ClientHello'],
    ['one of a draft', buildHello([serverName(NAME), [0xfe0a, Buffer.alloc(8)]]), 'an encrypted ClientHello'],
    ['its predecessor', buildHello([serverName(NAME), [0xffce, Buffer.alloc(8)]]), 'an encrypted ClientHello'],
    ['no name', buildHello([[16, Buffer.alloc(2)]]), 'a ClientHello without a name'],
    ['two names', buildHello([serverName(NAME, 'evil.example')]), 'no whole ClientHello'],
    ['a second list of names', buildHello([serverName(NAME), serverName('evil.example')]), 'no whole ClientHello'],
    ['an empty list', buildHello([[0, Buffer.from([0, 0])]]), 'no whole ClientHello'],
    ['no extensions', toRecord(Buffer.concat([Buffer.from([1]), vector(Buffer.alloc(39), 3)])), 'no whole ClientHello'],
    [
      'two messages in a record',
      toRecord(Buffer.concat([whole.subarray(5), whole.subarray(5)])),
      'no whole ClientHello',
    ],
    ['half of it in the next record', toRecord(whole.subarray(5, 60)), 'no whole ClientHello'],
    ['an empty record', toRecord(Buffer.alloc(0)), 'no whole ClientHello'],
    ['another message', toRecord(Buffer.from([2, 0, 0, 0])), 'no ClientHello'],
    ['another record', Buffer.from([23, 3, 3, 0, 1, 0]), 'not TLS'],
    ['an SSL 2 client', Buffer.from([0x80, 0x2e, 1, 3, 1]), 'not TLS'],
    ['a record that is too long', Buffer.from([22, 3, 1, 0x40, 1]), 'not TLS'],
    ['HTTP', Buffer.from('GET / HTTP/1.1\r\n'), 'not TLS'],
  ])('%s', (_, bytes, problem) => {
    expect(readClientHello(bytes)).toEqual({ problem });
  });
});
