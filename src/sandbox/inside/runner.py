# Takes files in, runs commands and Python code, and hands changed files out. Standard library only.
#
# Behind bubblewrap it is process 1. In a container serve.py is, and starts it; there its guests may stop or kill it, which loses their
# own sandbox. gVisor lacks some of what Linux has, and a container is a hard limit for what then can't be counted.
#
# It gets its limits and the text of the interpreter as arguments. Frames go both ways on descriptors 0 and 1: four bytes with the
# length of a header, the header as JSON, then header["bytes"] raw bytes. Between calls no process of the guest runs: all are killed,
# and the interpreter is stopped. So nobody changes files while they are read.
import contextlib
import ctypes
import errno
import json
import os
import resource
import select
import signal
import socket
import stat
import struct
import sys
import time

LIMITS, INTERPRETER = json.loads(sys.argv[1]), sys.argv[2]
ROOT = '/workspace'
WRITABLE = (ROOT, '/tmp', '/dev/shm')
NAMESPACES = ('cgroup', 'ipc', 'mnt', 'net', 'pid', 'user', 'uts')
NOT_KEPT = {'.cache', '__pycache__', 'node_modules', '.venv'}
WATCH_S, EXIT_S, PROGRESS_S, PROGRESS_BYTES, MOST_REFUSED = 0.1, 0.005, 0.05, 4096, 100
# Where the guest finds the way out during a call with network, and what may be on its way in each direction of a connection.
PROXY_PORT, STREAM_WINDOW, STREAM_CHUNK, MOST_STREAMS = 3128, 128 * 1024, 32 * 1024, 32
PROXY = f'http://127.0.0.1:{PROXY_PORT}'
PROXY_VARIABLES = {name: PROXY for name in ('http_proxy', 'https_proxy', 'HTTP_PROXY', 'HTTPS_PROXY')}
# A socket's buffer belongs to no process: 212,992 bytes, which the owner may double.
SOCKET_BYTES = 425_984
# The clock of files ticks every 4 or 10 ms. A change within one tick of the last look leaves no trace in their times.
TICK_NS = 20_000_000


def send(header, body=b''):
    head = json.dumps({**header, 'bytes': len(body)}).encode()
    left = memoryview(struct.pack('>I', len(head)) + head + body)
    while left:
        left = left[os.write(1, left) :]


def receive():
    (size,) = struct.unpack('>I', read_exactly(4))
    header = json.loads(read_exactly(size))
    return header, read_exactly(header['bytes'])


def read_exactly(size):
    parts = []
    while size > 0:
        chunk = b''
        with contextlib.suppress(ConnectionResetError):
            chunk = os.read(0, min(size, 1 << 20))
        if not chunk:
            os._exit(0)  # the service is gone; everybody else ends with process 1
        parts.append(chunk)
        size -= len(chunk)
    return b''.join(parts)


# --- What holds here. It is read before any guest runs.


libc = ctypes.CDLL(None, use_errno=True)


def describe():
    status = dict(line.split(':\t', 1) for line in open('/proc/self/status').read().splitlines() if ':\t' in line)
    devices = network_devices()
    mounts = {line.split()[1]: line.split()[3].split(',') for line in open('/proc/self/mounts')}
    return {
        'namespaces': {name: namespace(name) for name in NAMESPACES},
        'pid': os.getpid(),
        'alone': not others(),
        'kernel': f'{os.uname().release} {os.uname().version}',
        'devices': [name for name in devices if name != 'lo' and has_internet()],
        'capabilities': status['CapPrm'].strip('0') + status['CapBnd'].strip('0'),
        'noNewPrivileges': libc.prctl(39, 0, 0, 0, 0) == 1,  # PR_GET_NO_NEW_PRIVS
        'seccomp': int(status['Seccomp']),
        'readOnly': 'ro' in mounts['/'] and not any(is_writable(folder, mounts) for folder in ('/usr', '/dev', '/etc')),
        'writableBytes': sum(v.f_blocks * v.f_frsize for v in map(os.statvfs, WRITABLE)),
    }


def network_devices():
    try:
        return [line.split(':')[0].strip() for line in open('/proc/self/net/dev').read().splitlines()[2:]]
    except FileNotFoundError:
        return ['unknown']  # gVisor with the network of the machine


