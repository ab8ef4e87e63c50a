import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Outcome } from '#sandbox/sandbox.ts';
import { createSmallSandboxes, type Guest, isPossible, openGuest, SMALL } from './guest.ts';

/** Each attack is code of a guest, and what must be seen. Those of a group share a sandbox, and a neighbour must not notice. */
type Attack = { readonly tries: string; readonly sees: RegExp; readonly ends?: Outcome; readonly timeoutMs?: number };

const sandboxes = createSmallSandboxes();
const server = createServer((socket) => socket.end('hello'));
const local = createServer((socket) => socket.end('hello'));
let knocks = 0;
let folder: string;
let secret: string;
let port: number;
let guest: Guest;
let neighbour: Guest;

beforeEach(({ skip }) => skip(!isPossible));
beforeAll(async () => {
  if (!isPossible) return;
  folder = await mkdtemp(path.join(tmpdir(), 'reborn-sandbox-'));
  secret = path.join(folder, 'secret');
  await chmod(folder, 0o755);
  await writeFile(secret, 'the secret', { mode: 0o644 });
  for (const each of [server, local]) each.on('connection', () => knocks++);
  await Promise.all([
    once(server.listen(0, '127.0.0.1'), 'listening'),
    once(local.listen(path.join(folder, 'socket')), 'listening'),
  ]);
  port = (server.address() as { port: number }).port;
  [guest, neighbour] = [await openGuest(sandboxes), await openGuest(sandboxes)];
});

afterAll(async () => {
  await sandboxes.close();
  for (const each of [server, local]) each.close();
  if (isPossible) await rm(folder, { recursive: true });
});

/** Runs Python in its own process, with what attacks need. */
const python = (code: string): string => `python3 - <<'END'
import ctypes, errno, mmap, os, signal, socket, sys, time
libc = ctypes.CDLL(None, use_errno=True)
def call(number, *given):
    got = libc.syscall(number, *given)
    return got if got >= 0 else errno.errorcode[ctypes.get_errno()]
def attempt(what):
    try:
        return what()
    except OSError as error:
        return errno.errorcode[error.errno]
${code}
END`;

/** Attempts one after the other, whose answers are printed in one line. */
const attempts = (...code: readonly string[]): string => python(`print(*[${code.join(', ')}])`);

const MEMORY_OR_END = /^/;
const ESCAPE = '\u001b';

const GREEDY: Record<string, Attack> = {
  '1 a fork bomb': { tries: ':(){ :|:& };:; while :; do :; done', sees: /^/, ends: 'timeout', timeoutMs: 1500 },
  '1 more processes than allowed': {
    tries: python(`n = 0
try:
  while n < 999: os.posix_spawn("/usr/bin/sleep", ["sleep", "99"], {}); n += 1
except OSError as error: print(100 < n < 128, error.errno == errno.EAGAIN)`),
    sees: /True True/,
  },
  '2 memory of one process': { tries: python('bytearray(1 << 30)'), sees: /MemoryError/ },
  '3 memory of many processes': {
    tries: python(
      'for _ in range(60):\n  if os.fork() == 0:\n    b = bytearray(100 << 20)\n    b[::4096] = b"x" * len(b[::4096])\n    time.sleep(20)\ntime.sleep(20)',
    ),
    sees: MEMORY_OR_END,
    ends: 'memory',
  },
  '3 shared memory without a file': {
    tries: python('m = mmap.mmap(-1, 2 << 30)\nfor at in range(0, 2 << 30, 4096): m[at] = 1\nprint("filled")'),
    sees: MEMORY_OR_END,
    ends: 'memory',
  },
  '3 the same pages in many processes, which is no attack': {
    tries: python(
      'b = bytearray(150 << 20)\nb[::4096] = b"x" * len(b[::4096])\nmine = os.getpid()\nfor _ in range(6): os.getpid() == mine and os.fork()\ntime.sleep(1)\nprint("done")',
    ),
    sees: /done/,
  },
  '3 page tables': {
    tries: python(
      'libc.mmap.restype = ctypes.c_void_p\n' +
        'libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + [ctypes.c_int] * 4\n' +
        'at = libc.mmap(None, 1 << 40, 1, 0x4022, -1, 0)\n' +
        'read = ctypes.string_at\nfor n in range(1 << 19): read(at + n * (2 << 20), 1)\nprint("filled")',
    ),
    sees: MEMORY_OR_END,
    ends: 'memory',
  },
  '3 buffers of sockets': {
    tries: python(
      'kept = []\nfor _ in range(4):\n  if os.fork() == 0: break\n' +
        'for _ in range(450):\n  a, b = socket.socketpair()\n  a.setblocking(False)\n  kept += [a, b]\n  attempt(lambda: a.send(bytes(1 << 17)))\ntime.sleep(20)',
    ),
    sees: MEMORY_OR_END,
    ends: 'memory',
  },
  '3 memory that belongs to no process': {
    tries: attempts('call(319, b"x", 0)', 'call(447, 0)', 'call(29, 0, 1 << 30, 0o1600)', 'call(68, 0, 0o1600)'),
    sees: /^ENOSYS ENOSYS ENOSYS ENOSYS$/m,
  },
  '4 all of the workspace': {
    tries: 'for n in 1 2 3 4 5 6; do head -c 7M /dev/zero > f$n; done 2>&1; du -sm . | cut -f1; rm f?',
    sees: /No space left on device\n(31|32)\n/,
  },
  '5 all of /tmp, /dev/shm and /dev': {
    tries:
      'for at in /tmp /dev/shm /dev; do head -c 7M /dev/zero > $at/a; head -c 7M /dev/zero > $at/b; head -c 7M /dev/zero > $at/c; done 2>&1; rm -f /tmp/? /dev/shm/?',
    sees: /No space.*\n.*No space.*\n.*Read-only.*\n/,
  },
  '6 ten million empty files': {
    tries: python('for n in range(10**7): open(f"/tmp/n{n}", "w").close()'),
    sees: /^/,
    ends: 'files',
  },
  '6 what they leave': { tries: 'sleep 1; find /tmp -name "n*" -delete; ls /tmp | wc -l', sees: /^\d\n$/ },
  '48 a file of a terabyte': {
    tries: 'truncate -s 1T sparse; ls sparse',
    sees: /File size limit|File too large|cannot access/,
  },
};

