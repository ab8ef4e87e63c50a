import { Readable } from 'node:stream';
import pg from 'pg';

/** The output of `COPY … TO STDOUT`, at the speed of the reader. */
export function copyOut(client: pg.Client, statement: string): Readable {
  const { stream } = client.connection;
  const rows = new Readable({
    read: () => void stream.resume(),
    destroy(error, done) {
      stream.resume(); // otherwise the connection could not be closed
      done(error);
    },
  });
  const ended = (error: Error | null) => void (error ? rows.destroy(error) : rows.push(null));
  client.query(new CopyOutQuery(statement, (row) => rows.push(row) || void stream.pause(), ended));
  return rows;
}

/** The driver's own query class discards copied data. */
class CopyOutQuery extends pg.Query {
  readonly #onRow: (row: Buffer) => void;

  constructor(statement: string, onRow: (row: Buffer) => void, ended: (error: Error | null) => void) {
    super({ text: statement }, ended);
    this.#onRow = onRow;
  }

  handleCopyData({ chunk }: { chunk: Buffer }): void {
    this.#onRow(Buffer.from(chunk)); // the driver reuses its buffer
  }
}