def namespace(name):
    with contextlib.suppress(FileNotFoundError):
        return os.readlink('/proc/self/ns/' + name)


def has_internet():
    try:
        socket.socket().close()
    except OSError:
        return False
    return True


def is_writable(folder, mounts):
    return 'ro' not in mounts.get(folder, ['ro']) and os.access(folder, os.W_OK)


def protect():
    os.closerange(3, os.sysconf('SC_OPEN_MAX'))  # what the service has inherited, and passed on
    # Until here its files in /proc are its own. A guest of the same user must open neither its memory nor its descriptors.
    with open('/proc/self/oom_score_adj', 'w') as file:
        file.write('1000')  # guests inherit it: the kernel ends them before it ends the service
    if libc.prctl(4, 0, 0, 0, 0) != 0:  # PR_SET_DUMPABLE
        raise OSError('PR_SET_DUMPABLE failed')
    libc.prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER; where there is none, process 1 collects orphans
    # Python handles it, so a guest could send it, even to process 1. All other signals are ignored there.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for name in ('nproc', 'fsize', 'data', 'nofile', 'core'):
        value = LIMITS[name]
        resource.setrlimit(getattr(resource, 'RLIMIT_' + name.upper()), (value, value))


# --- Processes of the guest


def start(argv, descriptors, variables=None):
    """Much cheaper than fork, which would copy this process's page tables."""
    pid = os.posix_spawnp(
        argv[0],
        argv,
        {**os.environ, **(variables or {})},
        file_actions=[(os.POSIX_SPAWN_DUP2, source, target) for target, source in descriptors.items()],
        setsid=True,
        setsigdef=[signal.SIGINT, signal.SIGPIPE, signal.SIGXFSZ],
    )
    os.setpriority(os.PRIO_PROCESS, pid, 10)  # a guest can't lower it again, so this process keeps its turn
    return pid


def others():
    own = ('1', str(os.getpid()))
    return [int(name) for name in os.listdir('/proc') if name.isdigit() and name not in own]


def signal_all(number):
    try:
        os.kill(-1, number)  # everybody but process 1 and this one, at once: a fork in progress sees the signal, too
    except ProcessLookupError:
        pass


def state_of(pid):
    try:
        with open(f'/proc/{pid}/stat') as file:
            return file.read().rpartition(')')[2].split()
    except OSError:
        return None  # it has ended


def kill(pid, number):
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass  # it has ended


def quiet(keep):
    """Ends all processes but `keep`, which is stopped."""
    signal_all(signal.SIGKILL if keep is None else signal.SIGSTOP)
    while True:
        collect()
        # A child whose fork was in progress has got the signal, too, but may appear only now.
        awake = [pid for pid in others() if not states_of(pid) <= (STOPPED if pid == keep else STILL)]
        if not awake:
            break
        for pid in awake:
            kill(pid, signal.SIGSTOP if pid == keep else signal.SIGKILL)
        time.sleep(0.00005)
    collect()
    with contextlib.suppress(PermissionError):  # a volume belongs to root
        os.chmod(ROOT, 0o755)  # a tmpfs belongs to the guest


STILL, STOPPED = set('ZX'), set('ZXTt')


def states_of(pid):
    """Of all its threads: one may still write a file when the first has stopped."""
    try:
        states = [state_of(f'{pid}/task/{thread}') for thread in os.listdir(f'/proc/{pid}/task')]
    except OSError:
        return set()  # it has ended
    return {state[0] for state in states if state}


def collect():
    """Takes ended children, except those that are still asked for: `ended` has their status."""
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if pid == 0:
            return
        if pid in ended:
            ended[pid] = os.waitstatus_to_exitcode(status)


def excess(inodes_before):
    for folder, before in inodes_before.items():
        if inodes_in(folder) > max(LIMITS['inodes'], before):  # a call that removes what is too much goes on
            return 'files'
    if memory(rss_of) > LIMITS['memory'] and memory(pss_of) > LIMITS['memory']:
        return 'memory'
    return 'memory' if is_machine_short() else None


def inodes_in(folder):
    used = os.statvfs(folder)
    return used.f_files - used.f_ffree


def memory(of):
    sockets = 0
    with contextlib.suppress(FileNotFoundError), open('/proc/self/net/sockstat') as file:
        sockets = int(file.readline().split()[-1])
    return sum(of(pid) for pid in others()) + sockets * SOCKET_BYTES


