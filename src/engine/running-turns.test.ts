import { expect, test, vi } from 'vitest';
import { newId } from '#domain/ids.ts';
import type { Turn } from '#domain/thread/turn.ts';
import { createRunningTurns } from './running-turns.ts';

test('a turn whose claim is answered while the replica stops does not start here', async () => {
  const runTurn = vi.fn(() => new Promise<never>(() => {}));
  const running = createRunningTurns({ runTurn, retryPolicy: {} } as unknown as Parameters<
    typeof createRunningTurns
  >[0]);
  const claimed = () =>
    ({ turn: { id: newId(), attempt: 0 } as Turn, suspicion: 'none', broken: 0, context: {} }) as const;

  running.begin(claimed() as unknown as Parameters<typeof running.begin>[0]);
  await vi.waitFor(() => expect(runTurn).toHaveBeenCalledTimes(1));
  void running.stopAll();
  running.begin(claimed() as unknown as Parameters<typeof running.begin>[0]);

  expect(running.count()).toBe(1);
});
