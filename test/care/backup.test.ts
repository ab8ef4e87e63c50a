import { readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freshHome } from '../support/fresh-home.ts';
import { runReborn } from '../support/run-reborn.ts';
import { startScriptedModel } from '../support/scripted-model.ts';
import { startService, textOf } from '../support/service.ts';
import { waitFor } from '../support/wait-for.ts';

type Home = Awaited<ReturnType<typeof freshHome>>;

let model: Awaited<ReturnType<typeof startScriptedModel>>;
const homes: Home[] = [];

beforeAll(async () => {
  model = await startScriptedModel();
});

afterAll(async () => {
  await model.close();
  for (const home of homes) await home.remove();
});

test('a backup under load, restored elsewhere, has every answer given before it started', async () => {
  const [old, fresh] = [await newHome(), await newHome()];
  const file = path.join(old.home, 'now.reborn');
  await writeFile(path.join(old.home, 'webui-token'), 'token-of-the-old-home\n');
  const answers = new Map<string, string>();
  const service = await startService(settings(old));
  const unfinished = (await (await service.post({ input: 'count 400 every 100', background: true })).json()) as {
    id: string;
  };
  let stop = false;
  const writers = Array.from({ length: 4 }, async (_, writer) => {
    for (let number = 0; !stop; number++) {
      const answer = await service.ask(`say ${writer}-${number}`);
      answers.set(answer.id, textOf(answer));
    }
  });
  await waitFor('some answers', async () => answers.size > 20);

  const before = new Map(answers);
  const saved = await runReborn(['backup', file], { env: old.env });
  const during = answers.size - before.size;
  stop = true;
  await Promise.all(writers);
  await service.close();

  expect(saved).toMatchObject({
    code: 0,
    stdout: '',
    stderr: expect.stringContaining('protect it like the home folder'),
  });
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(during).toBeGreaterThan(0);
  const restored = await runReborn(['restore', file], { env: fresh.env });
  expect(restored).toMatchObject({ code: 0, stderr: expect.stringContaining('Restored') });
  expect(await readFile(path.join(fresh.home, 'webui-token'), 'utf8')).toBe('token-of-the-old-home\n');
  expect((await stat(path.join(fresh.home, 'webui-token'))).mode & 0o777).toBe(0o600);

  const second = await startService(settings(fresh));
  try {
    for (const [id, answer] of before) expect(textOf(await second.get(id))).toBe(answer);
    // The sweep finds unfinished turns and continues them.
    const asked = () => model.seen.filter(({ messages }) => messages.at(-1)?.text.startsWith('count')).length;
    await waitFor('the unfinished turn to be taken up', async () => asked() > 1, 60_000);
    expect(['in_progress', 'completed']).toContain((await second.get(unfinished.id)).status);
  } finally {
    await second.close();
  }
}, 180_000);

test('a backup or restore that cannot run says why', async () => {
  const home = await newHome();
  const nowhere = { REBORN_HOME: path.join(home.home, 'nowhere') };
  const file = path.join(home.home, 'taken.reborn');
  await writeFile(file, 'not an archive');
  await writeFile(path.join(home.home, 'webui-token'), 'mine\n');

  const told = async (...words: string[]) => (await runReborn(words, { env: home.env })).stderr;
  expect(await told('backup', file)).toContain('exists. Choose another name, or add --force');
  expect(await told('restore', file)).toContain('is not a complete archive');
  expect(await told('restore', path.join(home.home, 'missing'))).toMatch(/The file .*missing does not exist/);
  expect(await told('backup', path.join(home.home, 'new'))).toContain('nothing to archive');
  expect((await runReborn(['export', '-'], { env: nowhere })).stderr).toMatch(/The home .* does not exist/);

  expect((await runReborn(['user', 'add', 'Ann'], { env: home.env })).code).toBe(0);
  expect((await runReborn(['backup', file, '--force'], { env: home.env })).code).toBe(0);
  const other = await newHome();
  await writeFile(path.join(other.home, 'webui-token'), 'theirs\n');
  const refused = await runReborn(['restore', file], { env: other.env });
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('differs from the one in the backup') });
  expect(await readFile(path.join(other.home, 'webui-token'), 'utf8')).toBe('theirs\n');
});

async function newHome(): Promise<Home> {
  const home = await freshHome({ empty: true });
  homes.push(home);
  return home;
}

const settings = (home: Home) => ({
  ...home.env,
  LLM_PROVIDER: 'openai-compatible',
  LLM_MODEL: 'scripted',
  LLM_BASE_URL: model.url,
});
