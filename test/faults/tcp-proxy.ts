import { once } from 'node:events';
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net';

/** A TCP line to a unix socket or port that can be cut, and mended again. */
export async function startProxy(target: { path: string } | { host: string; port: number }) {
  const lines = new Set<Socket>();
  let broken = false;
  let doomed: string | undefined;

  const server = createServer((near) => {
    if (broken) {
      near.destroy();
      return;
    }
    const far = createConnection(target);
    lines.add(near);
    near.on('error', () => far.destroy());
    near.on('close', () => {
      lines.delete(near);
      far.destroy();
    });
    far.on('error', () => near.destroy());
    far.on('close', () => near.destroy());
    near.on('data', (data: Buffer) => {
      if (doomed === undefined || !data.includes(doomed)) return;
      doomed = undefined;
      far.once('data', () => near.destroy());
    });
    near.pipe(far).pipe(near);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  const cut = () => {
    for (const line of lines) line.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    /** Ends every open line; new ones can be made at once. */
    cut,
    /** Ends the line on which this is asked next once it was answered, before the answer is through. */
    loseAnswerTo: (words: string) => {
      doomed = words;
    },
    /** Ends every line and refuses new ones until it is mended. */
    break: () => {
      broken = true;
      cut();
    },
    mend: () => {
      broken = false;
    },
    close: async () => {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}