const NOISY: Record<string, Attack> = {
  '7 endless output': { tries: 'yes', sees: /bytes left out/, ends: 'timeout', timeoutMs: 1000 },
  '8 endless output without a line break': {
    tries: "tr '\\0' x < /dev/zero",
    sees: /bytes left out/,
    ends: 'timeout',
    timeoutMs: 1000,
  },
  '9 100 MB on one line': {
    tries: "head -c 100M /dev/zero | tr '\\0' x",
    sees: /x\n\.\.\. 104824832 bytes left out \.\.\.\nx/,
  },
  '10 escapes, and what is not UTF-8': {
    tries: "printf '\\033[2J\\r\\342\\200\\256\\377\\376ok'",
    sees: new RegExp(`^${ESCAPE}\\[2J\r\u202e\ufffd\ufffdok$`),
  },
};

const STUBBORN: Record<string, Attack> = {
  '11 ignore what ends it': {
    tries: "trap '' TERM INT HUP; while :; do :; done",
    sees: /^/,
    ends: 'timeout',
    timeoutMs: 500,
  },
  '12 a grandchild in a session of its own': {
    tries: '(setsid setsid sleep 1000 >/dev/null 2>&1 &); echo left',
    sees: /left/,
  },
  '12 a grandchild that holds the output': { tries: 'sleep 1000 & echo left', sees: /left/ },
  '14 is somebody left?': { tries: 'pgrep -a sleep || echo nobody', sees: /^nobody$/m },
  '13 signals to process 1': {
    tries: 'for s in INT TERM HUP USR1 CHLD STOP KILL ALRM XFSZ; do kill -$s 1; done; sleep 0.2; echo still here',
    sees: /still here/,
  },
  '13 memory and descriptors of process 1': {
    tries: attempts(
      ...['mem', 'fd/0', 'fd/1', 'environ', 'maps', 'root/workspace', 'cwd/x'].map(
        (name) => `attempt(lambda: open("/proc/1/${name}", "r+b"))`,
      ),
    ),
    sees: /^(EACCES ?){7}$/m,
  },
  '13 limits and priority of process 1': {
    tries: attempts(
      'call(302, 1, 7, (ctypes.c_long * 2)(0, 0), 0)',
      'call(203, 1, 8, (ctypes.c_long * 1)(1))',
      'call(144, 1, 5, (ctypes.c_long * 1)(0))',
      'call(141, 0, 1, 19)',
      'call(141, 2, 0, 19)',
      'call(141, 1, 1, 19)',
    ),
    sees: /^(EPERM ?){6}$/m,
  },
  '13 a higher priority for itself': { tries: 'renice -n -5 -p $$ 2>&1; nice', sees: /denied|not permitted[\s\S]*10/ },
  '13 all other processes': { tries: 'kill -9 -1; echo after', sees: /^/ },
};

