import { Readable } from 'node:stream';
import pg from 'pg';

/** What `COPY … TO STDOUT` says, as fast as it is read. */
export function copyOut(client: pg.Client, statement: string): Readable {
  const { stream } = client.connection;
  const rows = new Readable({
    read: () => void stream.resume(),
    destroy(error, done) {
      stream.resume(); // or the connection could never be closed
      done(error);
    },
  });
  const ended = (error: Error | null) => void (error ? rows.destroy(error) : rows.push(null));
  client.query(new CopyOutQuery(statement, (row) => rows.push(row) || void stream.pause(), ended));
  return rows;
}

/** The driver's own query drops what is copied. */
class CopyOutQuery extends pg.Query {
  readonly #onRow: (row: Buffer) => void;

  constructor(statement: string, onRow: (row: Buffer) => void, ended: (error: Error | null) => void) {
    super({ text: statement }, ended);
    this.#onRow = onRow;
  }

  handleCopyData({ chunk }: { chunk: Buffer }): void {
    this.#onRow(Buffer.from(chunk)); // the driver uses its buffer again
  }
}
