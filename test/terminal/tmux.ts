import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { BARE_ENV } from '../support/bare-env.ts';
import { compiledProgram } from '../support/compiled-program.ts';
import { waitFor } from '../support/wait-for.ts';

const run = promisify(execFile);

type Options = {
  readonly env: Record<string, string>;
  readonly args?: readonly string[];
  /** What is run; otherwise the compiled command. */
  readonly program?: readonly string[];
  readonly extendedKeys?: boolean;
  readonly columns?: number;
  readonly rows?: number;
  /** A file that gets every byte which the command writes to its terminal. */
  readonly record?: string;
};

/** The command in a real terminal, with its own server, so that nothing of the person's tmux is touched. */
export async function openTerminal({
  env,
  args = [],
  program,
  extendedKeys = false,
  columns = 80,
  rows = 24,
  record,
}: Options) {
  const folder = await mkdtemp(path.join(tmpdir(), 'reborn-tmux-'));
  const tmux = async (...words: string[]) =>
    (await run('tmux', ['-S', path.join(folder, 's'), '-f', conf, ...words])).stdout;
  const conf = path.join(folder, 'tmux.conf');
  const exitCode = path.join(folder, 'exit-code'); // tmux itself may know of the end before it knows the code
  await writeFile(
    conf,
    [
      'set -g default-terminal "tmux-256color"',
      'set -s escape-time 0',
      `set -s extended-keys ${extendedKeys ? 'always' : 'off'}`,
      'set -g remain-on-exit on',
      'set -g status off',
      'set -g history-limit 10000',
    ].join('\n'),
  );
  const settings = Object.entries({ HOME: folder, ...BARE_ENV, ...env }).map(
    ([name, value]) => `${name}=${quoted(value)}`,
  );
  const words = [...(program ?? (await compiledProgram())), ...args];
  const command = `env -u NO_COLOR ${settings.join(' ')} ${words.map(quoted).join(' ')}`;
  const recorded = record ? `script -qfc ${quoted(command)} ${quoted(record)}` : command;
  await tmux(
    'new-session',
    '-d',
    '-x',
    String(columns),
    '-y',
    String(rows),
    `${recorded}; echo $? > ${quoted(exitCode)}`,
  );

  const screen = async () => (await tmux('capture-pane', '-p')).trimEnd();
  return {
    screen,
    /** With colours and weights. */
    styled: () => tmux('capture-pane', '-p', '-e'),
    /** With what has scrolled out at the top. */
    scrollback: () => tmux('capture-pane', '-p', '-S', '-'),
    press: (...keys: string[]) => tmux('send-keys', ...keys),
    type: (text: string) => tmux('send-keys', '-l', text),
    paste: async (text: string) => {
      const file = path.join(folder, 'paste');
      await writeFile(file, text);
      await tmux('load-buffer', file);
      await tmux('paste-buffer', '-p');
    },
    resize: (width: number, height: number) => tmux('resize-window', '-x', String(width), '-y', String(height)),
    /** Waits until the screen shows it; the failure shows the screen instead. */
    sees: async (text: string | RegExp, deadline = 60_000): Promise<string> => {
      let last = '';
      return waitFor(
        `${text} on the screen`,
        async () => {
          last = await screen();
          return (typeof text === 'string' ? last.includes(text) : text.test(last)) && last;
        },
        deadline,
      ).catch((error: unknown) => {
        throw new Error(`${(error as Error).message}\n${last}`, { cause: error });
      });
    },
    loses: async (text: string): Promise<void> => {
      await waitFor(`${text} to leave the screen`, async () => !(await screen()).includes(text));
    },
    exited: () =>
      waitFor('the command to end', async () => {
        const code = await readFile(exitCode, 'utf8').catch(() => '');
        return code.endsWith('\n') && { code: Number(code) };
      }),
    /** As by `kill -9`. */
    kill: async () => {
      const shell = (await tmux('display-message', '-p', '#{pane_pid}')).trim();
      await run('pkill', ['-KILL', '-P', shell]);
    },
    /** The command has ended by then: it may still keep what was typed, which is not for the next test. */
    async close() {
      const shell = await tmux('display-message', '-p', '#{pane_pid}').catch(() => '');
      const found = await run('pgrep', ['-P', shell.trim() || '0']).catch(() => ({ stdout: '' }));
      const running = found.stdout.split('\n').filter(Boolean);
      await tmux('kill-server').catch(() => {});
      for (const pid of running) await waitFor('the command to end', () => hasEnded(pid));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Also if nobody has taken note of its end. */
async function hasEnded(pid: string): Promise<boolean> {
  return !/\) [^Z]/.test(await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ''));
}

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