HAS_PSS = os.path.exists('/proc/self/smaps_rollup')


def rss_of(pid):
    """Also page tables, and shared memory without a file, which `statm` leaves out. What processes share counts in each."""
    return sum_of(f'/proc/{pid}/status', ('RssAnon', 'RssShmem', 'VmPTE', 'VmSwap') if HAS_PSS else ('VmRSS',))


def pss_of(pid):
    """What processes share is divided among them. Expensive."""
    if not HAS_PSS:
        return rss_of(pid)
    try:
        pages = sum_of(f'/proc/{pid}/smaps_rollup', ('Pss_Anon', 'Pss_Shmem', 'SwapPss'))
    except PermissionError:
        return rss_of(pid)  # it hides its pages
    return pages + sum_of(f'/proc/{pid}/status', ('VmPTE',))


def sum_of(path, names):
    try:
        with open(path) as file:
            return sum(int(line.split()[1]) for line in file if line.startswith(names)) * 1024
    except (FileNotFoundError, ProcessLookupError):
        return 0  # it has ended


def is_machine_short():
    with open('/proc/meminfo') as file:
        available = next((int(line.split()[1]) for line in file if line.startswith('MemAvailable')), None)
    return available is not None and available * 1024 < LIMITS['machineMemory']


# --- Calls


class Output:
    """Keeps the first and the last half of what is allowed, and shows what comes while it comes."""

    def __init__(self):
        self.keep = LIMITS['output'] // 2
        self.head, self.tail, self.total = bytearray(), bytearray(), 0
        self.unseen, self.shown_at = b'', 0.0

    def add(self, chunk):
        self.total += len(chunk)
        room = self.keep - len(self.head)
        self.head += chunk[:room]
        self.tail += chunk[room:]
        del self.tail[: -self.keep]
        self.unseen = (self.unseen + chunk)[-PROGRESS_BYTES:]

    def show(self, now):
        if self.unseen and now - self.shown_at >= PROGRESS_S:
            send({'type': 'progress'}, self.unseen)
            self.unseen, self.shown_at = b'', now

    def text(self):
        left_out = self.total - len(self.head) - len(self.tail)
        middle = b'\n... %d bytes left out ...\n' % left_out if left_out else b''
        return bytes(self.head) + middle + bytes(self.tail)


class Call:
    """Waits for the end of a call, or for the reason to end it."""

    def __init__(self, pid, out, network, answer=None, control=None, code=b''):
        self.pid, self.out, self.answer, self.control, self.code = pid, out, answer, control, code
        self.network = network
        self.output, self.answered = Output(), b''
        self.inodes_before = {folder: inodes_in(folder) for folder in WRITABLE}
        self.exit = open_process(pid)
        self.poll = select.poll()
        for descriptor in (0, out, self.exit):
            if descriptor is not None:
                self.poll.register(descriptor, select.POLLIN)
        if answer is not None:
            self.poll.register(answer, select.POLLIN)
            self.poll.register(control, select.POLLOUT)
        if network:
            network.watch(self.poll)

    def wait(self, timeout_ms):
        now = time.monotonic()
        deadline, look_at = now + timeout_ms / 1000, now + WATCH_S
        while now < deadline:
            patience = max(0, min(deadline, look_at) - now)
            for descriptor, events in self.poll.poll((patience if self.exit is not None else min(patience, EXIT_S)) * 1000):
                outcome = self.handle(descriptor, events)
                if outcome:
                    return outcome
            if self.exit is None and self.has_ended():
                return self.outcome_of_end()
            now = time.monotonic()
            self.output.show(now)
            if now >= look_at:
                problem = excess(self.inodes_before)
                if problem:
                    return problem
                look_at = now + WATCH_S
        return 'timeout'

    def handle(self, descriptor, events):
        if descriptor == 0:
            header, body = receive()
            if header['type'] == 'stop':
                return 'stopped'
            if self.network and header['type'] == 'stream':
                self.network.take(header, body)
        if descriptor == self.out:
            if not self.read():
                self.poll.unregister(self.out)
        elif descriptor == self.control:
            self.write_code()
        elif descriptor == self.answer:
            self.answered = os.read(self.answer, 1)
            return 'exit' if self.answered else 'ended'
        elif descriptor == self.exit:
            return self.outcome_of_end()
        elif self.network:
            self.network.handle(descriptor, events)

    def outcome_of_end(self):
        return 'exit' if self.answer is None else 'ended'

    def has_ended(self):
        collect()
        return ended[self.pid] is not None

    def read(self):
        try:
            chunk = os.read(self.out, 65536)
        except BlockingIOError:
            return False
        self.output.add(chunk)
        return chunk

    def write_code(self):
        try:
            self.code = self.code[os.write(self.control, self.code) :]
        except BrokenPipeError:
            self.code = b''  # it has ended, which its other descriptors tell
        if not self.code:
            self.poll.unregister(self.control)

    def close(self):
        while self.read():
            pass
        if self.exit is not None:
            os.close(self.exit)


