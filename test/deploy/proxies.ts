import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findFreePort } from '../support/free-port.ts';
import { waitFor } from '../support/wait-for.ts';

export type ProxyName = 'nginx' | 'caddy';
export type Upstreams = { readonly gateway: string; readonly webhook: string };

/** The example from deploy/ with a real proxy and TLS; only names, ports and certificates differ. */
export async function startProxy(name: ProxyName, upstreams: Upstreams) {
  const folder = await mkdtemp(path.join(tmpdir(), `reborn-${name}-`));
  const [gateway, webhook, plain] = [await findFreePort(), await findFreePort(), await findFreePort()];
  const ca = makeCertificate(folder);
  const { program, words, text } = PROXIES[name]({ folder, gateway, webhook, plain, upstreams });
  await writeFile(path.join(folder, 'config'), text);
  const child = spawn(program, words, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'], env: { HOME: folder } });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += String(data)));
  const exited = once(child, 'exit');
  await waitFor(`${name} to listen`, async () => {
    if (child.exitCode !== null) throw new Error(`${name} exited:\n${output}`);
    return fetch(`http://127.0.0.1:${gateway}`).then(
      () => true,
      (error: unknown) => (error as { cause?: { code?: string } }).cause?.code !== 'ECONNREFUSED',
    );
  });
  return {
    gateway: `https://localhost:${gateway}`,
    webhook: `https://localhost:${webhook}`,
    /** The certificate authority. */
    ca,
    close: async () => {
      child.kill('SIGTERM');
      await exited;
      await rm(folder, { recursive: true });
    },
  };
}

export function isInstalled(name: ProxyName): boolean {
  try {
    execFileSync('sh', ['-c', `command -v ${name}`], { env: { PATH: SEARCHED } });
    return true;
  } catch {
    return false;
  }
}

const SEARCHED = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

type Setting = { folder: string; gateway: number; webhook: number; plain: number; upstreams: Upstreams };

const PROXIES = {
  nginx: ({ folder, gateway, webhook, plain, upstreams }: Setting) => {
    const example = readFileSync('deploy/nginx/reborn.conf', 'utf8')
      .replace('listen 80;', `listen 127.0.0.1:${plain};`)
      .replace('listen 443 ssl http2;', `listen 127.0.0.1:${gateway} ssl http2;`)
      .replace('listen 443 ssl http2;', `listen 127.0.0.1:${webhook} ssl http2;`)
      .replaceAll(/\/etc\/ssl\/agent\.example\.com/g, folder)
      .replaceAll(/(agent|hooks)\.example\.com/g, 'localhost')
      .replace('127.0.0.1:3000', hostOf(upstreams.gateway))
      .replace('127.0.0.1:8080', hostOf(upstreams.webhook));
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
      .map((kind) => `${kind}_temp_path ${folder}/${kind};`)
      .join(' ');
    return {
      program: '/usr/sbin/nginx',
      words: ['-p', folder, '-c', 'config', '-e', 'stderr'],
      text: `daemon off; user root; pid ${folder}/pid; events {} http { access_log off; ${temporary}\n${example}\n}`,
    };
  },
  caddy: ({ folder, gateway, webhook, upstreams }: Setting) => ({
    program: '/usr/bin/caddy',
    words: ['run', '--adapter', 'caddyfile', '--config', 'config'],
    text: `{\n\tadmin off\n\tauto_https disable_redirects\n}\n${readFileSync('deploy/caddy/Caddyfile', 'utf8')}`
      .replace(
        'agent.example.com {',
        `https://localhost:${gateway} {\n\ttls ${folder}/fullchain.pem ${folder}/privkey.pem`,
      )
      .replace(
        'hooks.example.com {',
        `https://localhost:${webhook} {\n\ttls ${folder}/fullchain.pem ${folder}/privkey.pem`,
      )
      .replace('127.0.0.1:3000', hostOf(upstreams.gateway))
      .replace('127.0.0.1:8080', hostOf(upstreams.webhook)),
  }),
};

const hostOf = (url: string): string => new URL(url).host;

function makeCertificate(folder: string): string {
  const words = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  const files = ['-keyout', path.join(folder, 'privkey.pem'), '-out', path.join(folder, 'fullchain.pem')];
  execFileSync('openssl', [...words, ...names, ...files], { stdio: 'ignore' });
  return readFileSync(path.join(folder, 'fullchain.pem'), 'utf8');
}