const CURIOUS = (): Record<string, Attack> => ({
  '15 files of the machine': {
    tries: `cat ${secret} /etc/passwd /etc/shadow /root/.bashrc ${path.resolve('package.json')} /sys/kernel/vmcoreinfo 2>&1`,
    sees: /^(cat: .*(No such file or directory|Permission denied)\n){6}$/,
  },
  '15 a link to them': { tries: `ln -sf ${secret} link; cat link 2>&1; rm link`, sees: /No such file/ },
  '16 variables of the service': {
    tries: 'cat /proc/1/environ 2>&1; env -u _ -u PWD -u SHLVL -u OLDPWD | cut -d= -f1 | sort | tr "\\n" " "',
    sees: /denied\nHOME LANG LOGNAME MPLBACKEND MPLCONFIGDIR OMP_NUM_THREADS OPENBLAS_NUM_THREADS PATH TZ USER $/,
  },
  '16 other processes of the machine': {
    tries: `ls -d /proc/${process.pid} 2>&1; pgrep -c node`,
    sees: /No such file[\s\S]*0/,
  },
  '17 the root of process 1': { tries: 'ls /proc/1/root/ 2>&1', sees: /denied/ },
  '18 memory of the kernel': {
    tries: 'head -c1 /proc/kcore /dev/mem /dev/kmem /proc/kmsg 2>&1; dmesg 2>&1 | tail -1',
    sees: /^(head: .*(denied|not permitted|No such file).*\n){4}.*(denied|not permitted)/,
  },
  '19 settings of the kernel': {
    tries:
      'for f in sys/kernel/core_pattern sys/vm/overcommit_memory sysrq-trigger sys/kernel/hostname; do echo 1 > /proc/$f; done 2>&1; echo 1 > /proc/sys/user/max_user_namespaces',
    sees: /^(.*(Read-only|denied|No such file).*\n){5}$/,
  },
  '19 the system': {
    tries: 'touch /usr/x /x /bin/x /etc/x /dev/x /proc/x 2>&1; chmod 777 /usr /etc 2>&1',
    sees: /^(.*(Read-only|denied|No such file|not permitted).*\n){8}$/,
  },
});

const CLIMBING: Record<string, Attack> = {
  '20 namespaces by unshare': {
    tries: 'unshare -Ur id 2>&1; unshare -m true 2>&1; unshare -n true 2>&1',
    sees: /^(.*not permitted\n){3}$/,
  },
  '20 namespaces by clone and clone3': {
    tries: attempts('call(56, 0x10000011, 0, 0, 0, 0)', 'call(56, 0x20011, 0, 0, 0, 0)', 'call(435, bytes(88), 88)'),
    sees: /^EPERM EPERM ENOSYS$/m,
  },
  '21 namespaces by setns': {
    tries: attempts('call(308, os.open("/proc/self/ns/net", 0), 0)', 'call(308, os.pidfd_open(1), 0x40000000)'),
    sees: /^EPERM EPERM$/m,
  },
  '22 mounts, by the old and the new calls': {
    tries: attempts(
      'call(165, b"x", b"/tmp", b"tmpfs", 0, 0)',
      'call(166, b"/tmp", 2)',
      'call(155, b"/tmp", b"/tmp")',
      'call(161, b"/tmp")',
      ...[428, 429, 430, 432, 433, 442].map((number) => `call(${number}, 0, b"/", 0, 0, 0)`),
    ),
    sees: /^(EPERM ?){10}$/m,
  },
  '23 device files, but pipes': {
    tries: 'mknod d b 254 0 2>&1; mknod c c 1 1 2>&1; mkfifo p && stat -c %F p; rm p',
    sees: /not permitted\n.*not permitted\nfifo/,
  },
  '24 setuid programs': {
    tries:
      'cp /usr/bin/id i; chmod u+s i; ./i -u; rm i; find /usr -perm -4000 2>/dev/null | head -1 | xargs -I{} sh -c "{} --version >/dev/null 2>&1; id -u"',
    sees: /^1000\n(1000\n)?$/,
  },
  '24 capabilities': {
    tries: 'grep -E "Cap|NoNew" /proc/self/status',
    sees: /^(Cap...:\t0{16}\n){5}NoNewPrivs:\t1\n$/,
  },
};