def open_process(pid):
    try:
        return os.pidfd_open(pid)
    except OSError as error:
        if error.errno != errno.ENOSYS:
            raise
        return None  # gVisor; then it is asked for often


class Connection:
    def __init__(self, socket):
        self.socket, self.stream = socket, None
        self.room = STREAM_WINDOW  # what the service still takes
        self.unsent, self.ends = bytearray(), False  # for the guest, and whether the service has said its last word


class Network:
    """Passes bytes between connections of the guest and the service, which decides where they go. The guest has no other way."""

    def __init__(self):
        import socket  # few calls need it, and it takes time

        self.listener = socket.create_server(('127.0.0.1', PROXY_PORT), backlog=MOST_STREAMS)
        self.listener.setblocking(False)
        self.poll, self.connections, self.streams, self.newest = None, {}, {}, 0

    def watch(self, poll):
        self.poll = poll
        poll.register(self.listener, select.POLLIN)

    def handle(self, descriptor, events):
        if descriptor == self.listener.fileno():
            return self.accept()
        connection = self.connections.get(descriptor)
        if not connection:
            return  # closed by what came in the same moment
        try:
            if events & select.POLLOUT:
                self.pass_in(connection)
            elif not events & select.POLLIN:
                self.drop(connection)  # it broke
            if events & select.POLLIN and descriptor in self.connections:
                self.pass_out(connection)
        except BlockingIOError:
            pass
        except OSError:
            self.drop(connection)

    def accept(self):
        try:
            accepted, _ = self.listener.accept()
        except OSError:
            return  # it is gone already
        accepted.setblocking(False)
        self.connections[accepted.fileno()] = Connection(accepted)
        self.poll.register(accepted, select.POLLIN)
        if len(self.connections) == MOST_STREAMS:
            self.poll.unregister(self.listener)  # the others wait until one ends

    def pass_out(self, connection):
        body = connection.socket.recv(min(connection.room, STREAM_CHUNK))
        if not body:
            return self.drop(connection)
        if connection.stream is None:
            self.newest += 1
            connection.stream = self.newest
            self.streams[self.newest] = connection
        connection.room -= len(body)
        self.say(connection, 'data', body)
        self.update(connection)

    def pass_in(self, connection):
        sent = connection.socket.send(connection.unsent)
        del connection.unsent[:sent]
        if not connection.ends:
            self.say(connection, 'room', room=sent)
        self.update(connection)

    def take(self, header, body):
        connection = self.streams.get(header['stream'])
        if not connection:
            return  # closed by the guest, which the service did not know yet
        if header['act'] == 'data':
            connection.unsent += body
        elif header['act'] == 'room':
            connection.room += header['room']
        else:
            connection.ends = True
        self.update(connection)

    def update(self, connection):
        if connection.ends and not connection.unsent:
            return self.drop(connection)
        wanted = select.POLLIN if connection.room > 0 and not connection.ends else 0
        self.poll.modify(connection.socket, wanted | (select.POLLOUT if connection.unsent else 0))

    def drop(self, connection):
        if connection.stream and not connection.ends:
            self.say(connection, 'close')
        self.poll.unregister(connection.socket)
        if len(self.connections) == MOST_STREAMS:
            self.poll.register(self.listener, select.POLLIN)
        del self.connections[connection.socket.fileno()]
        self.streams.pop(connection.stream, None)
        connection.socket.close()

    def say(self, connection, act, body=b'', **more):
        send({'type': 'stream', 'stream': connection.stream, 'act': act, **more}, body)

    def close(self):
        for connection in self.connections.values():
            connection.socket.close()
        self.listener.close()


