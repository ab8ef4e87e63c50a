import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freshHome } from '../support/fresh-home.ts';
import { runReborn } from '../support/run-reborn.ts';
import { followScript, type SeenPrompt, startScriptedModel } from '../support/scripted-model.ts';
import { SETTINGS, spawnService } from '../support/service.ts';
import { waitFor } from '../support/wait-for.ts';
import { openTerminal } from './tmux.ts';

let home: Awaited<ReturnType<typeof freshHome>>;
let model: Awaited<ReturnType<typeof startScriptedModel>>;
let env: Record<string, string>;

beforeAll(async () => {
  home = await freshHome();
  // A turn that was interrupted is answered in no time when it is asked again.
  const decide = (prompt: SeenPrompt) => ({ ...followScript(prompt), ...(prompt.repeats > 0 && { pace: 5 }) });
  model = await startScriptedModel({ decide });
  env = {
    ...SETTINGS,
    ...home.env,
    CLI_ENABLED: 'true',
    LLM_PROVIDER: 'openai-compatible',
    LLM_MODEL: 'scripted',
    LLM_BASE_URL: model.url,
  };
});
afterAll(async () => {
  await model.close();
  await home.remove();
});

const numbers = (count: number) => Array.from({ length: count }, (_, index) => String(index));

test('when its service is killed with -9, the terminal says so and reconnects, and the turn continues', async () => {
  const first = await spawnService(env);
  const terminal = await openTerminal({ env });
  try {
    await terminal.sees('live');
    await terminal.type('count 60 every 100');
    await terminal.press('Enter');
    await terminal.sees('0 1 2 3 4 5');
    await first.kill('SIGKILL');
    await terminal.sees('The service is gone');
    await terminal.type('kept while it is away');

    const second = await spawnService(env); // on another port
    try {
      await terminal.sees(/Connected again after/, 30_000);
      const shown = await terminal.sees(/58\s+59/, 60_000);
      expect(shown).toContain('nothing was lost');
      expect(shown).toContain('kept while it is away');
      const said = shown
        .slice(shown.lastIndexOf('Reborn\n') + 7)
        .split('\n\n')[0]
        ?.trim()
        .split(/\s+/);
      expect(said).toEqual(numbers(60));
      expect(shown.match(/0 1 2 3/g)).toHaveLength(1); // what the crash left half said is not shown beside it
      const threadId = await waitFor('the draft', async () => {
        const file = (await readdir(home.home)).find((name) => /^draft-.*\.txt$/.test(name));
        const text = file && (await readFile(path.join(home.home, file), 'utf8'));
        return text === 'kept while it is away' && file?.slice('draft-'.length, -'.txt'.length);
      });
      await terminal.kill();
      const next = await openTerminal({ env, args: ['--thread', threadId] });
      try {
        await next.sees('❯ kept while it is away');
      } finally {
        await next.close();
      }
    } finally {
      await second.kill('SIGTERM');
    }
  } finally {
    await terminal.close();
  }
});

test('while no service runs, one is started inside, and goes with the terminal', async () => {
  const terminal = await openTerminal({ env });
  try {
    expect(await terminal.sees('In a browser', 40_000)).toContain('/login?code=');
    await terminal.type('say hello');
    await terminal.press('Enter');
    await terminal.sees(/Reborn\nhello/);
    expect((await runReborn(['status'], { env })).stdout).toMatch(
      /^running .*deliveries +0 open, 0 given up, 0 of them in the last day/s,
    );
    await terminal.press('C-c');
    expect(await terminal.exited()).toEqual({ code: 0 });
    expect(await runReborn(['status', '--json'], { env })).toMatchObject({
      code: 3,
      stdout: '{\n  "running": false\n}\n',
    });
  } finally {
    await terminal.close();
  }
});

test('a taken port and a gateway that is off do not keep the terminal from opening', async () => {
  const other = await spawnService(env);
  try {
    const elsewhere = await freshHome();
    const port = new URL(other.url).port;
    const taken = await openTerminal({ env: { ...env, ...elsewhere.env, GATEWAY_PORT: port } });
    try {
      await taken.sees(`Port ${port} on 127.0.0.1 is in use. Set GATEWAY_PORT to another port.`, 40_000);
      await taken.type('say still here');
      await taken.press('Enter');
      await taken.sees(/Reborn\nstill here/);
      await taken.press('C-c');
      await taken.exited();
    } finally {
      await taken.close();
    }
    const off = await openTerminal({ env: { ...env, ...elsewhere.env, GATEWAY_ENABLED: 'false' } });
    try {
      expect(await off.sees('live', 40_000)).not.toContain('In a browser');
      await off.type('say without a browser');
      await off.press('Enter');
      await off.sees(/Reborn\nwithout a browser/);
      await off.press('C-c');
      await off.exited();
    } finally {
      await off.close();
      await elsewhere.remove();
    }
  } finally {
    await other.kill('SIGTERM');
  }
});

test('reborn ask prints the answer alone, reads stdin, and tells by its exit code how it went', async () => {
  const service = await spawnService(env);
  try {
    expect(await runReborn(['ask', 'say hello there'], { env })).toEqual({
      code: 0,
      stdout: 'hello there\n',
      stderr: '',
    });
    expect(await runReborn(['ask', 'Repeat:'], { env, input: 'say from stdin\n' })).toMatchObject({
      stdout: 'from stdin\n',
    });
    expect(await runReborn([], { env, input: 'say no terminal' })).toMatchObject({ code: 0, stdout: 'no terminal\n' });

    const json = JSON.parse((await runReborn(['ask', '--json', 'say as data'], { env })).stdout) as {
      thread_id: string;
    };
    expect(json).toMatchObject({ status: 'completed', message: 'as data' });
    const next = await runReborn(['ask', '--thread', json.thread_id, 'recite'], { env });
    expect(next.stdout).toContain('as data');

    expect(await runReborn(['ask', 'break 400'], { env })).toMatchObject({ code: 1, stdout: '' });
    const tooLong = await runReborn(['ask'], { env, input: 'word '.repeat(600_000) });
    expect(tooLong.stderr).toMatch(/^reborn: About \d+ tokens are more than the model scripted .*\n$/); // no advice on its address
    expect((await runReborn(['ask', 'overflow'], { env })).code).toBe(4);
    expect(await runReborn(['ask'], { env })).toMatchObject({ code: 1, stderr: /nothing to ask/ });
    const nowhere = await runReborn(['ask', '--thread', '00000000-0000-4000-8000-000000000000', 'x'], { env });
    expect(nowhere).toMatchObject({ code: 1, stdout: '' });
    expect(nowhere.stderr).toContain('thread');
  } finally {
    await service.kill('SIGTERM');
  }
});

test('an answer that is piped on survives a crash of the service, without a word twice', async () => {
  const first = await spawnService(env);
  const asked = runReborn(['ask', 'count 40 every 100'], { env });
  await new Promise<void>((resolve) => (model.hooks.onPrompt = () => resolve()));
  delete model.hooks.onPrompt;
  await first.kill('SIGKILL');
  const second = await spawnService(env);
  try {
    const { code, stdout } = await asked;
    expect(code).toBe(0);
    expect(stdout.trim().split(/\s+/)).toEqual(numbers(40));
  } finally {
    await second.kill('SIGTERM');
  }
});

test('without a service, ask starts a private one', async () => {
  const asked = await runReborn(['ask', 'say alone'], { env: { ...env, GATEWAY_PORT: '1' } });
  expect(asked).toEqual({ code: 0, stdout: 'alone\n', stderr: '' });
});
