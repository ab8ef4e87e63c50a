# Looks around as a guest would. The service puts FACTS, a JSON text, before this one, and the question after it.
import contextlib
import ctypes
import errno
import importlib
import importlib.metadata
import importlib.util
import json
import os
import platform
import resource
import shutil
import socket

facts = json.loads(FACTS)  # noqa: F821
libc = ctypes.CDLL(None, use_errno=True)
CALLS = {'x86_64': {'keyctl': 250, 'memfd_create': 319}, 'aarch64': {'keyctl': 219, 'memfd_create': 279}}
VARIABLES = {'PATH', 'HOME', 'USER', 'LOGNAME', 'LANG', 'TZ', 'MPLBACKEND', 'MPLCONFIGDIR', 'OPENBLAS_NUM_THREADS'}
VARIABLES |= {'OMP_NUM_THREADS', 'PWD', 'LC_CTYPE'}
LIBRARIES = {  # by the name that code imports, with the name of its distribution
    'numpy': 'numpy',
    'pandas': 'pandas',
    'matplotlib': 'matplotlib',
    'scipy': 'scipy',
    'openpyxl': 'openpyxl',
    'docx': 'python-docx',
    'PIL': 'pillow',
    'lxml': 'lxml',
    'xlsxwriter': 'xlsxwriter',
    'pypdf': 'pypdf',
    'reportlab': 'reportlab',
    'pptx': 'python-pptx',
    'duckdb': 'duckdb',
    'sqlite3': None,
}
PROGRAMS = ['jq', 'rg', 'git', 'unzip', 'convert', 'pandoc', 'pdftotext']


def look_around():
    checks = {
        'network': [only_loopback, unreachable],
        'files': [no_foreign_file, read_only, no_variables],
        'processes': [one_tree, no_signal, closed_runner, own_namespaces],
        'privileges': [no_capability, no_new_namespace],
        'calls': [filtered],
        'limits': [small_folders, few_processes],
    }
    # The names of the checks that failed; null if none did.
    print(json.dumps({layer: ', '.join(c.__name__ for c in each if not holds(c)) or None for layer, each in checks.items()}))


def holds(check):
    try:
        return check() is True
    except OSError:
        return False


def has_internet():
    try:
        socket.socket().close()
    except OSError as error:
        return error.errno != errno.EAFNOSUPPORT
    return True


def only_loopback():
    if not has_internet():
        return True
    lines = open('/proc/net/dev').read().splitlines()[2:]
    return {line.split(':')[0].strip() for line in lines} <= {'lo'}


def unreachable():
    if not has_internet():
        return True
    with socket.socket() as attempt:
        attempt.settimeout(2)
        return attempt.connect_ex(('192.0.2.1', 80)) in (errno.ENETUNREACH, errno.EHOSTUNREACH)  # the second in gVisor


def no_foreign_file():
    # A container has an image of its own; what must not be there was mounted.
    mounted = ['/var/run/secrets', '/run/secrets', '/var/run/docker.sock', '/run/containerd']
    foreign = mounted if facts['rung'] == 'runners' else ['/etc/passwd', '/sys/kernel']
    return not any(os.path.exists(name) for name in [facts['file'], *foreign])


def read_only():
    return not any(os.access(folder, os.W_OK) for folder in ('/', '/usr', '/usr/bin', '/dev', '/etc', '/proc/sys/kernel'))


def no_variables():
    return set(os.environ) <= VARIABLES


def one_tree():
    return {int(name) for name in os.listdir('/proc') if name.isdigit()} == own_processes()


def own_processes():
    return {1, os.getppid(), os.getpid()}


def no_signal():
    if facts['pid'] in own_processes():
        return True  # the same number, of another process
    try:
        os.kill(facts['pid'], 0)
    except ProcessLookupError:
        return True


def closed_runner():
    # gVisor opens descriptors of others, but no sockets, and in a container these are all that the runner has.
    runner, own = os.getppid(), facts['rung'] == 'bubblewrap'
    closed = [(1, 'mem'), (1, 'root/etc'), (runner, 'mem'), (runner, 'root/etc'), (runner, 'fd/0'), (runner, 'fd/1')]
    closed += [(1, 'environ')] if own else []
    for pid, name in closed:
        with contextlib.suppress(PermissionError if own else OSError):
            open(f'/proc/{pid}/{name}', 'rb').close()
            return False
    return True


def own_namespaces():
    return all(os.readlink('/proc/self/ns/' + name) != outside for name, outside in facts['namespaces'].items())


def status(name):
    lines = open('/proc/self/status').read().splitlines()
    return next((line.split()[1] for line in lines if line.startswith(name + ':')), '0')


def no_capability():
    sets = [int(status(name), 16) for name in ('CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb')]
    return not any(sets) and libc.prctl(39, 0, 0, 0, 0) == 1 and os.getuid() != 0


def no_new_namespace():
    return libc.unshare(0x10000000) == -1 and ctypes.get_errno() == errno.EPERM


def filtered():
    numbers = CALLS[platform.machine()]
    answers = []
    for name in ('keyctl', 'memfd_create'):
        answers.append((libc.syscall(numbers[name], 0, 0, 0, 0, 0), ctypes.get_errno()))
    return status('Seccomp') == '2' and answers == [(-1, errno.EPERM), (-1, errno.ENOSYS)]


def small_folders():
    limits = facts['limits']
    sizes = {'/workspace': limits['workspaceBytes'], '/tmp': limits['tmpBytes'], '/dev/shm': limits['tmpBytes']}
    return all(bytes_of(os.statvfs(folder)) <= size + 65536 for folder, size in sizes.items())


def bytes_of(folder):
    return folder.f_blocks * folder.f_frsize


def few_processes():
    return resource.getrlimit(resource.RLIMIT_NPROC)[1] == facts['limits']['processes']


def list_environment():
    # Importing them would take a second.
    libraries, missing = [], []
    for name, distribution in LIBRARIES.items():
        if importlib.util.find_spec(name) is None:
            missing.append(name)
            continue
        try:
            libraries.append({'name': name, 'version': importlib.metadata.version(distribution) if distribution else ''})
        except importlib.metadata.PackageNotFoundError:
            libraries.append({'name': name, 'version': ''})
    programs = [name for name in PROGRAMS if shutil.which(name)]
    missing += [name for name in PROGRAMS if name not in programs]
    found = {'python': platform.python_version(), 'libraries': libraries, 'programs': programs, 'missing': missing}
    print(json.dumps(found))
