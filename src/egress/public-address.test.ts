import { BlockList } from 'node:net';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findPublicAddress } from './resolve-public.ts';

describe('addresses that are not public are refused', () => {
  test.each([
    ['this network', '0.0.0.0', '0.1.2.3'],
    ['loopback', '127.0.0.1', '127.255.255.254', '::1'],
    ['private', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1'],
    ['carrier-grade NAT', '100.64.0.1', '100.127.255.255', '100.100.100.200'],
    ['link-local', '169.254.169.254', '169.254.170.2', 'fe80::1', 'febf::1'],
    ['protocol assignments', '192.0.0.192', '192.0.0.8', '2001:1::1', '2001:1ff:ffff::1'],
    ['documentation', '192.0.2.1', '198.51.100.1', '203.0.113.1', '2001:db8::1', '3fff::1'],
    ['benchmarking', '198.18.0.1', '198.19.255.255', '2001:2::1'],
    ['6to4 relays', '192.88.99.1'],
    ['multicast', '224.0.0.1', '239.255.255.255', 'ff02::1'],
    ['reserved', '240.0.0.1', '255.255.255.254', '4000::1', 'c000::1', '5f00::1', '100::1'],
    ['broadcast', '255.255.255.255'],
    ['unique local', 'fc00::1', 'fd00:ec2::254', 'fd20:ce::254'],
    ['site-local', 'fec0::1'],
    ['unspecified', '::'],
    ['IPv4 inside IPv6', '::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:8.8.8.8', '::127.0.0.1', '::ffff:0:127.0.0.1'],
    ['NAT64', '64:ff9b::10.0.0.1', '64:ff9b::8.8.8.8', '64:ff9b:1::10.0.0.1', '64:ff9b:1:ffff::8.8.8.8'],
    ['6to4', '2002:7f00:1::', '2002:808:808::1'],
    ['Teredo', '2001::1', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
    ['with a zone', 'fe80::1%eth0', '2606:4700::1111%eth0'],
    ['the metadata of Azure', '168.63.129.16'],
  ])('%s', (_range, ...addresses) => {
    for (const address of addresses) expect([address, findPublicAddress(address)]).toEqual([address, undefined]);
  });

  test.each([
    '',
    'localhost',
    'example.com',
    '127.1',
    '0x7f.0.0.1',
    '010.8.8.8',
    '134744072',
    '8.8.8.8 ',
    '8.8.8.8:443',
  ])('a text that Node would not dial as an address: %j', (text) => {
    expect(findPublicAddress(text)).toBeUndefined();
  });
});

test.each([
  ['8.8.8.8', '8.8.8.8'],
  ['172.32.0.1', '172.32.0.1'],
  ['100.128.0.1', '100.128.0.1'],
  ['2606:4700:4700:0:0:0:0:1111', '2606:4700:4700::1111'],
  ['2A00:1450:4001:082B::200E', '2a00:1450:4001:82b::200e'],
])('a public address is accepted and normalised: %s', (text, address) => {
  expect(findPublicAddress(text)).toBe(address);
});

test('the result agrees with the registry of special IPv4 addresses', () => {
  const special = toBlockList(SPECIAL_4, 'ipv4');
  // Half of the addresses are near the edge of a range, where mistakes are likely.
  const edge = fc.constantFrom(...SPECIAL_4).map((range) => toNumber(toSubnet(range)[0]));
  const near = fc.tuple(edge, fc.integer({ min: -300, max: 300 })).map(([start, offset]) => (start + offset) >>> 0);
  fc.assert(
    fc.property(fc.oneof(near, fc.nat(0xffffffff)), (number) => {
      const text = [24, 16, 8, 0].map((shift) => (number >>> shift) & 255).join('.');
      return (findPublicAddress(text) === undefined) === special.check(text, 'ipv4');
    }),
    { numRuns: 5_000 },
  );
});

test('the result agrees with the registry of special IPv6 addresses', () => {
  const special = toBlockList(SPECIAL_6, 'ipv6');
  const group = fc.oneof(fc.constantFrom(0, 1, 0xdb8, 0x1ff, 0x200, 0xfff, 0x1000, 0x4f, 0x8000), fc.nat(0xffff));
  const first = fc.oneof(fc.constantFrom(0x2000, 0x2001, 0x2002, 0x2003, 0x2620, 0x3fff, 0x1fff, 0x4000, 0x64), group);
  fc.assert(
    fc.property(first, fc.array(group, { minLength: 7, maxLength: 7 }), (head, rest) => {
      const text = [head, ...rest].map((part) => part.toString(16)).join(':');
      return (findPublicAddress(text) === undefined) === special.check(text, 'ipv6');
    }),
    { numRuns: 5_000 },
  );
});

function toBlockList(ranges: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const range of ranges) list.addSubnet(...toSubnet(range), family);
  return list;
}

function toSubnet(range: string): [string, number] {
  const [address = '', bits] = range.split('/');
  return [address, Number(bits)];
}

function toNumber(address: string): number {
  return address.split('.').reduce((number, octet) => number * 256 + Number(octet), 0);
}

const SPECIAL_4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
];

const SPECIAL_6 = [
  '::/3',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '2620:4f:8000::/48',
  '3fff::/20',
  '4000::/2',
  '8000::/1',
];
