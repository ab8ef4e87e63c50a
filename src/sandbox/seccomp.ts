/**
 * The filter for system calls, as bytes of classic BPF that bubblewrap reads from a descriptor. It needs no native code. The list
 * names what is denied, because programs of a whole distribution run behind it; namespaces without privileges protect the rest.
 */
export function buildFilter(architecture: Architecture, families: readonly number[] = FAMILIES): Buffer {
  const column = COLUMNS[architecture];
  const sockets: Rule = {
    calls: ['socket', 'socketpair'],
    test: { argument: 0, not: families },
    answer: EAFNOSUPPORT,
  };
  const blocks = [...RULES, sockets].flatMap(({ calls, test, answer }) =>
    calls.flatMap((name) => {
      const number = CALLS.get(name)?.[column] ?? Number.NaN;
      return Number.isNaN(number) ? [] : [block(number, test, answer)];
    }),
  );
  return encode([...start(architecture), ...blocks.flat(), [RETURN, 0, 0, ALLOW]]);
}

export type Architecture = keyof typeof AUDIT;

export function isKnownArchitecture(name: string): name is Architecture {
  return name in AUDIT;
}

/** A value that the kernel compares a filter's architecture with. */
const AUDIT = { x64: 0xc000_003e, arm64: 0xc000_00b7 } as const;
const COLUMNS = { x64: 0, arm64: 1 } as const;

const [EPERM, ENOSYS, EAFNOSUPPORT] = [1, 38, 97];
const CLONE_NEW = 0x7e02_0000; // all kinds of namespaces that clone can make
const [AF_UNIX, AF_INET, AF_INET6] = [1, 2, 10];
const FAMILIES = [AF_UNIX, AF_INET, AF_INET6];
/** For a guest whose network has more than loopback: it can make no connection, and answer none. */
export const WITHOUT_INTERNET: readonly number[] = [AF_UNIX];
const [TIOCSTI, TIOCLINUX] = [0x5412, 0x541c]; // type into the terminal
const [FILE_TYPE, FIFO] = [0o170000, 0o010000];
const RUNNER = 1; // the guest can make no namespace where another process has this number

/** `any`: denied if the argument has one of the bits. `is` and `not`: denied for these values, or for all others. */
type Test = { readonly argument: number; readonly mask?: number } & (
  | { readonly any: number }
  | { readonly is: readonly number[] }
  | { readonly not: readonly number[] }
);
type Rule = { readonly calls: readonly string[]; readonly test?: Test; readonly answer: number };

const words = (text: string): string[] => text.trim().split(/\s+/);

const RULES: readonly Rule[] = [
  // Its flags are in memory, where a filter can't look; libc then uses clone.
  { calls: ['clone3'], answer: ENOSYS },
  { calls: ['clone'], test: { argument: 0, any: CLONE_NEW }, answer: EPERM },
  { calls: ['ioctl'], test: { argument: 1, is: [TIOCSTI, TIOCLINUX] }, answer: EPERM },
  { calls: ['mknod'], test: { argument: 1, mask: FILE_TYPE, not: [FIFO] }, answer: EPERM },
  { calls: ['mknodat'], test: { argument: 2, mask: FILE_TYPE, not: [FIFO] }, answer: EPERM },
  // The runner has the same user: its limits and its place in the queue could be changed from outside.
  {
    calls: words('prlimit64 sched_setparam sched_setscheduler sched_setaffinity sched_setattr'),
    test: { argument: 0, is: [RUNNER] },
    answer: EPERM,
  },
  { calls: ['setpriority'], test: { argument: 0, not: [0] }, answer: EPERM }, // of a group or of a user
  { calls: ['setpriority'], test: { argument: 1, is: [RUNNER] }, answer: EPERM },
  // Memory that belongs to no process and to no file: the runner could not count it.
  { calls: words('memfd_create memfd_secret shmget msgget'), answer: ENOSYS },
  {
    calls: words(`
      ptrace process_vm_readv process_vm_writev pidfd_getfd kcmp perf_event_open bpf userfaultfd
      io_uring_setup io_uring_enter io_uring_register
      unshare setns mount umount2 pivot_root chroot open_tree move_mount fsopen fsconfig fsmount fspick mount_setattr
      add_key request_key keyctl name_to_handle_at open_by_handle_at fanotify_init
      mbind set_mempolicy get_mempolicy migrate_pages move_pages ioprio_set personality modify_ldt uselib iopl ioperm
      syslog acct swapon swapoff reboot quotactl quotactl_fd lookup_dcookie
      init_module finit_module delete_module kexec_load kexec_file_load`),
    answer: EPERM,
  },
];