const DEEP: Record<string, Attack> = {
  '25 io_uring, bpf, keyrings': {
    tries: attempts(
      ...[
        '425, 8, bytes(120)',
        '426, 0',
        '427, 0',
        '321, 0, bytes(64), 64',
        '248, b"user", b"x", b"x", 1, 0',
        '250, 0, 0',
      ].map((given) => `call(${given})`),
    ),
    sees: /^(EPERM ?){6}$/m,
  },
  '26 userfaultfd, perf, ptrace, memory of others': {
    tries: attempts(
      ...[
        '323, 0',
        '298, bytes(120), 0, -1, -1, 0',
        '101, 16, 1, 0, 0',
        '310, 1, 0, 0, 0, 0, 0',
        '311, 1, 0, 0, 0, 0, 0',
        '438, 3, 1, 0',
        '304, 0, 0, 0',
      ].map((given) => `call(${given})`),
    ),
    sees: /^(EPERM ?){7}$/m,
  },
  '26 typing into a terminal': {
    tries: python(
      'import fcntl, pty\na, b = pty.openpty()\nprint(attempt(lambda: fcntl.ioctl(b, 0x5412, b"x")), attempt(lambda: open("/dev/tty")))',
    ),
    sees: /^EPERM ENXIO$/m,
  },
  '27 calls of x32': {
    tries: attempts('call(0x40000000 + 39)', 'call(0x40000000 + 101, 0, 0, 0, 0)'),
    sees: /^EPERM EPERM$/m,
  },
  '28 calls of i386': {
    tries:
      python(
        'page = mmap.mmap(-1, 4096, prot=7)\npage.write(bytes.fromhex("b814000000cd80c3"))\n' +
          'print(ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))())\nprint("alive")',
      ) + '\necho "ended $?"',
    sees: /ended 159/,
  },
};

const SOCIABLE = (): Record<string, Attack> => ({
  '29 TCP and UDP': {
    tries: python(
      `print(attempt(lambda: socket.create_connection(("127.0.0.1", ${port}), 1)), attempt(lambda: socket.create_connection(("192.0.2.1", 443), 1)), attempt(lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("192.0.2.1", 53))))`,
    ),
    sees: /^ECONNREFUSED ENETUNREACH ENETUNREACH$/m,
  },
  '29 raw, packet, netlink, vsock and crypto sockets': {
    tries: attempts(
      'attempt(lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1))',
      ...[17, 16, 40, 38, 9, 30].map((family) => `attempt(lambda: socket.socket(${family}, socket.SOCK_RAW))`),
    ),
    sees: /^EPERM (EAFNOSUPPORT ?){6}$/m,
  },
  "30 the service's socket": {
    tries: python(`print(attempt(lambda: socket.socket(socket.AF_UNIX).connect("${path.join(folder, 'socket')}")))`),
    sees: /^ENOENT$/m,
  },
  '31 abstract sockets': {
    tries: python(
      'print(attempt(lambda: socket.socket(socket.AF_UNIX).connect("\\0/tmp/.X11-unix/X0")), open("/proc/net/unix").read().count("\\n"))',
    ),
    sees: /^ECONNREFUSED \d\n/m,
  },
  '32 the metadata address': {
    tries: python('print(attempt(lambda: socket.create_connection(("169.254.169.254", 80), 1)))'),
    sees: /^ENETUNREACH$/m,
  },
  '33 names': { tries: 'getent hosts data.in.labels.example.com; getent hosts localhost; echo "$?"', sees: /^2\n$/ },
});

describe.each([
  ['greedy', GREEDY],
  ['noisy', NOISY],
  ['stubborn', STUBBORN],
  ['climbing', CLIMBING],
  ['deep', DEEP],
])('a guest that is %s tries in vain:', (_, attacks) => {
  test.each(Object.entries(attacks).filter(isForThisMachine))('%s', (__, attack) => expectInVain(attack));
});

/** Numbers of system calls, and machine code, are those of x64. */
function isForThisMachine([, { tries }]: [string, Attack]): boolean {
  return process.arch === 'x64' || !/\bcall\(\d|cd80/.test(tries);
}

describe('a guest that is curious tries in vain:', () => {
  test('files, processes and settings of the machine', async () => {
    for (const attack of Object.values(CURIOUS())) await expectInVain(attack);
  });
  test('the network', async () => {
    for (const attack of Object.values(SOCIABLE())) await expectInVain(attack);
    expect(knocks).toBe(0);
  });
});

async function expectInVain({ tries, sees, ends = 'exit', timeoutMs }: Attack): Promise<void> {
  const memory = process.memoryUsage.rss();
  const [ran, other] = await Promise.all([guest.shell(tries, timeoutMs), neighbour.python('6 * 7')]);

  expect({ ends: ran.outcome, output: ran.output }).toEqual({ ends, output: expect.stringMatching(sees) });
  expect(Buffer.byteLength(ran.output)).toBeLessThan(SMALL.outputBytes + 100);
  expect(ran.output).not.toContain('the secret');
  expect(other).toMatchObject({ outcome: 'exit', output: '42\n' });
  expect(process.memoryUsage.rss() - memory).toBeLessThan(64 * 2 ** 20);
  expect(await countProcesses()).toBe(2);
}

/** Process 1 and the one that counts. */
async function countProcesses(): Promise<number> {
  const { output } = await guest.shell('exec ls /proc');
  return output.split('\n').filter((name) => /^\d+$/.test(name)).length;
}
