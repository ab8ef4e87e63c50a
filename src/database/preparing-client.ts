import pg from 'pg';

/** Names every statement that has parameters, so that PostgreSQL parses and plans it once per connection. */
export class PreparingClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super(config);
    // If the connection is lost while in use, the query fails and reports it. Without a listener, this event would end the process.
    this.on('error', () => {});
  }

  // Passes each of the driver's overloads of `query` on unchanged.
  override query(...args: unknown[]): never {
    const [first, second] = args;
    const text = typeof first === 'string' && Array.isArray(second) && second.length > 0 ? first : undefined;
    const name = text === undefined ? undefined : nameOf(text);
    const passed = name === undefined ? args : [{ name, text, values: second }, ...args.slice(2)];
    const answer = (super.query as (...passed: unknown[]) => unknown)(...passed);
    if (answer instanceof Promise) answer.catch((error: unknown) => this.#giveUpIfHung(error));
    return answer as never;
  }

  /** After a timeout the statement is still running on the connection, so the connection must not be reused. */
  #giveUpIfHung(error: unknown): void {
    if (error instanceof Error && error.message === 'Query read timeout') this.connection.stream.destroy();
  }
}

const MAX_PREPARED = 500;
const names = new Map<string, string>();

function nameOf(statement: string): string | undefined {
  const known = names.get(statement);
  if (known) return known;
  if (names.size >= MAX_PREPARED) return undefined;
  const name = `s${names.size}`;
  names.set(statement, name);
  return name;
}
