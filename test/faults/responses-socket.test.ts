import { afterAll, beforeAll, expect, test } from 'vitest';
import { randomMoment } from '../support/random-moment.ts';
import { openResponses, responseOf } from '../support/responses-socket.ts';
import { followScript, type SeenPrompt } from '../support/scripted-model.ts';
import { textOf } from '../support/service.ts';
import { waitFor } from '../support/wait-for.ts';
import { type Cluster, rounds, startCluster } from './cluster.ts';
import { addFigures } from './figures.ts';

const ROUNDS = rounds(5, 50);

/** Repeats a message that begins with `word`, slowly. */
function decide(prompt: SeenPrompt) {
  const last = prompt.messages.at(-1)?.text ?? '';
  return last.startsWith('word') ? { pieces: ['You ', 'said ', last], pace: 15 } : followScript(prompt);
}

let cluster: Cluster;

beforeAll(async () => {
  cluster = await startCluster({ script: { decide }, env: { CHAT_RATE_PER_MINUTE: '100000' } });
});

afterAll(() => cluster.close());

type Socket = Awaited<ReturnType<typeof openResponses>>;
type Sent = { readonly word: string; readonly id: string | undefined };

/** Sends one message after the other, each continuing the response before it, until the replica dies. */
async function chainUntilDeath(socket: Socket, round: number): Promise<Sent[]> {
  const sent: Sent[] = [];
  for (let index = 0; socket.socket.readyState === socket.socket.OPEN; index++) {
    const word = `word ${round}-${index}.`;
    const from = socket.seen.length;
    socket.send({ input: word, previous_response_id: sent.at(-1)?.id ?? null });
    const created = () => socket.seen[from]?.response?.id;
    const isOver = () => socket.socket.readyState !== socket.socket.OPEN || socket.ends().length > index;
    await waitFor('the end of the response or of the replica', async () => isOver());
    sent.push({ word, id: created() });
    if (socket.ends().length <= index) break;
    expect(textOf(responseOf(socket.ends()[index] ?? { type: 'none' }))).toBe(`You said ${word}`);
  }
  socket.close();
  return sent;
}

test(
  'a chain on a WebSocket continues on another replica after kill -9, and nothing is lost or doubled',
  async () => {
    const survivor = await cluster.start();
    let inFlight = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const victim = await cluster.start();
      const first = await victim.ask(`word ${round}-start.`); // the chain has a beginning that is stored
      const chain = chainUntilDeath(await openResponses(victim.url), round);
      await randomMoment(800, 100);
      await victim.kill();
      const sent = await chain;

      const known = sent.filter(({ id }) => id !== undefined);
      const last = known.at(-1)?.id ?? first.id;
      const ended = await waitFor('the last response to end', async () => {
        const response = await survivor.get(last);
        return response.status !== 'queued' && response.status !== 'in_progress' && response;
      });
      expect(ended.status).toBe('completed');
      if (known.length === sent.length) inFlight++;

      const socket = await openResponses(survivor.url);
      const next = responseOf(await socket.ask({ input: 'recite', previous_response_id: last }));
      expect(next.previous_response_id).toBe(last);
      const recited = textOf(next);
      for (const { word, id } of sent) {
        const [asked, answered] = [`"${word}"`, `"You said ${word}"`].map((text) => recited.split(text).length - 1);
        // The replica may have died before the client, or the database, knew of the last message.
        const allowed = id === undefined ? [0, 1] : [1];
        expect(allowed).toContain(asked);
        expect(allowed).toContain(answered);
      }
      socket.close();
    }
    await addFigures('`kill -9` in a chain on a WebSocket', ROUNDS, `${inFlight} in flight, nothing lost or doubled`);
  },
  60_000 + ROUNDS * 20_000,
);
