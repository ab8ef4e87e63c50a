import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { expect, vi } from 'vitest';
import { fileList } from '#channels/gateway/files/file-shape.ts';
import { journey } from '../../support/journey.ts';
import type { Service } from '../../support/service.ts';
import { waitFor } from '../../support/wait-for.ts';

const test = journey().override('settings', { SANDBOX: 'auto' });

type Part = { type: string; text?: string; url?: string };

async function chat(service: Service, message: string, thread?: string) {
  const sent = await service.request('/api/chat', {
    method: 'POST',
    body: JSON.stringify({ message, ...(thread && { thread_id: thread }) }),
  });
  const { thread_id: id, message: text } = (await sent.json()) as { thread_id: string; message: string };
  return { id, text: text.replace(/^result: /, '') };
}

const shell = (command: string, more: object = {}) => `use reborn_shell ${JSON.stringify({ command, ...more })}`;
const python = (code: string, more: object = {}) => `use reborn_python ${JSON.stringify({ code, ...more })}`;
const filesOf = async (service: Service, id: string) =>
  fileList.parse(await (await service.request(`/api/threads/${id}/files`)).json());
const contentOf = async (service: Service, id: string, path: string) =>
  (await service.request(`/api/threads/${id}/files/${path}`)).text();

test('a command works on the files of the thread, and what it changes is a version', async ({ service }) => {
  const { id, text } = await chat(service, shell('seq 3 > n.txt; mkdir -p out; sort -r n.txt | tee out/r.txt'));
  expect(text).toBe('3\n2\n1\nfiles: +n.txt (6 bytes), +out/r.txt (6 bytes); version 1');
  expect((await chat(service, shell('cat n.txt >> out/r.txt; rm n.txt; exit 3'), id)).text).toBe(
    '(no output)\n(exit code 3)\nfiles: -n.txt, ~out/r.txt; version 2',
  );
  await service.request(`/api/threads/${id}/files/mine.txt`, { method: 'PUT', body: 'of the owner' });
  expect((await chat(service, shell('cat mine.txt; ls'), id)).text).toBe('of the ownermine.txt\nout');
  expect((await filesOf(service, id)).version).toBe(3);
  expect(await contentOf(service, id, 'out/r.txt')).toBe('3\n2\n1\n1\n2\n3\n');
});

test('Python keeps its variables, shows the last value, and its pictures are in the thread', async ({ service }) => {
  const { id, text } = await chat(service, python('x = 20'));
  expect(text).toBe('(new interpreter: variables of earlier calls are gone, files are not)\n(no output)');
  expect((await chat(service, python('x += 1\nprint("twice", x * 2)\nx'), id)).text).toBe('twice 42\n21');
  const draw = `
import matplotlib.pyplot as plt
plt.bar(['Ann', 'Bob'], [3, 5]); plt.title('Costs'); plt.savefig('chart.png')`;
  const drawn = await chat(service, python(draw), id);
  expect(drawn.text).toMatch(/files: \+chart\.png \([\d.]+ kB\); version 1/);
  const { items } = (await (await service.request(`/api/threads/${id}/items`)).json()) as {
    items: { output?: Part[] }[];
  };
  const picture = items.flatMap(({ output = [] }) => output).find(({ type }) => type === 'image');
  const bytes = Buffer.from(await (await service.request(picture?.url ?? '')).arrayBuffer());
  expect(bytes.subarray(1, 4).toString()).toBe('PNG');
  expect((await chat(service, python('x', { reset: true }), id)).text).toContain("name 'x' is not defined");
});

test('files that can not be kept are named, and a limit ends a call', async ({ service }) => {
  const { id, text } = await chat(
    service,
    shell(`ln -s /etc/passwd link; touch $'a\\nb' ok.txt; printf '\\033[31mred'`),
  );
  expect(text).toContain('\\u{1b}[31mred');
  expect(text).toContain('not kept: ');
  expect(text).toContain('link (a symbolic link)');
  expect(text).toContain('files: +ok.txt (0 bytes); version 1');
  expect((await chat(service, shell('ls'), id)).text).toBe('ok.txt');
  expect((await chat(service, shell('sleep 60', { timeout_s: 1 }), id)).text).toContain('stopped after 1 s');
  expect((await chat(service, shell('curl -m 2 http://192.0.2.1/ || echo no'), id)).text).toContain('no');
});

