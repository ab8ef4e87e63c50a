import { once } from 'node:events';
import pg from 'pg';

/** Sends `rows` to `COPY … FROM STDIN`, at the speed of the server. */
export async function copyIn(client: pg.Client, statement: string, rows: AsyncIterable<Buffer>): Promise<void> {
  let lost: unknown;
  const feed = async (connection: CopyConnection): Promise<void> => {
    try {
      for await (const chunk of rows) await send(connection, chunk);
      connection.endCopyFrom();
    } catch (error) {
      lost = error;
      connection.sendCopyFail('the rows ended early');
    }
  };
  try {
    await new Promise<void>((resolve, reject) => {
      client.query(new CopyInQuery(statement, feed, (error) => (error ? reject(error) : resolve())));
    });
  } catch (error) {
    throw lost ?? error; // PostgreSQL only reports that the rows ended
  }
}

type CopyConnection = pg.Connection & {
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
  sendCopyFail(reason: string): void;
};

async function send(connection: CopyConnection, chunk: Buffer): Promise<void> {
  const { stream } = connection;
  if (stream.destroyed) throw new Error('The connection to PostgreSQL was lost.');
  connection.sendCopyFromChunk(chunk);
  if (!stream.writableNeedDrain) return;

  const done = new AbortController();
  await Promise.race([once(stream, 'drain', done), once(stream, 'close', done)]).finally(() => done.abort());
}

/** The driver's own query class does not support COPY FROM. */
class CopyInQuery extends pg.Query {
  readonly #feed: (connection: CopyConnection) => Promise<void>;

  constructor(
    statement: string,
    feed: (connection: CopyConnection) => Promise<void>,
    ended: (error: Error | null) => void,
  ) {
    super({ text: statement }, ended);
    this.#feed = feed;
  }

  handleCopyInResponse(connection: CopyConnection): void {
    void this.#feed(connection);
  }
}
