import { expect, test, vi } from 'vitest';
import { newId } from '#domain/ids.ts';
import { createRunningTurns } from './running-turns.ts';

type Options = Parameters<typeof createRunningTurns>[0];
type Claimed = Parameters<ReturnType<typeof createRunningTurns>['begin']>[0];

const claimed = () =>
  ({ turn: { id: newId(), attempt: 0, request: {} }, suspicion: 'none', broken: 0, context: {} }) as unknown as Claimed;

test('a turn whose claim is answered while the replica stops does not start there', async () => {
  const runTurn = vi.fn(() => new Promise<never>(() => {}));
  const running = createRunningTurns({ runTurn, retryPolicy: {} } as unknown as Options);
  running.begin(claimed());
  await vi.waitFor(() => expect(runTurn).toHaveBeenCalledTimes(1));

  void running.stopAll();
  running.begin(claimed());

  expect(running.count()).toBe(1);
});