NO_NETWORK = b"Not run: this sandbox can't have network, because its container can't make namespaces.\n"


def open_network():
    try:
        return Network()
    except OSError:
        stop_interpreter()  # it listens there itself
        quiet(None)
        return Network()


interpreter = None  # its process, and our ends of its pipes
ended = {}  # exit codes of the processes whose end is asked for


def pipe(*, ours):
    ends = os.pipe()
    os.set_blocking(ends[ours], False)
    return ends


def run(header, body):
    began, cpu = time.monotonic(), cpu_seconds()
    try:
        network = open_network() if header['network'] else None
    except OSError:  # the filter of a container that can't make namespaces
        ran = {'outcome': 'exit', 'code': 1, 'total': len(NO_NETWORK), 'ms': 0, 'cpuMs': 0, 'fresh': False}
        return send({'type': 'ran', **ran}, NO_NETWORK)
    if header['kind'] == 'shell':
        outcome, code, output, fresh = run_shell(body.decode(), header['timeoutMs'], network)
    else:
        outcome, code, output, fresh = run_python(body, header['timeoutMs'], header['reset'], network)
    if network:
        network.close()
    ms, cpu_ms = (time.monotonic() - began) * 1000, max(0.0, cpu_seconds() - cpu) * 1000
    send(
        {'type': 'ran', 'outcome': outcome, 'code': code, 'total': output.total, 'ms': ms, 'cpuMs': cpu_ms, 'fresh': fresh},
        output.text(),
    )


def run_shell(command, timeout_ms, network):
    out, theirs = pipe(ours=0)
    nothing = os.open('/dev/null', os.O_RDONLY)
    pid = start(['bash', '-c', command], {0: nothing, 1: theirs, 2: theirs}, network and PROXY_VARIABLES)
    ended[pid] = None
    os.close(theirs)
    os.close(nothing)
    call = Call(pid, out, network)
    outcome = call.wait(timeout_ms)
    end_call(outcome)
    call.close()
    os.close(out)
    return outcome, shell_code(ended.pop(pid)), call.output, False


def end_call(outcome):
    """What goes beyond a limit ends the interpreter as well."""
    if outcome != 'exit':
        stop_interpreter()
    quiet(interpreter and interpreter[0])


def shell_code(code):
    return 128 - code if code is not None and code < 0 else code


def run_python(code, timeout_ms, reset, network):
    global interpreter
    if reset:
        stop_interpreter()
        quiet(None)
    elif interpreter and (ended[interpreter[0]] is not None or select.select([interpreter[2]], [], [], 0)[0]):
        stop_interpreter()  # the guest has killed it, or made it answer what was not asked
        quiet(None)
    fresh = interpreter is None
    if fresh:
        interpreter = start_interpreter()
    pid, out, answer, control = interpreter
    os.kill(pid, signal.SIGCONT)
    proxies = '\n'.join(f'{name}={value if network else ""}' for name, value in PROXY_VARIABLES.items())
    parts = b''.join(struct.pack('>I', len(part)) + part for part in (proxies.encode(), code))
    call = Call(pid, out, network, answer, control, parts)
    outcome = call.wait(timeout_ms)
    if outcome != 'exit':
        interpreter = None
    quiet(interpreter and pid)
    call.close()
    if interpreter:
        return outcome, int(call.answered == b'1'), call.output, fresh
    for descriptor in (out, answer, control):
        os.close(descriptor)
    return outcome, shell_code(ended.pop(pid)), call.output, fresh


def start_interpreter():
    out, their_out = pipe(ours=0)
    answer, their_answer = pipe(ours=0)
    their_control, control = pipe(ours=1)
    nothing = os.open('/dev/null', os.O_RDONLY)
    # From 20 on, so that no descriptor is overwritten before it is copied.
    copies = {0: nothing, 1: their_out, 2: their_out, 20: their_control, 21: their_answer}
    pid = start(['python3', '-IB', '-c', INTERPRETER], copies)
    ended[pid] = None
    for descriptor in (their_out, their_answer, their_control, nothing):
        os.close(descriptor)
    return pid, out, answer, control


