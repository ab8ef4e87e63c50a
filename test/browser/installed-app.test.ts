import { once } from 'node:events';
import { cp, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { packageFile } from '#program-files.ts';
import { type OpenPage, openChromium } from './open-chromium.ts';
import { startStage } from './stage.ts';
import { ask } from './talk.ts';

let webFolder: string;
let stage: Awaited<ReturnType<typeof startStage>>;
let line: Awaited<ReturnType<typeof openLine>>;
let browser: Awaited<ReturnType<typeof openChromium>>;
let page: OpenPage;

beforeAll(async () => {
  webFolder = await mkdtemp(path.join(tmpdir(), 'reborn-web-'));
  await cp(packageFile('web/dist'), webFolder, { recursive: true });
  for (const packed of ['br', 'gz']) await rm(path.join(webFolder, `service-worker.js.${packed}`), { force: true });
  [stage, browser] = await Promise.all([startStage({}, { webFolder }), openChromium({ workers: true })]);
  line = await openLine(Number(new URL(stage.url).port));
  page = await browser.signIn(line.url);
  await page.evaluate(async () => (await navigator.serviceWorker.ready).active?.scriptURL);
});

afterAll(async () => {
  await browser.close();
  await line.close();
  await stage.close();
  await rm(webFolder, { recursive: true });
});

/** The connection between the browser and the service. */
async function openLine(port: number) {
  const open = new Set<Socket>();
  let isCut = false;
  const server = createServer((near) => {
    near.on('error', () => near.destroy());
    if (isCut) return near.destroy();
    const far = connect(port, '127.0.0.1').on('error', () => near.destroy());
    open.add(near).add(far);
    near.on('close', () => far.destroy()).pipe(far);
    far.on('close', () => near.destroy()).pipe(near);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = () => {
    isCut = true;
    for (const socket of open) socket.destroy();
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut,
    repair: () => {
      isCut = false;
    },
    close: async () => {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}

const cacheNames = () => page.evaluate(() => caches.keys());
const cachedPaths = () =>
  page.evaluate(async () => {
    const all = await Promise.all((await caches.keys()).map(async (name) => (await caches.open(name)).keys()));
    return all.flat().map(({ url }) => new URL(url).pathname);
  });

/** Replaces the worker, as a deployment does, and lets the page look for it. */
async function deploy(change: (script: string) => string): Promise<void> {
  const file = path.join(webFolder, 'service-worker.js');
  await writeFile(`${file}.new`, change(await readFile(file, 'utf8')));
  await rename(`${file}.new`, file); // the browser may look at any time, and half a script is a worker, too
  await page.evaluate(async () => (await navigator.serviceWorker.ready).update().catch(() => undefined));
}

test('Chromium offers to install the app, and nothing violates the policy of the page', async () => {
  const devtools = await page.context().newCDPSession(page);
  const manifest = await devtools.send('Page.getAppManifest');
  const { installabilityErrors } = await devtools.send('Page.getInstallabilityErrors');

  expect(manifest.errors).toEqual([]);
  expect(manifest.url).toBe(`${line.url}/manifest.webmanifest`);
  expect(installabilityErrors).toEqual([]);
  const icons = (JSON.parse(manifest.data ?? '{}') as { icons: { src: string; sizes: string }[] }).icons;
  for (const { src, sizes } of icons) expect([src, await sizeOf(src)]).toEqual([src, sizes]);
  expect(page.problems).toEqual([]);
});

async function sizeOf(src: string): Promise<string> {
  const answer = await fetch(`${line.url}${src}`);
  if (answer.headers.get('content-type') === 'image/svg+xml') return 'any';
  const bytes = Buffer.from(await answer.arrayBuffer());
  return `${bytes.readUInt32BE(16)}x${bytes.readUInt32BE(20)}`;
}

test('the worker keeps the files of the first page, and no answer of the service', async () => {
  await ask(page, 'say something private');
  await page.goto(`${line.url}/settings`);
  await page.getByRole('heading', { level: 1, name: 'General' }).waitFor();

  const kept = await cachedPaths();
  expect(kept).toContain('/');
  expect(kept.filter((name) => name.endsWith('.woff2'))).toEqual([
    expect.stringContaining('/inter-latin-wght-normal-'),
  ]);
  expect(kept.filter((name) => name !== '/' && !name.startsWith('/assets/'))).toEqual([]);
  const worker = await fetch(`${line.url}/service-worker.js`);
  expect(worker.headers.get('content-security-policy')).toBe("default-src 'none'; connect-src 'self'");
  expect(worker.headers.get('cache-control')).toBe('no-cache');
});

test('the app opens while the service is away, says so, and continues by itself when the service is back', async () => {
  line.cut();
  await page.goto(`${line.url}/settings/notifications`);
  await page.getByText('The service cannot be reached.').waitFor();
  expect(await page.evaluate(() => fetch('/api/me').then(String, () => 'no answer'))).toBe('no answer');
  line.repair();
  await page.getByRole('heading', { name: 'Notifications', exact: true }).waitFor();
});

test('a new version takes over, the page offers a reload, and the old files are removed', async () => {
  const [old] = await cacheNames();
  await deploy((script) => script.replace(/"version":"\w+"/, '"version":"next"'));
  await page.getByText('A new version of the app is ready.').waitFor();
  await expect.poll(cacheNames).toEqual(['shell-next']);
  expect(old).not.toBe('shell-next');
  await page.getByRole('button', { name: 'Reload' }).click();
  await page.getByRole('heading', { name: 'Notifications', exact: true }).waitFor();
  expect(await page.getByText('A new version of the app is ready.').count()).toBe(0);
});

test('a worker whose page or files the service does not have yet is not installed', async () => {
  await deploy((script) =>
    script.replace(/"version":"\w+"/, '"version":"early"').replace(/"entry":"[^"]+"/, '"entry":"assets/index-new.js"'),
  );
  await deploy((script) =>
    script.replace(/"entry":"[^"]+"/, '"entry":"assets"').replace('"files":[', '"files":["/assets/new.js",'),
  );
  await page.reload();
  await page.getByRole('heading', { name: 'Notifications', exact: true }).waitFor();
  const states = () =>
    page.evaluate(async () => {
      const { active, waiting, installing } = await navigator.serviceWorker.ready;
      return [active?.state, waiting?.state, installing?.state];
    });
  await expect.poll(states).toEqual(['activated', undefined, undefined]);
  expect(await page.getByText('A new version of the app is ready.').count()).toBe(0);
});
