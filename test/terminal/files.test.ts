import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { runReborn } from '../support/run-reborn.ts';
import { startChatService } from './chat-service.ts';
import { openTerminal } from './tmux.ts';

let chat: Awaited<ReturnType<typeof startChatService>>;
let folder: string;
let terminal: Awaited<ReturnType<typeof openTerminal>> | undefined;

beforeAll(async () => {
  chat = await startChatService({ settings: { SANDBOX: 'auto' } });
  folder = await mkdtemp(path.join(tmpdir(), 'reborn-file-'));
});
afterAll(async () => {
  await chat.close();
  await rm(folder, { recursive: true });
});
afterEach(async () => {
  await terminal?.close();
  terminal = undefined;
});

const reborn = (...args: string[]) => runReborn(args, { env: chat.env });
const here = (name: string) => path.join(folder, name);

test('a file is stored, listed, saved, changed and restored, in the newest thread or the one that is named', async () => {
  const { thread_id: first } = JSON.parse((await reborn('ask', '--json', 'say first')).stdout);
  const { thread_id: newest } = JSON.parse((await reborn('ask', '--json', 'say second')).stdout);
  await chat.service.request(`/api/threads/${first}`, { method: 'PATCH', body: JSON.stringify({ pinned: true }) });
  expect((await reborn('file', 'list')).stdout).toBe('The thread has no files.\n');

  await writeFile(here('costs.csv'), 'a,1\n');
  const stored = await reborn('file', 'put', here('costs.csv'), 'data/costs.csv', '--own');
  expect(stored.stdout).toBe('Stored data/costs.csv. Version 1: 1 file, 4 bytes of 256 MB.\n');
  expect(stored.stderr).toBe(`Thread ${newest}: say second\n`);
  const piped = { env: chat.env, input: 'b,2\n' };
  expect((await runReborn(['file', 'put', '-', 'data/costs.csv'], piped)).code).toBe(0);
  expect((await runReborn(['file', 'put', '-'], piped)).stderr).toContain('Name the path');
  expect((await reborn('file', 'put', folder)).stderr).toContain('is not a file.');
  expect((await reborn('file', 'list', '--thread', newest)).stdout).toMatch(
    /^data\/costs\.csv +4 bytes +2 +(?:waiting|ready, 1 page)/m,
  );
  expect((await reborn('file', 'list', '--thread', first)).stdout).toBe('The thread has no files.\n');

  expect((await reborn('file', 'get', 'data/costs.csv', '-')).stdout).toBe('b,2\n');
  expect((await reborn('file', 'get', 'data/costs.csv', '-', '--version', '1')).stdout).toBe('a,1\n');
  const refused = await reborn('file', 'get', 'data/costs.csv', folder);
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('The file exists already.') });
  const saved = await reborn('file', 'get', 'data/costs.csv', folder, '--force');
  expect(saved.stdout).toBe(`Saved ${here('costs.csv')} (4 bytes).\n`);
  expect(await readFile(here('costs.csv'), 'utf8')).toBe('b,2\n');

  const history = (await reborn('file', 'history')).stdout;
  expect(history).toMatch(/^2 .* you +data\/costs\.csv\s+1 .* you +data\/costs\.csv$/m);
  const restored = await reborn('file', 'restore', '1', 'data/costs.csv');
  expect(restored.stdout).toBe('data/costs.csv as in version 1. Version 3: 1 file, 4 bytes of 256 MB.\n');
  expect((await reborn('file', 'get', 'data/costs.csv', '-')).stdout).toBe('a,1\n');
  expect((await reborn('file', 'restore', '0')).stdout).toContain('All files as in version 0. Version 4: 0 files');
});

test.each([
  [['file', 'get', 'nothing.txt'], 'The file nothing.txt does not exist.'],
  [['file', 'get', '..'], 'path must not contain "..".'],
  [['file', 'restore', '99'], 'Version 99 does not exist.'],
  [['file', 'list', '--thread', 'nope'], 'The thread "nope" does not exist.'],
])('%j is refused with a reason', async (args, reason) => {
  const { code, stdout, stderr } = await reborn(...args);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain(reason);
});

