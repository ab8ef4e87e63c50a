import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { changeSettings, readSettings, settingsFile } from './settings-file.ts';

let home: string;
beforeEach(async () => {
  home = await mkdtemp(path.join(tmpdir(), 'reborn-settings-'));
});
afterEach(() => rm(home, { recursive: true, force: true }));

test('a home folder without settings.env has no settings', () => {
  expect(readSettings(path.join(home, 'nowhere'))).toEqual({});
});

test.each(["it's", 'a b # c', 'say "hi"', '$HOME', 'back\\nslash', '`tick`', 'ключ', "both ' and `"])(
  'a written value is read back: %s',
  async (value) => {
    await changeSettings(home, { LLM_MODEL: value, LLM_PROVIDER: 'demo' });
    expect(readSettings(home)).toEqual({ LLM_MODEL: value, LLM_PROVIDER: 'demo' });
  },
);

test("a value that can't be quoted is refused, and nothing is changed", async () => {
  await changeSettings(home, { LLM_MODEL: 'before' });
  await expect(changeSettings(home, { LLM_MODEL: `'"\`` })).rejects.toThrow('Set it in the environment');
  await expect(changeSettings(home, { LLM_MODEL: 'two\nlines' })).rejects.toThrow('Set it in the environment');
  expect(readSettings(home)).toEqual({ LLM_MODEL: 'before' });
});

test('a change keeps all other lines, including comments', async () => {
  await writeFile(settingsFile(home), '# mine\nexport LLM_MODEL=old\nGATEWAY_PORT=4000\n');
  await changeSettings(home, { LLM_MODEL: 'new', LOG_LEVEL: undefined });
  expect(await readFile(settingsFile(home), 'utf8')).toBe('# mine\nGATEWAY_PORT=4000\nLLM_MODEL=new\n');
  await changeSettings(home, { LLM_MODEL: undefined });
  expect(readSettings(home)).toEqual({ GATEWAY_PORT: '4000' });
});

test('after a change only the owner may read the file', async () => {
  await writeFile(settingsFile(home), 'LOG_LEVEL=warn\n');
  await chmod(settingsFile(home), 0o644);
  await changeSettings(home, { LLM_API_KEY: 'secret' });
  expect((await stat(settingsFile(home))).mode & 0o777).toBe(0o600);
});