def stop_interpreter():
    global interpreter
    if interpreter:
        pid, *descriptors = interpreter
        if ended.pop(pid) is None:
            kill(pid, signal.SIGKILL)
        for descriptor in descriptors:
            os.close(descriptor)
        interpreter = None


def cpu_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    total = used.ru_utime + used.ru_stime
    state = state_of(interpreter[0]) if interpreter else None
    if state:
        # The clock of another process, as clock_getcpuclockid(3) computes it; then its ended children, which it leaves out.
        total += time.clock_gettime((~interpreter[0] << 3) | 2) + (int(state[13]) + int(state[14])) / 100
    return total


# --- Files

known = {}  # path -> size, times and inode at the last look
looked_ns = 0  # when guests could run again after it
failure = None  # of the first file that could not be written


def put(header, body):
    global failure
    path = os.path.join(ROOT, header['path'])
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'wb') as file:
            file.write(body)
        os.chmod(path, header['mode'])
        if not any(is_left_out(name) for name in header['path'].split('/')):
            known[header['path']] = trace_of(os.lstat(path))
    except OSError as error:
        failure = failure or f'{header["path"]}: {error.strerror}'


def filled():
    global looked_ns
    looked_ns = time.time_ns()
    send({'type': 'filled', 'failure': failure})


def is_left_out(name):
    return name in NOT_KEPT or name.endswith('.pyc')


def trace_of(status):
    return (status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)


def changes():
    global looked_ns
    seen, sent, refused = {}, 0, []
    for path, status in walk(refused):
        trace = trace_of(status)
        seen[path] = trace
        # A guest can set any mtime, but no ctime.
        if len(seen) > LIMITS['files'] or sent + status.st_size > LIMITS['workspace']:
            return send({'type': 'excess', 'of': 'files' if len(seen) > LIMITS['files'] else 'bytes'})
        if known.get(path) == trace and status.st_ctime_ns < looked_ns - TICK_NS:
            continue
        with open(os.path.join(ROOT, path), 'rb') as file:
            body = file.read()
        sent += len(body)
        send({'type': 'file', 'path': path, 'mode': stat.S_IMODE(status.st_mode) & 0o777}, body)
    for path in sorted(known.keys() - seen.keys()):
        send({'type': 'removed', 'path': path})
    for name, reason in refused[:MOST_REFUSED]:
        send({'type': 'refused', 'name': ascii(name)[1:-1][:200], 'reason': reason})
    known.clear()
    known.update(seen)
    looked_ns = time.time_ns()
    send({'type': 'changed', 'files': len(seen), 'refused': len(refused)})


def walk(refused):
    folders = ['']
    while folders:
        folder = folders.pop()
        for name in sorted(os.listdir(os.path.join(ROOT, folder))):
            path = folder + name
            status = os.lstat(os.path.join(ROOT, path))
            is_folder = stat.S_ISDIR(status.st_mode)
            if is_left_out(name):
                continue
            reason = problem_with(path, status.st_mode)
            if reason:
                refused.append((path, reason))
                continue
            if status.st_mode & 0o400 == 0 or is_folder and status.st_mode & 0o500 != 0o500:
                os.chmod(os.path.join(ROOT, path), status.st_mode | (0o500 if is_folder else 0o400))
                status = os.lstat(os.path.join(ROOT, path))
            if is_folder:
                folders.append(path + '/')
            else:
                yield path, status


def problem_with(path, mode):
    if not stat.S_ISDIR(mode) and not stat.S_ISREG(mode):
        return 'link' if stat.S_ISLNK(mode) else 'special'
    try:
        size = len(path.encode())
    except UnicodeEncodeError:
        return 'name'
    if any(ord(letter) < 32 or ord(letter) == 127 for letter in path):
        return 'name'
    if size > LIMITS['pathBytes']:
        return 'path'
    return 'depth' if path.count('/') >= LIMITS['depth'] else None


def main():
    facts = describe()
    protect()
    os.umask(0o022)
    send({'type': 'ready', **facts})
    while True:
        header, body = receive()
        if header['type'] == 'put':
            put(header, body)
        elif header['type'] == 'filled':
            filled()
        elif header['type'] == 'run':
            run(header, body)
        elif header['type'] == 'changes':
            changes()
        # `stop` and `stream` have come after the end of their call


main()
