import { parseArgs } from 'node:util';
import { saveResult } from '../results/save-result.ts';
import { runCells } from './run-cells.ts';

/**
 * Four cells behind the router of deploy/, and people who sign in with the identity provider: `npm run bench:placement -- 10000`. Eight of ten
 * sign in before a fifth cell is added, one while only one cell knows it, and one after that. Then cell 2 is drained.
 */
const { positionals } = parseArgs({ allowPositionals: true, options: { save: { type: 'boolean' } } });
const people = Number(positionals[0] ?? 10_000);
const [cells = 4] = positionals.slice(1).map(Number);
const tenth = Math.floor(people / 10);
const began = performance.now();
const result = await runCells({
  cells,
  people: { before: people - 2 * tenth, between: tenth, after: tenth },
  again: 10,
  perMinute: 600,
  atOnce: 8,
  log: (line) => console.log(`${Math.round((performance.now() - began) / 1000)} s: ${line}`),
});
console.log(result);
const { lost, doubled, otherUsers, withoutAnswer, leftInDrained, signedInAgainAsOthers } = result;
const wrong = lost + doubled + otherUsers + withoutAnswer + leftInDrained + signedInAgainAsOthers;
if (wrong > 0) throw new Error(`The ledger does not match the databases in ${wrong} places.`);
saveResult('placement', { command: `npm run bench:placement -- ${people}`, results: result });
process.exit(); // the shared server ends with this process
