import { expect, test, vi } from 'vitest';
import type { PreparedComponent } from './prepare-component.ts';
import { prepareOnce } from './prepare-once.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const prepared = (wasm: Uint8Array): PreparedComponent => ({
  hash: new TextDecoder().decode(wasm),
  witVersion: '1.0.0',
  schema: '{}',
  description: '',
  files: {},
});

test('a component that was shown is not prepared again when it is installed', async () => {
  const prepare = vi.fn(async (wasm: Uint8Array) => prepared(wasm));
  const once = prepareOnce(prepare);
  const shown = await once(bytes('one'));
  expect(await once(bytes('one'))).toBe(shown);
  expect(prepare).toHaveBeenCalledTimes(1);
  expect(await once(bytes('two'))).toMatchObject({ hash: 'two' });
  expect(await once(bytes('one'))).toMatchObject({ hash: 'one' });
  expect(prepare).toHaveBeenCalledTimes(3);
});

test('a component that was refused is checked again', async () => {
  const prepare = vi.fn(async (wasm: Uint8Array) => prepared(wasm)).mockRejectedValueOnce(new Error('too slow'));
  const once = prepareOnce(prepare);
  await expect(once(bytes('one'))).rejects.toThrow('too slow');
  expect(await once(bytes('one'))).toMatchObject({ hash: 'one' });
});

test('a component that no one installs is forgotten', async () => {
  vi.useFakeTimers();
  try {
    const prepare = vi.fn(async (wasm: Uint8Array) => prepared(wasm));
    const once = prepareOnce(prepare);
    await once(bytes('one'));
    await vi.advanceTimersByTimeAsync(11 * 60 * 1000);
    await once(bytes('one'));
    expect(prepare).toHaveBeenCalledTimes(2);
  } finally {
    vi.useRealTimers();
  }
});