/** Their numbers on x64 and arm64. The second has no calls that newer ones replace. */
const CALLS = new Map(
  `acct 163 89, add_key 248 217, bpf 321 280, chroot 161 51, clone 56 220, clone3 435 435, delete_module 176 106,
  fanotify_init 300 262, finit_module 313 273, fsconfig 431 431, fsmount 432 432, fsopen 430 430, fspick 433 433,
  get_mempolicy 239 236, init_module 175 105, io_uring_enter 426 426, io_uring_register 427 427,
  io_uring_setup 425 425, ioctl 16 29, ioperm 173 -, iopl 172 -, ioprio_set 251 30, kcmp 312 272,
  kexec_file_load 320 294, kexec_load 246 104, keyctl 250 219, lookup_dcookie 212 18, mbind 237 235,
  memfd_create 319 279, memfd_secret 447 447, migrate_pages 256 238, mknod 133 -, mknodat 259 33, modify_ldt 154 -,
  mount 165 40, mount_setattr 442 442, move_mount 429 429, move_pages 279 239, msgget 68 186,
  name_to_handle_at 303 264, open_by_handle_at 304 265, open_tree 428 428, perf_event_open 298 241, personality 135 92,
  pidfd_getfd 438 438, pivot_root 155 41, prlimit64 302 261, process_vm_readv 310 270, process_vm_writev 311 271,
  ptrace 101 117, quotactl 179 60, quotactl_fd 443 443, reboot 169 142, request_key 249 218, sched_setaffinity 203 122,
  sched_setattr 314 274, sched_setparam 142 118, sched_setscheduler 144 119, set_mempolicy 238 237, setns 308 268,
  setpriority 141 140, shmget 29 194, socket 41 198, socketpair 53 199, swapoff 168 225, swapon 167 224,
  syslog 103 116, umount2 166 39, unshare 272 97, uselib 134 -, userfaultfd 323 282`
    .split(/,\s+/)
    .map((line) => line.split(' '))
    .map(([name = '', ...numbers]) => [name, numbers.map(Number)]),
);

/** Code, where to jump if it is true and if not, operand. */
type Instruction = readonly [code: number, whenTrue: number, whenFalse: number, operand: number];

const [LOAD, AND, EQUAL, AT_LEAST, ANY_BIT, RETURN] = [0x20, 0x54, 0x15, 0x35, 0x45, 0x06];
const [ALLOW, KILL, ERROR] = [0x7fff_0000, 0x8000_0000, 0x0005_0000];
const [NUMBER_AT, ARCHITECTURE_AT, ARGUMENTS_AT] = [0, 4, 16];
const X32_CALLS = 0x4000_0000;

/** A call for another architecture, such as `int 0x80`, has other numbers: it ends the process. */
function start(architecture: Architecture): Instruction[] {
  const isOurs: Instruction[] = [
    [LOAD, 0, 0, ARCHITECTURE_AT],
    [EQUAL, 1, 0, AUDIT[architecture]],
    [RETURN, 0, 0, KILL],
    [LOAD, 0, 0, NUMBER_AT],
  ];
  const withoutX32: Instruction[] = [
    [AT_LEAST, 0, 1, X32_CALLS],
    [RETURN, 0, 0, ERROR | EPERM],
  ];
  return architecture === 'x64' ? [...isOurs, ...withoutX32] : isOurs;
}

/** Begins and ends with the call's number loaded. */
function block(number: number, test: Test | undefined, error: number): Instruction[] {
  const deny: Instruction = [RETURN, 0, 0, ERROR | error];
  const reload: Instruction = [LOAD, 0, 0, NUMBER_AT];
  const tests = test ? [...loadArgument(test), ...compare(test), deny, reload] : [deny];
  return [[EQUAL, 0, tests.length, number], ...tests];
}

/** The lower half: the kernel takes no more of these arguments. */
function loadArgument({ argument, mask }: Test): Instruction[] {
  const load: Instruction = [LOAD, 0, 0, ARGUMENTS_AT + 8 * argument];
  return mask === undefined ? [load] : [load, [AND, 0, 0, mask]];
}

/** Continues with the next instruction to deny, and skips it to allow. */
function compare(test: Test): Instruction[] {
  if ('any' in test) return [[ANY_BIT, 0, 1, test.any]];
  if ('not' in test) return test.not.map((value, at) => [EQUAL, test.not.length - at, 0, value]);
  return test.is.map((value, at) => {
    const left = test.is.length - 1 - at;
    return [EQUAL, left, left === 0 ? 1 : 0, value];
  });
}

function encode(instructions: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(instructions.length * 8);
  for (const [at, [code, whenTrue, whenFalse, operand]] of instructions.entries()) {
    bytes.writeUInt16LE(code, at * 8);
    bytes[at * 8 + 2] = whenTrue;
    bytes[at * 8 + 3] = whenFalse;
    bytes.writeUInt32LE(operand >>> 0, at * 8 + 4);
  }
  return bytes;
}
