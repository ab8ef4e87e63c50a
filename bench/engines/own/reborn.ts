import pg from 'pg';
import { PreparingClient } from '#database/preparing-client.ts';
import { type GateId, type ItemId, newId, type ReplicaId, type ThreadId, type TurnId } from '#domain/ids.ts';
import { type FunctionCallBody, type NewItem, text, textOf } from '#domain/thread/item.ts';
import { NO_USAGE } from '#domain/usage.ts';
import { startEngine } from '#engine/engine.ts';
import type { RunTurn } from '#engine/running/turn-run.ts';
import type { Accepting } from '#engine/statements/accept.ts';
import type { TurnEnd } from '#engine/statements/settle.ts';
import { isAway } from '#store/away.ts';
import type { Hosted, HostSetup, Input, Written } from '../hosted.ts';

/** A turn that waits ends; its gate is a row, and the answer starts the next turn, which writes the rest. */
class Waits extends Error {}

type Echo = { readonly input: Input; readonly continues?: boolean };

/** The engine of the service, with its times in production and without the agent around it. */
export async function createEngine({ connection, body, worker }: HostSetup): Promise<Hosted> {
  const pool = new pg.Pool({ ...connection, max: 2, options: '-c app.engine=on' });
  const ended = new Map<string, () => void>();
  const onError = (error: unknown) => console.error(worker, error);

  const runTurn: RunTurn = async (turn, run) => {
    const { input, continues = false } = turn.request.echo as Echo;
    const history = await run.history();
    const earlier = history.filter(({ turnId, attempt }) => turnId === turn.id && attempt !== null);
    const known = earlier.map((item) => writtenIn(textOf(item.type === 'message' ? item.content : [])));
    const done = continues ? 2 : 0;
    const end = (outcome: TurnEnd['outcome'], position: number): TurnEnd => ({
      outcome,
      usage: NO_USAGE,
      last: { position, items: [] },
      calls: [],
    });
    try {
      await body(input, {
        write: async (n, make) => {
          if (n < done) return { by: worker, text: '' }; // by the turn before the gate
          const stored = known[n - done];
          if (stored) return stored;
          const made = await make();
          const item = { ...message('assistant', `${made.by} ${made.text}`), usage: NO_USAGE, started: false };
          await run.append(n - done + 1, [item], null);
          return made;
        },
        wait: () => (continues ? Promise.resolve() : Promise.reject(new Waits())),
      });
      return end({ status: 'completed' }, 4 - done);
    } catch (error) {
      if (!(error instanceof Waits)) throw error;
      const call = { ...CALL, id: newId<ItemId>() };
      return end({ status: 'waiting', gate: { id: newId<GateId>(), kind: 'external-tool', call } }, 3);
    }
  };

  const engine = await startEngine({
    connection: { ...connection, Client: PreparingClient },
    connections: 3,
    replica: newId<ReplicaId>(),
    application: worker,
    facts: { model: 'bench', isCommand: false },
    admit: () => {},
    capacity: 500,
    runTurn,
    onError,
    isAway,
  });
  engine.followEnds(({ id }) => {
    ended.get(id)?.();
    ended.delete(id);
  });

  async function accept(input: Input, more: Partial<Accepting> = {}): Promise<void> {
    const { outcome } = await engine.accept({
      turnId: input.id as TurnId,
      threadId: input.thread as ThreadId,
      isNew: !input.follows,
      userId: 'operator',
      channel: 'gateway',
      request: { model: 'm', temperature: null, tools: [], echo: { input } satisfies Echo },
      items: [message('user', 'hello')],
      ...more,
    });
    if (outcome !== 'accepted') throw new Error(`The input was not accepted: ${outcome}.`);
  }

  return {
    accept: (input) => accept(input),
    async run(input) {
      const end = new Promise<void>((resolve) => ended.set(input.id, resolve));
      await accept(input);
      await end;
    },
    async answer(id) {
      const { rows } = await pool.query<{ gate: GateId; thread: string }>(
        'select id as gate, thread_id as thread from gates where turn_id = $1',
        [id],
      );
      const [{ gate, thread } = raise()] = rows;
      await accept(
        { id: newId(), thread, follows: true },
        {
          answers: gate,
          items: [{ id: newId(), type: 'function_call_output', callId: CALL.callId, output: [text('yes')] }],
          request: {
            model: 'm',
            temperature: null,
            tools: [],
            echo: { input: { id, thread }, continues: true } satisfies Echo,
          },
        },
      );
    },
    async countWaiting() {
      const { rows } = await pool.query<{ count: number }>(
        'select count(*)::int as count from gates where answered_at is null',
      );
      return rows[0]?.count ?? 0;
    },
    async findWriters(id) {
      const { rows } = await pool.query<{ body: { content: { text: string }[] } }>(
        'select body from items where turn_id = $1 and attempt is not null order by position',
        [id],
      );
      return rows.map(({ body: { content } }) => writtenIn(content[0]?.text ?? '').by);
    },
    async stop() {
      await engine.drain();
      await pool.end();
    },
  };
}

const CALL: FunctionCallBody = { type: 'function_call', callId: 'call', name: 'ask', arguments: '{}', external: true };

const message = (role: 'user' | 'assistant', words: string): NewItem => ({
  id: newId(),
  type: 'message',
  role,
  content: [text(words)],
  status: 'completed',
});

function writtenIn(words: string): Written {
  const [by = '', ...rest] = words.split(' ');
  return { by, text: rest.join(' ') };
}

function raise(): never {
  throw new Error('This gate does not exist.');
}
