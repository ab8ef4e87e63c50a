import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createServer } from 'node:tls';

export type TlsStandIn = Awaited<ReturnType<typeof startTlsStandIn>>;

/** A host of the outside world that speaks TLS, on loopback. `GET /NUMBER` is answered with so many bytes, other requests with its name. */
export async function startTlsStandIn(host: string) {
  const certificate = makeCertificate(host);
  const seen = { requests: [] as string[], receivedBytes: 0 };
  const open = new Set<Socket>();
  const server = createServer(certificate, (socket) => {
    socket
      .on('error', () => {})
      .on('data', (chunk) => {
        seen.receivedBytes += chunk.length;
        const [request = ''] = chunk.toString('latin1').split('\r\n', 1);
        if (!/^[A-Z]+ \//.test(request)) return;
        seen.requests.push(request);
        const bytes = Number(/^GET \/(\d+)/.exec(request)?.[1] ?? 0);
        const body = bytes > 0 ? Buffer.alloc(bytes, 'b') : Buffer.from(`served ${String(socket.servername)}`);
        if (request.startsWith('GET'))
          socket.end(Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n`), body]));
      });
  });
  server.on('connection', (socket: Socket) => open.add(socket.once('close', () => open.delete(socket))));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    seen,
    certificate: certificate.cert,
    port: (server.address() as AddressInfo).port,
    async close() {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

function makeCertificate(host: string): { key: string; cert: string } {
  const folder = mkdtempSync(path.join(tmpdir(), 'reborn-network-'));
  const [key, cert] = [path.join(folder, 'key'), path.join(folder, 'cert')];
  const options = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const names = ['-subj', '/CN=stand-in', '-addext', `subjectAltName=DNS:${host}`];
  execFileSync('openssl', [...options, ...names, '-keyout', key, '-out', cert], { stdio: 'ignore' });
  const made = { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
  rmSync(folder, { recursive: true });
  return made;
}