test('of a long output the model reads both ends, and the rest is a file of the same version', async ({ service }) => {
  const { id, text } = await chat(service, python("x = 7\nprint('ü' * 20_000 + 'middle' + 'ä' * 20_000)"));
  expect(text).toMatch(/üüü\n\.{3} 47239 bytes left out; all of it is in \.output\/1\.txt \.{3}\nääää/);
  expect(text).toContain('files: +.output/1.txt (80 kB); version 1');
  expect(Buffer.byteLength(text)).toBeLessThan(33_000);
  expect(await contentOf(service, id, '.output/1.txt')).toBe(`${'ü'.repeat(20_000)}middle${'ä'.repeat(20_000)}\n`);
  // The sandbox has the file as well, so it is used again, with the variables.
  const again = await chat(service, python("print(x, open('.output/1.txt').read()[20_000:20_006])"), id);
  expect(again.text).toBe('7 middle');
  const more = await chat(service, shell('head -c 3000000 /dev/zero | tr "\\0" x'), id);
  expect(more.text).toContain('2967232 bytes left out; most of it is in .output/2.txt');
  const taken = await chat(service, shell('rm -r .output; echo mine > .output; seq 20000'), id);
  expect(taken.text).toMatch(/bytes left out \.\.\.\n[^]*\n20000\nfiles: .*; version 3$/);
  expect((await filesOf(service, id)).files.map(({ path: at }) => at)).toEqual(['.output']);
  await service.request(`/api/threads/${id}/file-versions/2/restore`, { method: 'POST', body: '{}' });
  expect((await filesOf(service, id)).files.map((file) => [file.path, file.bytes])).toEqual([
    ['.output/1.txt', 80_007],
    ['.output/2.txt', 1_048_576 + '\n... 1951424 bytes left out ...\n'.length],
  ]);
});

test('what code makes of the files of a project has their origin, also outside of the project', async ({
  service,
  home,
}) => {
  const created = await service.request('/api/projects', { method: 'POST', body: '{"name":"Move"}' });
  const { id: project } = (await created.json()) as { id: string };
  const put = (body: string, own: boolean) =>
    service.request(`/api/projects/${project}/files/a.txt?own=${own}`, { method: 'PUT', body });
  const copy = async () => {
    const body = JSON.stringify({ message: shell('cp project/a.txt b.txt'), project_id: project });
    const sent = await service.request('/api/chat', { method: 'POST', body });
    const { thread_id: id } = (await sent.json()) as { thread_id: string };
    return home.query('select is_foreign as "isForeign" from workspaces where id = $1', [id]);
  };
  await put('Pay Ann.', true);
  expect(await copy()).toEqual([{ isForeign: false }]);
  await put('Pay Eve.', false);
  expect(await copy()).toEqual([{ isForeign: true }]);
});

test('the inspector shows which layers held', async ({ service }) => {
  const { id } = await chat(service, shell('true'));
  const { items } = (await (await service.request(`/api/threads/${id}/items`)).json()) as {
    items: { turn_id: string }[];
  };
  const turn = (await (await service.request(`/api/turns/${items[0]?.turn_id}`)).json()) as { calls: object[] };
  expect(turn.calls).toMatchObject([{ layers: ['network', 'files', 'processes', 'privileges', 'calls', 'limits'] }]);
});

test('another service continues with the same files', async ({ service, startAnother }) => {
  const { id } = await chat(service, shell('echo one > log.txt'));
  const other = await startAnother();
  expect((await chat(other, shell('echo two >> log.txt; cat log.txt'), id)).text).toContain('one\ntwo\n');
  await other.close();
  // The sandbox that is warm here has an older version, so it is not used.
  expect((await chat(service, shell('cat log.txt'), id)).text).toBe('one\ntwo');
});

