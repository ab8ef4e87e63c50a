import { expect, test } from 'vitest';
import { createSlots, NoFreeSlot } from './slots.ts';

const { signal } = new AbortController();

test('when all places are taken, callers wait for one in the order of coming', async () => {
  const take = createSlots(1);
  const order: string[] = [];
  const leave = await take(1000, signal);
  const second = take(1000, signal).then((leaveSecond) => (order.push('second'), leaveSecond()));
  const third = take(1000, signal).then(() => order.push('third'));
  expect(order).toEqual([]);
  leave();
  leave(); // once more does nothing
  await Promise.all([second, third]);
  expect(order).toEqual(['second', 'third']);
});

test('a call that waits too long or is aborted leaves the queue, and takes no slot of another', async () => {
  const take = createSlots(1);
  const leave = await take(1000, signal);
  await expect(take(1, signal)).rejects.toThrow(NoFreeSlot);

  const controller = new AbortController();
  const aborted = take(1000, controller.signal);
  const patient = take(1000, signal);
  controller.abort(new Error('enough'));
  await expect(aborted).rejects.toThrow('enough');
  leave();
  const leavePatient = await patient;
  await expect(take(1, signal)).rejects.toThrow(NoFreeSlot);
  leavePatient();
  await expect(take(1, signal)).resolves.toBeTypeOf('function');
});
