import { describe, expect, test } from 'vitest';
import { type Architecture, buildFilter } from './seccomp.ts';

type SystemCall = { readonly architecture: number; readonly number: number; readonly arguments: readonly number[] };

const AUDIT = { x64: 0xc000_003e, arm64: 0xc000_00b7, i386: 0x4000_0003, arm: 0x4000_0028 };
const [EPERM, ENOSYS, EAFNOSUPPORT] = ['EPERM', 'ENOSYS', 'EAFNOSUPPORT'] as const;
const allowed = 'allowed';
const [NEWUSER, THREAD] = [0x1000_0000, 0x003d_0f00];
const [REGULAR, DEVICE, BLOCK, PIPE] = [0o100644, 0o020644, 0o060644, 0o010644];
const DENIED =
  `unshare setns mount fsopen ptrace process_vm_writev bpf keyctl io_uring_setup userfaultfd perf_event_open
  pidfd_getfd`.split(/\s+/);
const AT_CWD = 0xffff_ff9c;

describe.each<[Architecture, string]>([
  [
    'x64',
    `read 0 execve 59 clone 56 clone3 435 socket 41 socketpair 53 ioctl 16 mknodat 259 unshare 272 setns 308 mount 165
    fsopen 430 ptrace 101 process_vm_writev 311 bpf 321 keyctl 250 io_uring_setup 425 userfaultfd 323 perf_event_open 298
    memfd_create 319 shmget 29 prlimit64 302 setpriority 141 sched_setaffinity 203 pidfd_open 434 pidfd_getfd 438 kill 62 openat 257`,
  ],
  [
    'arm64',
    `read 63 execve 221 clone 220 clone3 435 socket 198 socketpair 199 ioctl 29 mknodat 33 unshare 97 setns 268 mount 40
    fsopen 430 ptrace 117 process_vm_writev 271 bpf 280 keyctl 219 io_uring_setup 425 userfaultfd 282 perf_event_open 241
    memfd_create 279 shmget 194 prlimit64 261 setpriority 140 sched_setaffinity 122 pidfd_open 434 pidfd_getfd 438 kill 129 openat 56`,
  ],
])('the filter for %s answers', (architecture, table) => {
  const numbers = new Map(
    Array.from(table.matchAll(/(\w+) (\d+)/g), ([, name = '', number]) => [name, Number(number)]),
  );
  const filter = buildFilter(architecture);
  const ask = (name: string, ...given: number[]): string =>
    interpret(filter, { architecture: AUDIT[architecture], number: numbers.get(name) ?? -1, arguments: given });

  test.each([
    [allowed, 'read'],
    [allowed, 'execve'],
    [allowed, 'openat', AT_CWD],
    [allowed, 'kill', 1, 9],
    [allowed, 'pidfd_open', 2],
    [allowed, 'clone', THREAD],
    [EPERM, 'clone', THREAD | NEWUSER],
    [EPERM, 'clone', 0x0002_0000],
    [EPERM, 'clone', 0x4000_0000],
    [ENOSYS, 'clone3'],
    [allowed, 'socket', 1],
    [allowed, 'socket', 2],
    [allowed, 'socketpair', 1],
    [allowed, 'socket', 10],
    [EAFNOSUPPORT, 'socket', 16],
    [EAFNOSUPPORT, 'socket', 17],
    [EAFNOSUPPORT, 'socket', 40],
    [EAFNOSUPPORT, 'socketpair', 38],
    [allowed, 'ioctl', 0, 0x5401],
    [EPERM, 'ioctl', 0, 0x5412],
    [EPERM, 'ioctl', 0, 0x541c],
    [allowed, 'mknodat', AT_CWD, 0, PIPE],
    [EPERM, 'mknodat', AT_CWD, 0, DEVICE],
    [EPERM, 'mknodat', AT_CWD, 0, BLOCK],
    [EPERM, 'mknodat', AT_CWD, 0, REGULAR],
    [allowed, 'prlimit64', 0, 7],
    [allowed, 'prlimit64', 12, 7],
    [EPERM, 'prlimit64', 1, 7],
    [allowed, 'sched_setaffinity', 0],
    [EPERM, 'sched_setaffinity', 1],
    [allowed, 'setpriority', 0, 0, 19],
    [EPERM, 'setpriority', 0, 1, 19],
    [EPERM, 'setpriority', 1, 0, 19],
    [EPERM, 'setpriority', 2, 0, 19],
    [ENOSYS, 'memfd_create'],
    [ENOSYS, 'shmget'],
    ...DENIED.map((name): [string, string] => [EPERM, name]),
  ] satisfies [string, string, ...number[]][])('%s to %s %i %i %i', (answer, name, ...given: number[]) => {
    expect(ask(name, ...given)).toBe(answer);
  });

  test('with a program that the kernel takes', () => {
    expect(filter.length / 8).toBeLessThan(4096);
    expect(numbers.size).toBe(28);
  });

  test.each(['i386', 'arm'] as const)('a call for %s with the end of the process', (other) => {
    expect(interpret(filter, { architecture: AUDIT[other], number: 20, arguments: [] })).toBe('killed');
  });
});

test('x64 has no x32 calls, and devices by the old call neither', () => {
  const filter = buildFilter('x64');
  const ask = (number: number, ...given: number[]): string =>
    interpret(filter, { architecture: AUDIT.x64, number, arguments: given });

  expect(ask(0x4000_0000 + 39)).toBe(EPERM);
  expect(ask(133, 0, DEVICE)).toBe(EPERM);
  expect(ask(133, 0, PIPE)).toBe(allowed);
  expect(ask(154)).toBe(EPERM);
});

/** As the kernel runs classic BPF: an accumulator, forward jumps, and a return. */
function interpret(filter: Buffer, { architecture, number, arguments: given }: SystemCall): string {
  const data = Buffer.alloc(64);
  data.writeUInt32LE(number >>> 0, 0);
  data.writeUInt32LE(architecture, 4);
  for (const [at, value] of given.entries()) data.writeUInt32LE(value >>> 0, 16 + at * 8);
  let accumulator = 0;
  for (let at = 0; at < filter.length / 8; at++) {
    const [code, operand] = [filter.readUInt16LE(at * 8), filter.readUInt32LE(at * 8 + 4)];
    const jump = (isTrue: boolean): number => filter[at * 8 + (isTrue ? 2 : 3)] ?? 0;
    if (code === 0x20) accumulator = data.readUInt32LE(operand);
    else if (code === 0x54) accumulator = (accumulator & operand) >>> 0;
    else if (code === 0x15) at += jump(accumulator === operand);
    else if (code === 0x35) at += jump(accumulator >= operand);
    else if (code === 0x45) at += jump((accumulator & operand) !== 0);
    else if (code === 0x06) return nameOf(operand);
    else throw new Error(`There is no instruction ${code}.`);
  }
  throw new Error('The filter ends without an answer.');
}

function nameOf(answer: number): string {
  if (answer === 0x7fff_0000) return allowed;
  if (answer === 0x8000_0000) return 'killed';
  const names: Record<number, string> = { 1: EPERM, 38: ENOSYS, 97: EAFNOSUPPORT };
  return names[answer & 0xffff] ?? `error ${answer & 0xffff}`;
}
