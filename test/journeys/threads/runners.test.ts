import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import { type Container, processesIn, startContainer } from '../../sandbox/containers.ts';
import { isPossible } from '../../sandbox/guest.ts';
import { journey } from '../../support/journey.ts';
import type { Service } from '../../support/service.ts';
import { waitFor } from '../../support/wait-for.ts';

const containers: Container[] = [];
const test = journey().override('settings', () => ({
  SANDBOX: 'runners',
  SANDBOX_RUNNERS: containers.map(({ port }) => `127.0.0.1:${port}`).join(),
}));

beforeEach(({ skip }) => skip(!isPossible));
beforeAll(async () => {
  if (!isPossible) return;
  containers.push(...(await Promise.all([startContainer(), startContainer(), startContainer()])));
});
afterAll(async () => void (await Promise.all(containers.map((each) => each[Symbol.asyncDispose]()))));

async function run(service: Service, command: string, thread?: string) {
  const message = `use reborn_shell ${JSON.stringify({ command })}`;
  const sent = await service.request('/api/chat', {
    method: 'POST',
    body: JSON.stringify({ message, ...(thread && { thread_id: thread }) }),
  });
  const { thread_id: id, message: text } = (await sent.json()) as { thread_id: string; message: string };
  return { id, text: text.replace(/^result: /, '') };
}

test('replicas share runners, and say how many are free', async ({ service, startAnother }) => {
  const { id, text } = await run(service, 'echo one > log.txt; cat log.txt');
  expect(text).toBe('one\nfiles: +log.txt (4 bytes); version 1');
  const other = await startAnother();
  expect((await run(other, 'echo two >> log.txt; cat log.txt', id)).text).toContain('one\ntwo\n');
  await other.close();
  expect((await run(service, 'cat log.txt', id)).text).toBe('one\ntwo');
  const { code } = (await (await service.request('/api/status')).json()) as { code: string };
  expect(code).toMatch(/^Code runs in runners, [23] free of 3, which keep these apart: network, files,/);
});

test('a call whose runner is lost runs again on another one, on the same files', async ({ service }) => {
  const { id } = await run(service, 'echo one > log.txt');
  const call = run(service, 'echo two >> log.txt; sleep 1; cat log.txt', id);
  const busy = await waitFor('the call to run', async () => containers.find((each) => processesIn(each).length > 2));
  await busy[Symbol.asyncDispose]();

  expect((await call).text).toBe('one\ntwo\nfiles: ~log.txt; version 2');
});
