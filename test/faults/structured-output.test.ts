import { afterAll, beforeAll, expect, test } from 'vitest';
import { randomMoment } from '../support/random-moment.ts';
import { followScript, type SeenPrompt } from '../support/scripted-model.ts';
import { textOf } from '../support/service.ts';
import { waitFor } from '../support/wait-for.ts';
import { type Cluster, rounds, startCluster } from './cluster.ts';
import { addFigures } from './figures.ts';

const ROUNDS = rounds(4, 50);
const ANSWER = JSON.stringify({ numbers: Array.from({ length: 20 }, (_, index) => index) });

/** A slow answer that begins with prose the first time, so that the turn takes two model calls. */
function decide(prompt: SeenPrompt) {
  const last = prompt.messages.at(-1)?.text ?? '';
  if (last.startsWith("Your answer can't be used")) return { pieces: ANSWER.split(/(?<=,)/), pace: 20 };
  return last.startsWith('numbers') ? { pieces: ['Here ', 'they ', 'are.'], pace: 20 } : followScript(prompt);
}

let cluster: Cluster;

beforeAll(async () => {
  cluster = await startCluster({ script: { decide }, env: { CHAT_RATE_PER_MINUTE: '100000' } });
});

afterAll(() => cluster.close());

test(
  'an answer with a format is whole and valid after kill -9 at a random moment',
  async () => {
    const schema = { type: 'object', properties: { numbers: { type: 'array', items: { type: 'integer' } } } };
    const text = { format: { type: 'json_schema', name: 'numbers', schema: { ...schema, required: ['numbers'] } } };
    let survivor = await cluster.start();
    let retaken = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const victim = await cluster.start();
      const { id } = await victim.ask(`numbers ${round}`, { text, background: true });
      await randomMoment(800);
      await victim.kill();

      const done = await waitFor('the turn to end', async () => {
        const response = await survivor.get(id);
        return response.status !== 'queued' && response.status !== 'in_progress' && response;
      });
      expect(done).toMatchObject({ status: 'completed', output: [{ type: 'message' }] });
      expect(textOf(done)).toBe(ANSWER);
      if (
        cluster.model.seen.filter(({ messages }) => JSON.stringify(messages).includes(`numbers ${round}"`)).length > 2
      )
        retaken++;
      survivor = [...cluster.replicas][0] ?? survivor;
    }
    await addFigures('`kill -9` during an answer with a schema', ROUNDS, `${retaken} asked again, all valid`);
  },
  60_000 + ROUNDS * 20_000,
);
