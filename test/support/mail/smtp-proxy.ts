import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A line to an SMTP server that can be cut just after the server has accepted a mail, so that the client does not learn it. */
export async function startSmtpProxy(port: number) {
  const lines = new Set<Socket>();
  const deferred = new Map<string, { refusals: number }>();
  let toLose = 0;
  let lost = 0;

  const server = createServer((client) => {
    const target = connect(port, '127.0.0.1');
    let sent = '';
    let isComplete = false;
    for (const socket of [client, target]) {
      lines.add(socket);
      socket.on('error', () => {});
      socket.once('close', () => {
        lines.delete(socket);
        client.destroy();
        target.destroy();
      });
    }
    client.on('data', (data) => {
      sent = (sent + data.toString('latin1')).slice(-5);
      isComplete ||= sent === '\r\n.\r\n';
      const recipient = /^RCPT TO:<([^>]*)>/i.exec(data.toString('latin1', 0, 400))?.[1] ?? '';
      const held = deferred.get(recipient);
      if (held) {
        held.refusals++;
        client.write('451 4.7.1 Try again later\r\n');
      } else target.write(data);
    });
    target.on('data', (data) => {
      if (isComplete && toLose > 0) {
        toLose--;
        lost++;
        client.destroy();
      } else client.write(data.toString('latin1').replace('250-PIPELINING\r\n', ''), 'latin1'); // one command at a time
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    /** The answers to the next so many mails get lost. */
    lose: (times: number) => {
      toLose = times;
    },
    lost: () => lost,
    /** Mail to this address is put off until it is lifted. */
    defer(address: string) {
      const held = { refusals: 0 };
      deferred.set(address, held);
      return { refusals: () => held.refusals, lift: () => void deferred.delete(address) };
    },
    async close(): Promise<void> {
      for (const line of lines) line.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
