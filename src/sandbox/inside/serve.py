# Process 1 of a container in which code runs for a service elsewhere. The service dials; it sends the text of the runner, so the
# container needs no file but this one.
#
# One connection at a time is served, by one runner, for one workspace. Everybody else is refused. When the connection or the runner
# ends, all processes are killed and all folders emptied before the next connection is taken: volumes outlive a container, and
# Kubernetes delays the restart of containers that end often. Nothing that a guest has written is read here.
#
#   python3 -IBS serve.py 7070    listens on a port
#   python3 -IBS serve.py         listens on the socket that was passed as descriptor 3
import base64
import contextlib
import ctypes
import fcntl
import json
import os
import platform
import select
import signal
import socket
import struct
import subprocess
import sys

WRITABLE = ('/workspace', '/tmp', '/dev/shm')
PROGRAM_S, MOST_BYTES = 10, 1 << 20
WATCH_MS = 100
libc = ctypes.CDLL(None, use_errno=True)


def main():
    if os.getpid() != 1:
        sys.exit('It must be process 1: start the container without --init, and its pod with a process namespace of its own.')
    if os.getuid() == 0:
        sys.exit('It must not be root.')
    if set(os.environ) - {'LC_CTYPE'}:
        os.execve('/proc/self/exe', sys.orig_argv, {})  # gVisor shows the variables of process 1 to everybody
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a guest could send it; all others are ignored by process 1
    prctl(4, 0)  # PR_SET_DUMPABLE: a guest has the same user, and must open neither its memory nor its descriptors
    listener = listen()
    while True:
        sweep()
        serve(listener)


def prctl(option, value, address=0):
    if libc.prctl(option, ctypes.c_ulong(value), ctypes.c_void_p(address), 0, 0) != 0:
        raise OSError(ctypes.get_errno(), f'prctl {option} failed')


def listen():
    if len(sys.argv) < 2:
        listener = socket.socket(fileno=3)
        listener.set_inheritable(False)
        return listener
    dual = socket.has_dualstack_ipv6()
    listener = socket.socket(socket.AF_INET6 if dual else socket.AF_INET)
    if dual:
        listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
    share(listener, True)
    listener.bind(('', int(sys.argv[1])))
    return listener


def share(listener, value):
    """Whether the port may have further sockets: earlier connections, which linger, or a guest that would answer in our place."""
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, value)


def sweep():
    """Ends everybody else, and empties what they could write."""
    while True:
        try:
            os.kill(-1, signal.SIGKILL)
        except ProcessLookupError:
            pass
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            break
    # Folders may be closed to their owner, and deeper than Python can walk. The folders themselves may belong to root.
    run = {'env': {'PATH': '/usr/bin:/bin'}, 'stderr': subprocess.DEVNULL}
    subprocess.run(['chmod', '-R', 'u+rwx', *WRITABLE], **run)
    subprocess.run(['find', *WRITABLE, '-mindepth', '1', '-delete'], **run)
    if any(os.listdir(folder) for folder in WRITABLE):
        sys.exit('Files of an earlier workspace can not be removed.')


def serve(listener):
    share(listener, True)
    listener.listen(0)
    connection, _ = listener.accept()
    listener.shutdown(socket.SHUT_RDWR)  # it stays bound, so nobody else can be
    share(listener, False)
    runner = os.fork()
    if runner == 0:
        become_runner(connection)
    watch(connection, runner)
    connection.close()


def keep_alive(connection):
    """A service that has vanished with its machine sends no end."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for option, value in (('TCP_NODELAY', 1), ('TCP_KEEPIDLE', 10), ('TCP_KEEPINTVL', 5), ('TCP_KEEPCNT', 4)):
        connection.setsockopt(socket.IPPROTO_TCP, getattr(socket, option), value)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, 30_000)


def watch(connection, runner):
    """Until the service or the runner is gone. A runner that a guest had taken over would not end by itself."""
    poll = select.poll()
    poll.register(connection, select.POLLRDHUP)
    while not poll.poll(WATCH_MS):
        ended = os.waitpid(-1, os.WNOHANG)[0]
        while ended not in (0, runner):
            ended = os.waitpid(-1, os.WNOHANG)[0]
        if ended == runner:
            return


def become_runner(connection):
    signal.alarm(PROGRAM_S)  # for one who connects and says nothing
    keep_alive(connection)
    (size,) = struct.unpack('>I', read_exactly(connection, 4))
    header = json.loads(read_exactly(connection, size))
    runner = read_exactly(connection, header['bytes']).decode()
    signal.alarm(0)
    os.chdir('/workspace')
    os.dup2(connection.fileno(), 0)
    os.dup2(connection.fileno(), 1)
    leave_network()
    filters = header['filters'][platform.machine()]
    install(base64.b64decode(filters['apart' if has_only_loopback() else 'connected']))
    arguments = ['python3', '-IBS', '-c', runner, header['limits'], header['interpreter']]
    os.execvpe('python3', arguments, header['variables'])


def read_exactly(connection, size):
    if size > MOST_BYTES:
        sys.exit('What was sent is no runner.')
    data = b''
    while len(data) < size:
        chunk = connection.recv(size - len(data))
        if not chunk:
            os._exit(0)  # who connected only wanted to know whether somebody is there
        data += chunk
    return data


def leave_network():
    """A network of its own, where the container may make one: gVisor lets it, most other engines do not."""
    user, group = os.getuid(), os.getgid()
    prctl(4, 1)  # for its own files in /proc; no guest runs yet
    if libc.unshare(0x50000000) != 0:  # CLONE_NEWUSER, CLONE_NEWNET
        return
    with contextlib.suppress(PermissionError):
        write('setgroups', 'deny')  # gVisor needs none
    write('uid_map', f'{user} {user} 1')
    write('gid_map', f'{group} {group} 1')
    with contextlib.suppress(OSError), socket.socket() as any_socket:
        fcntl.ioctl(any_socket, 0x8914, struct.pack('16sH22x', b'lo', 0x49))  # SIOCSIFFLAGS: up; in gVisor it is
    for capability in range(64):
        if libc.prctl(24, capability, 0, 0, 0) != 0:  # PR_CAPBSET_DROP, until there is none of this number
            break


def write(name, text):
    with open(f'/proc/self/{name}', 'w') as file:
        file.write(text)


def has_only_loopback():
    try:
        lines = open('/proc/self/net/dev').read().splitlines()[2:]
    except FileNotFoundError:
        return False
    return all(line.split(':')[0].strip() == 'lo' for line in lines)


def install(instructions):
    """The filter for system calls, which its descendants inherit."""
    kept = ctypes.create_string_buffer(instructions, len(instructions))
    program = ctypes.create_string_buffer(struct.pack('@HP', len(instructions) // 8, ctypes.addressof(kept)))
    prctl(38, 1)  # PR_SET_NO_NEW_PRIVS
    prctl(22, 2, ctypes.addressof(program))  # PR_SET_SECCOMP, SECCOMP_MODE_FILTER


main()
