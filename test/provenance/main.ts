import { runRandomly } from './random-runs.ts';

/*
 * `npm run provenance -- 10000 [seed]`: that many random attacks on a model that obeys every text, with a killed replica after
 * every hundred. Prints the seed first, and exits with 1 after a breach.
 */
const [count = '10000', givenSeed] = process.argv.slice(2);
const cases = Number(count);
const seed = givenSeed ? Number(givenSeed) : Math.floor(Math.random() * 2 ** 32);
console.log(`Seed ${seed}`);

const startedAt = performance.now();
let told = 0;
const report = await runRandomly({
  seed,
  cases,
  kills: Math.ceil(cases / 100),
  onProgress(ended, kills) {
    if (ended < told + 500) return;
    told = ended;
    console.log(`${ended} attacks, ${kills} kills, ${Math.round((performance.now() - startedAt) / 1000)} s`);
  },
});
const { kills, questions, breaches } = report;
console.log(`${report.cases} attacks, ${kills} kills, ${questions} questions about the hostile call.`);
for (const breach of breaches) console.log(`BREACH ${breach}`);
console.log(`${breaches.length} breaches.`);
process.exit(breaches.length > 0 ? 1 : 0);