test('an approval is for the files as they were: after a change it asks again', async ({ service }) => {
  const { id } = await chat(service, shell('echo echo mine > run.sh'));
  await service.request('/api/tool-policies/reborn_shell', { method: 'PUT', body: '{"level":"ask"}' });
  await chat(service, shell('bash run.sh'), id);
  const first = await openGate(service, id);
  await service.request(`/api/threads/${id}/files/run.sh`, { method: 'PUT', body: 'echo changed' });
  await approve(service, first);
  const second = await waitFor('another question', async () => {
    const open = await openGate(service, id);
    return open !== first && open;
  });
  await approve(service, second);
  await waitFor('the output', async () => (await itemsOf(service, id)).includes('"changed'));
  expect(await itemsOf(service, id)).not.toContain('"mine');
  await service.request('/api/tool-policies/reborn_shell', { method: 'DELETE' });
});

const openGate = async (service: Service, thread: string): Promise<string | undefined> => {
  const { gates } = (await (await service.request('/api/gates')).json()) as {
    gates: { id: string; thread_id: string }[];
  };
  return gates.find((gate) => gate.thread_id === thread)?.id;
};
const approve = (service: Service, gate: string | undefined) =>
  service.request(`/api/gates/${gate}`, { method: 'POST', body: '{"answer":"approve"}' });
const itemsOf = async (service: Service, thread: string) =>
  (await service.request(`/api/threads/${thread}/items`)).text();

test('code runs as soon as bubblewrap is there, and no longer once it is gone', async ({
  startAnother,
  onTestFinished,
}) => {
  const folder = await mkdtemp(join(tmpdir(), 'reborn-bubblewrap-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await chmod(folder, 0o755);
  const program = join(folder, 'bwrap');
  const install = () => writeFile(program, '#!/bin/bash\nexec bwrap "$@"\n', { mode: 0o755 });
  const late = await startAnother({}, { sandboxes: { program, lookAgainMs: 0 } });
  const says = async (text: string) => (await chat(late, shell('echo $((6 * 7))'))).text.includes(text);
  const status = async () => ((await (await late.request('/api/status')).json()) as { code: string }).code;
  expect(await says('There is no tool named "reborn_shell"')).toBe(true);

  await install();
  await waitFor('code to run', () => says('42'));
  expect(await status()).toContain('Code runs behind bubblewrap');

  await rm(program);
  expect((await chat(late, shell('echo $((6 * 7))'))).text).toContain('Not run: ');
  await waitFor('the tools to disappear', () => says('There is no tool named "reborn_shell"'));
  expect(await status()).toContain('No code runs. ');

  await install();
  await waitFor('code to run again', () => says('42'));
  await late.close();
});

test('a turn that uses no tool runs the same statements as one without a sandbox and without files', async ({
  service,
  startAnother,
}) => {
  const query = vi.spyOn(pg.Client.prototype, 'query');
  const { id: withFiles } = await chat(service, shell('echo a > a.txt'));
  const here = await statementsOf(service, withFiles);
  const without = await startAnother({ SANDBOX: 'off' });
  const { id: plain } = await chat(without, 'use reborn_time {}');
  expect(here).toEqual(await statementsOf(without, plain));
  expect(Object.values(here).length).toBeGreaterThan(3);
  await without.close();

  /** How often each statement runs in every one of several turns. What runs now and then is not the turn's. */
  async function statementsOf(asked: Service, thread: string): Promise<Record<string, number>> {
    const turns: Map<string, number>[] = [];
    for (let count = 0; count < 5; count++) {
      query.mockClear();
      await chat(asked, 'say hello', thread);
      const texts = query.mock.calls.map(([given]) => textOf(given)).filter((text) => !BY_TIME.test(text));
      turns.push(new Map(Object.entries(Object.groupBy(texts, String)).map(([text, all]) => [text, all?.length ?? 0])));
    }
    const [first = new Map<string, number>()] = turns;
    const least = [...first.keys()].map(
      (text) => [text, Math.min(...turns.map((turn) => turn.get(text) ?? 0))] as const,
    );
    return Object.fromEntries(least.filter(([, times]) => times > 0));
  }
});

/** The heartbeat, and events in pieces: how many there are depends on how long a turn takes. */
const BY_TIME = /from replicas where id <> |insert into turn_events/;

const textOf = (given: unknown): string =>
  typeof given === 'string' ? given : ((given as { text?: string } | undefined)?.text ?? '');

test('without a sandbox there are no tools that run code', async ({ startAnother }) => {
  const without = await startAnother({ SANDBOX: 'off' });
  expect((await chat(without, shell('id'))).text).toContain('There is no tool named "reborn_shell"');
});
