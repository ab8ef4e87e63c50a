import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { runCells } from '../../bench/placement/run-cells.ts';
import { NGINX } from '../support/cells.ts';

/** `npm run bench:placement` is the long form. */
test.runIf(existsSync(NGINX))(
  'people are spread over the cells, and nobody is lost or doubled while a cell is added and another one drained',
  async () => {
    const { summary, ...found } = await runCells({
      cells: 2,
      people: { before: 24, between: 8, after: 8 },
      again: 4,
      perMinute: 300,
      atOnce: 4,
      log: () => {},
    });

    expect(found).toMatchObject({
      people: 40,
      misplaced: 0,
      signedInAgain: 18,
      signedInAgainAsOthers: 0,
      lost: 0,
      doubled: 0,
      otherUsers: 0,
      withoutAnswer: 0,
      leftInDrained: 0,
      drainAfterKill: { ended: false, stayed: 0, per_minute: 300 },
    });
    expect(Object.keys(found.before)).toEqual(['1', '2']);
    expect(summary).toContain('Nobody is left.');
    expect(found.killedAfter).toBeLessThan(found.drained);
  },
);
