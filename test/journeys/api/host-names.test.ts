import { request } from 'node:http';
import { expect } from 'vitest';
import { journey } from '../../support/journey.ts';
import { type Service, TOKEN } from '../../support/service.ts';

const test = journey().override('settings', {
  PUBLIC_URL: 'https://agent.example.com',
  GATEWAY_ALLOWED_HOSTS: 'box.example.com',
});

function ask(
  service: Service,
  path: string,
  host: string,
  more: Record<string, string> = {},
): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const asked = request(service.url + path, { headers: { host, ...more } }, (answer) => {
      let body = '';
      answer.on('data', (data) => (body += String(data)));
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body }));
    });
    asked.on('upgrade', (_answer, socket) => {
      socket.destroy();
      resolve({ status: 101, body: '' });
    });
    asked.on('error', reject).end();
  });
}

const bearer = { authorization: `Bearer ${TOKEN}` };
const upgrade = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
};

test.for(['127.0.0.1', 'localhost:9999', 'agent.example.com', 'box.example.com'])(
  'a gateway on loopback answers requests for host %s',
  async (host, { service }) => {
    expect((await ask(service, '/login', host)).status).toBe(200);
    expect((await ask(service, '/api/status', host, bearer)).status).toBe(200);
    expect((await ask(service, '/api/ws', host, { ...bearer, ...upgrade })).status).toBe(101);
  },
);

test.for(['evil.example', 'agent.example.com.evil.example', '10.0.0.1', 'mybox'])(
  'a gateway on loopback refuses pages, calls and sockets for host %s, but /healthz still answers',
  async (host, { service }) => {
    const page = await ask(service, '/login', host);
    expect([page.status, JSON.parse(page.body)]).toMatchObject([403, { error: { code: 'unknown_host' } }]);
    expect(page.body).toContain('GATEWAY_ALLOWED_HOSTS');
    expect((await ask(service, '/', host, { cookie: 'reborn_session=x' })).status).toBe(403);
    expect((await ask(service, '/api/status', host, bearer)).status).toBe(403);
    expect((await ask(service, '/api/ws', host, { ...bearer, ...upgrade })).status).toBe(403);
    expect((await ask(service, '/healthz', host)).status).toBe(200);
  },
);