test('/files lists, /get saves here without overwriting, and /undo takes the newest change back', async () => {
  terminal = await openTerminal({ env: chat.env, columns: 100 });
  const { type, press, sees } = terminal;
  const say = async (line: string) => {
    await type(line);
    await press('Enter');
  };
  await sees('live');
  await say('/files ');
  await sees('The thread has no files.');
  await say('/undo ');
  await sees('No file change to undo.');
  await say('use reborn_file_write {"path":"my plan.md","text":"one"}');
  await sees('files: +my plan.md (3 bytes); version 1');
  await say('/files ');
  await sees('my plan.md  3 bytes');
  await say(`/get "my plan.md" ${folder}`);
  await sees(`Saved ${here('my plan.md')} (3 bytes).`);
  expect(await readFile(here('my plan.md'), 'utf8')).toBe('one');
  await say(`/get "my plan.md" ${folder}`);
  await sees('! The file exists.');
  await say('/undo ');
  await sees('Undone: my plan.md. The files are as in version 0; this is version 2.');
});

test('a table is attached, code draws it, and the chart is listed, saved, changed and brought back', async () => {
  await writeFile(here('costs.csv'), 'supplier,kr\nElvekraft,48616\nNordlys,23500\n');
  terminal = await openTerminal({ env: chat.env, columns: 100, rows: 40 });
  const { type, press, sees } = terminal;
  const say = async (line: string) => {
    await type(line);
    await press('Enter');
  };
  const python = (title: string, code: string) => `use reborn_python ${JSON.stringify({ title, code })}`;
  const draw = "import matplotlib.pyplot as plt; plt.bar(*zip(*rows)); plt.savefig('costs.png')";
  const read = "import csv; rows = [(s, int(kr)) for s, kr in list(csv.reader(open('costs.csv')))[1:]]; print(rows)";
  await sees('live');
  await say(`say thanks for @${here('costs.csv')}`);
  await sees(/costs\.csv\n\s*\[costs\.csv\]\s+Reborn\n\s*thanks/);
  await say(python('Compare the suppliers', `${read}; ${draw}`));
  await sees("[('Elvekraft', 48616), ('Nordlys', 23500)]");
  await sees(/files: \+costs\.png \([\d.]+ kB\); version 2/);
  await say('/files ');
  await sees(/costs\.csv {2}42 bytes\n\s*costs\.png {2}[\d.]+ kB/);
  await say(`/get costs.png ${folder}`);
  await sees(`Saved ${here('costs.png')}`);
  expect((await readFile(here('costs.png'))).subarray(1, 4).toString()).toBe('PNG');

  await say(python('Leave one out', `rows = rows[:1]; plt.clf(); ${draw}`));
  await sees('files: ~costs.png; version 3');
  await say('/undo ');
  await sees('Undone: costs.png. The files are as in version 2; this is version 4.');
  await say(`/get costs.png ${here('again.png')}`);
  await sees(`Saved ${here('again.png')}`);
  expect(await readFile(here('again.png'))).toEqual(await readFile(here('costs.png')));
});

test('a name that would steer the terminal is shown with escapes', async () => {
  const { thread_id: id } = JSON.parse((await reborn('ask', '--json', 'say hostile')).stdout);
  await runReborn(['file', 'put', '-', 'plain.txt'], { env: chat.env, input: 'x' });
  await chat.query(`update workspace_files set path = e'\\x1b[2J.txt' where workspace_id = '${id}'`);
  for (const command of ['list', 'history']) {
    const { stdout } = await reborn('file', command);
    expect(stdout).toContain('\\u001b[2J.txt');
    expect(stdout).not.toContain('\u001b');
  }
  terminal = await openTerminal({ env: chat.env, args: ['--thread', id] });
  await terminal.sees(/Reborn\nhostile[^]*live/); // a note from before the thread is shown would go away
  await terminal.type('/files ');
  await terminal.press('Enter');
  await terminal.sees('\\u001b[2J.txt  1 bytes');
});
