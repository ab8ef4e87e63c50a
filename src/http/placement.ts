import { z } from 'zod';
import type { WhenBusy } from '#domain/thread/thread.ts';

const WHEN_BUSY = ['steer', 'now', 'queue', 'refuse'] as const satisfies readonly WhenBusy[];

/** What becomes of a message while its thread is busy, as requests say it. */
export const whenBusy = z.enum(WHEN_BUSY, 'when_busy must be steer, now, queue or refuse.');

/** The same for a person who has chosen between `steer` and `queue`. */
export const whenBusyOrPreferred = z.enum(
  [...WHEN_BUSY, 'preferred'],
  'when_busy must be steer, now, queue, refuse or preferred.',
);

const MEANINGS =
  '`steer`: the running turn ends at its next step, and this message is read next. `now`: it is stopped at once. `queue`: this message waits for its end. `refuse`: 409.';

/** The field's description, which says what happens without it. */
export const describeWhenBusy = (otherwise: string): string =>
  `What happens while the thread works or waits. ${MEANINGS} ${otherwise}`;

/** Where an accepted message is. */
export const placement = z
  .discriminatedUnion('type', [
    z.strictObject({ type: z.literal('started') }).describe('It is read now, or as soon as a replica is free.'),
    z.strictObject({ type: z.literal('steering') }).describe('It is read after the present step of the running turn.'),
    z
      .strictObject({
        type: z.literal('queued'),
        ahead: z.int().min(0).describe('How many turns come first, the running one included.'),
      })
      .describe('It is read when the turns before it have ended.'),
    z
      .strictObject({
        type: z.literal('waits'),
        gate: z.enum(['external-tool', 'approval', 'auth', 'pairing', 'input']),
      })
      .describe('It is read when this gate was answered.'),
  ])
  .meta({ id: 'Placement' });
