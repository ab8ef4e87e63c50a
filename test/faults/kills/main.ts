import { runKills } from './run-kills.ts';

/*
 * `npm run kills -- 500 200 [seed]`: 500 processes are killed while calls run in 200 workspaces. Prints the seed first, and exits
 * with 1 after a breach.
 */
const [kills = '500', workspaces = '200', givenSeed] = process.argv.slice(2);
const seed = givenSeed ? Number(givenSeed) : Math.floor(Math.random() * 2 ** 32);
console.log(`Seed ${seed}`);

const startedAt = performance.now();
const seconds = () => Math.round((performance.now() - startedAt) / 1000);
let told = 0;
const report = await runKills({
  seed,
  kills: Number(kills),
  workspaces: Number(workspaces),
  calls: 5,
  database: true,
  onProgress({ kills: soFar }, done) {
    if (done < told + 50) return;
    told = done;
    console.log(`${done} calls, ${total(soFar)} kills, ${seconds()} s`);
  },
});
console.log(`${report.calls} calls, ${total(report.kills)} kills, ${seconds()} s:`, report.kills);
console.log('Phases that no call came to in time:', report.missed);
console.log('Sent again, because they were killed too often:', report.again);
console.log(`${report.swept} unused contents were swept.`);
for (const breach of report.breaches) console.log(`BREACH ${breach}`);
console.log(`${report.breaches.length} breaches.`);
process.exit(report.breaches.length > 0 ? 1 : 0);

function total(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((all, count) => all + count, 0);
}
