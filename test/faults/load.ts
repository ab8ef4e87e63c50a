import { randomMoment } from '../support/random-moment.ts';
import { waitFor } from '../support/wait-for.ts';
import { type Cluster, type Replica, turnIdOf } from './cluster.ts';
import { type Account, findBreaches } from './ledger.ts';
import { query } from './query.ts';
import { type Streamed, streamTurn } from './streamed.ts';

const MESSAGES_PER_THREAD = 40;
/** The thread was lost by a failover and accepts no more messages. */
const MAX_MISSES = 10;

/**
 * Users who send messages while faults happen: each lane sends one message after another on one thread, to any replica
 * that answers, then starts another thread. Every other lane streams its turns, and reconnects when a connection is cut.
 */
export function startLoad(
  cluster: Pick<Cluster, 'replicas' | 'ledger' | 'connection'>,
  { lanes = 8, replicas = () => [...cluster.replicas] }: { lanes?: number; replicas?: () => readonly Replica[] } = {},
) {
  const accepted: string[] = [];
  const streams: Streamed[] = [];
  const errors: string[] = [];
  const stop = new AbortController();
  let sent = 0;

  const scripts = () => {
    const tool = (name: string) => `use ${name} {"ledger":"${cluster.ledger.url}","pause":50}`;
    return ['say short', 'count 10 every 20', tool('mark_once'), `${tool('mark_again')}\n${tool('mark_once')}`];
  };

  /** Notes the answers that say that the service is at fault: faults around it are a 503. */
  function anyReplica(): Pick<Replica, 'post' | 'request'> | undefined {
    const replica = pick(replicas());
    const note = async (request: Promise<Response>) => {
      const response = await request;
      if (response.status === 500) errors.push(`${replica?.name}: ${await response.clone().text()}`);
      return response;
    };
    return (
      replica && {
        post: (body) => note(replica.post(body)),
        request: (route, init) => note(replica.request(route, init)),
      }
    );
  }

  async function talk(lane: number): Promise<void> {
    let previous: string | undefined;
    let misses = 0;
    for (let said = 0; !stop.signal.aborted; said++) {
      if (said % MESSAGES_PER_THREAD === 0 || misses === MAX_MISSES) previous = undefined;
      const input = `#${++sent}\n${pick(scripts())}`;
      const id = await (lane % 2 === 0 ? send : follow)(input, previous);
      misses = id ? 0 : misses + 1;
      previous = id ?? previous;
      await randomMoment(100);
    }
  }

  /** The id of the response if the message was accepted; undefined if that is unknown. */
  async function send(input: string, previous: string | undefined): Promise<string | undefined> {
    try {
      const response = await anyReplica()?.post({
        input,
        background: true,
        previous_response_id: previous,
      });
      if (response?.status !== 200) return undefined; // the thread's queue is full, or the database is away
      const { id } = (await response.json()) as { id: string };
      accepted.push(turnIdOf(id));
      return id;
    } catch (error) {
      if (isCut(error)) return undefined;
      throw error;
    }
  }

  async function follow(input: string, previous: string | undefined): Promise<string | undefined> {
    const streamed = await streamTurn(anyReplica, { input, previous_response_id: previous });
    if (!streamed) return undefined;
    accepted.push(turnIdOf(streamed.id));
    streams.push(streamed);
    return streamed.id;
  }

  const talking = Promise.all(Array.from({ length: lanes }, (_, lane) => talk(lane)));
  talking.catch(() => {}); // reported by `stop`
  return {
    accepted,
    streams,
    errors,
    /** Turns that are under way now and end within the next second. */
    async begin(count: number): Promise<void> {
      await Promise.all(Array.from({ length: count }, () => send(`#${++sent}\ncount 20 every 20`, undefined)));
    },
    /** Waits until this many more messages were accepted, which shows that the service works again. */
    async hear(more = 10): Promise<void> {
      const enough = accepted.length + more;
      await waitFor(`${more} messages to be accepted`, async () => accepted.length >= enough, 90_000);
    },
    /** Stops sending, and waits until every turn has ended. */
    async stop(): Promise<void> {
      stop.abort();
      await Promise.allSettled([talking]);
      await waitFor('all turns to end', async () => (await countUnended(cluster)) === 0, 90_000);
      await talking;
    },
    figures: () => `${accepted.length} turns, ${streams.length} of them streamed`,
    /** Nothing in these scripts fails by itself. */
    findFailed: () => query<{ failure: object }>(cluster, `select failure from turns where status = 'failed'`),
    /** The findings of the ledger, including the marks of tools. */
    findBreaches: (more: Partial<Account> = {}): Promise<string[]> =>
      findBreaches(cluster.connection, { accepted, streams, marks: cluster.ledger.marks, ...more }),
  };
}

async function countUnended(cluster: Pick<Cluster, 'connection'>): Promise<number> {
  const [row] = await query<{ count: number }>(
    cluster,
    'select count(*)::integer as count from turns where ended_at is null',
  );
  return row?.count ?? 0;
}

/** the error of fetch for a cut connection. */
const isCut = (error: unknown) => error instanceof TypeError;

export function pick<T>(choices: readonly T[]): T | undefined {
  return choices[Math.floor(Math.random() * choices.length)];
}
