import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { waitFor } from '../../test/support/wait-for.ts';
import { dial } from './dial.ts';
import { EgressFailed } from './egress-failure.ts';
import { get, listen, networkTo, openEgress, PUBLIC } from './stand-in.test-support.ts';

type Certificate = { readonly key: string; readonly cert: string };

const folder = mkdtempSync(join(tmpdir(), 'reborn-egress-'));
let trusted: Certificate;
let stranger: Certificate;

beforeAll(() => {
  trusted = makeCertificate('trusted');
  stranger = makeCertificate('stranger');
  setDefaultCACertificates([...getCACertificates('default'), trusted.cert]);
});

afterAll(() => rmSync(folder, { recursive: true }));

test('the request names the host, and the certificate is checked for that name', async () => {
  const { port, names, requests } = await startTls(trusted);
  const egress = openEgress(tlsTo(port));

  expect(await egress.send(get('https://secure.example.com/'))).toMatchObject({ status: 200 });
  expect(names).toEqual([['secure.example.com', 'http/1.1']]);
  expect(requests[0]).toContain('\r\nhost: secure.example.com\r\n');
});

test('a certificate for another name is refused before anything is sent', async () => {
  const { port, requests } = await startTls(trusted);
  const sent = openEgress(tlsTo(port)).send(
    get('https://other.example.com/', { headers: { authorization: 'secret' } }),
  );
  await expect(sent).rejects.toThrow('its certificate is for another name (ERR_TLS_CERT_ALTNAME_INVALID)');
  await expect(sent).rejects.toBeInstanceOf(EgressFailed);
  expect(requests).toEqual([]);
});

test('an untrusted certificate is refused, even if the environment disables the check', async () => {
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
  const { port, requests } = await startTls(stranger);
  const sent = openEgress(tlsTo(port)).send(get('https://secure.example.com/'));
  await expect(sent).rejects.toThrow('its certificate is not trusted');
  expect(requests).toEqual([]);
});

test('TLS sessions are not resumed, so each connection checks the certificate', async () => {
  const { port, reused } = await startTls(trusted);
  const egress = openEgress(tlsTo(port));
  await egress.send(get('https://secure.example.com/'));
  await egress.send(get('https://secure.example.com/'));
  expect(reused).toEqual([false, false]);
});

test('an unobserved connection error does not end the process', async () => {
  const { port } = await startTls(trusted);
  const deadline = { endsAt: performance.now() + 5_000, signal: new AbortController().signal };
  const socket = await dial(tlsTo(port), [PUBLIC], new URL('https://secure.example.com/'), deadline);
  socket.destroy(new Error('broken'));
  expect(await waitFor('the end of the connection', async () => socket.closed)).toBe(true);
});

function tlsTo(port: number) {
  return networkTo(port, { dial: () => ({ host: '127.0.0.1', port, tls: true }) });
}

async function startTls(certificate: Certificate) {
  const names: unknown[] = [];
  const requests: string[] = [];
  const reused: boolean[] = [];
  const server = createServer({ ...certificate, ALPNProtocols: ['h2', 'http/1.1'] }, (socket) => {
    names.push([socket.servername, socket.alpnProtocol]);
    reused.push(socket.isSessionReused());
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      requests.push(chunk.toString());
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
    });
  });
  server.on('tlsClientError', () => {});
  onTestFinished(() => void server.close());
  return { port: await listen(server), names, requests, reused };
}

function makeCertificate(name: string): Certificate {
  const [key, cert] = [join(folder, `${name}.key`), join(folder, `${name}.crt`)];
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
  const subject = ['-subj', `/CN=${name}`, '-addext', 'subjectAltName=DNS:secure.example.com'];
  execFileSync('openssl', ['req', ...kind, ...subject, '-keyout', key, '-out', cert], { stdio: 'ignore' });
  return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
}
