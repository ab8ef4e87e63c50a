import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildTool } from '../attacks/attack-components.ts';
import { freshHome } from '../support/fresh-home.ts';
import { runReborn } from '../support/run-reborn.ts';
import { type Service, startService } from '../support/service.ts';

/** It would write to the clipboard, clear the screen and hide what follows. */
const HOSTILE = '\u001b]52;c;Y3VybA==\u0007\u001b[2J\u001b[8m';
const SHOWN = String.raw`\u001b]52;c;Y3VybA==\u0007\u001b[2J\u001b[8m`;

let home: Awaited<ReturnType<typeof freshHome>>;
let service: Service;
beforeAll(async () => {
  home = await freshHome({ shared: true });
  service = await startService(home.env);
});
afterAll(async () => {
  await service.close();
  await home.remove();
});

const reborn = (...args: string[]) => runReborn(args, { env: service.remote });

test('names of users and tokens and descriptions of skills and tools show their escapes', async () => {
  const added = JSON.parse((await reborn('user', 'add', `Ann${HOSTILE}`, '--json')).stdout) as { id: string };
  await reborn('token', 'create', added.id, '--name', `laptop${HOSTILE}`);
  const skill = path.join(home.home, 'ansi');
  await mkdir(skill);
  await writeFile(path.join(skill, 'SKILL.md'), `---\nname: ansi\ndescription: nice ${HOSTILE}\n---\nText`);
  await reborn('skill', 'add', skill);
  const wasm = path.join(home.home, 'evil.wasm');
  await writeFile(wasm, await hostileTool());
  await reborn('tool', 'install', wasm, '--name', 'evil', '--yes');

  const said: Record<string, string> = {
    'user list': (await reborn('user', 'list')).stdout,
    'token list': (await reborn('token', 'list', added.id)).stdout,
    'skill list': (await reborn('skill', 'list')).stdout,
    'tool list': (await reborn('tool', 'list')).stdout,
    'tool info': (await reborn('tool', 'info', 'evil')).stdout,
    'an error': (await reborn('user', 'remove', `Bob${HOSTILE}`)).stderr,
  };
  for (const [command, text] of Object.entries(said)) {
    expect([command, text]).toEqual([command, expect.stringContaining(SHOWN)]);
    expect([command, text.includes('\u001b')]).toEqual([command, false]);
  }
});

/** The text form of a module takes no such characters, so they are put in afterwards. */
async function hostileTool(): Promise<Uint8Array> {
  const place = 'Q'.repeat(HOSTILE.length);
  const wasm = Buffer.from(await buildTool({ description: `Echoes. ${place}` }));
  wasm.write(HOSTILE, wasm.indexOf(place));
  return wasm;
}
