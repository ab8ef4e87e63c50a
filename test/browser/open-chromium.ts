import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { TOKEN } from '../support/service.ts';
import { waitFor } from '../support/wait-for.ts';

/** Debian's, or another. */
const WHOLE = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
const SHELL = '/usr/bin/chromium-headless-shell';

/** The shell shows no notifications, and needs about half of the CPU time. */
export const CHROMIUM = process.env['CHROMIUM'] === undefined && existsSync(SHELL) ? SHELL : WHOLE;

type Look = {
  readonly width?: number;
  readonly height?: number;
  readonly theme?: 'light' | 'dark';
  readonly touch?: boolean;
  /** Whether things move and fade, as for most people. Drawing that is a sixth of the CPU time. */
  readonly motion?: boolean;
  /** Whether service workers run and show notifications. They would answer requests that a test wants to see or change. */
  readonly workers?: boolean;
};

export type OpenPage = Page & { readonly problems: string[] };

/** Chromium without any earlier state. Errors of a page are collected, and its requests to other hosts are refused. */
export async function openChromium(look: Look = {}) {
  const { context, close } = await (look.workers ? openProfile : openContext)({
    viewport: { width: look.width ?? 1280, height: look.height ?? 800 },
    colorScheme: look.theme ?? 'light',
    reducedMotion: look.motion ? 'no-preference' : 'reduce',
    hasTouch: look.touch ?? false,
    serviceWorkers: look.workers ? 'allow' : 'block',
    permissions: ['clipboard-read', 'clipboard-write', ...(look.workers ? ['notifications'] : [])],
  });
  const enter = createEntrance(context, { isAlone: look.workers ?? false });
  return {
    context,
    open: () => openPage(context),
    /** Signs all pages in as the operator, or with another token. */
    enter,
    /** A page that is signed in. */
    signIn: async (url: string, { token = TOKEN, path: place = '/' } = {}): Promise<OpenPage> => {
      await enter(url, token);
      const page = await openPage(context);
      await page.goto(url + place);
      if (place === '/') await page.getByRole('textbox', { name: 'Message' }).waitFor();
      return page;
    },
    close,
  };
}

/**
 * Opens sessions without the form, which needs two loads of the app.
 *
 * The page that stores the key stays open, unless a worker would find it. It keeps the process of the service's pages alive, with
 * the scripts that are compiled there: a page in a new process takes a third more CPU time.
 */
function createEntrance(context: BrowserContext, { isAlone }: { readonly isAlone: boolean }) {
  const entrances = new Map<string, Page>();
  return async (url: string, token: string = TOKEN): Promise<void> => {
    const key = await openSession(context, url, token);
    const page = entrances.get(url) ?? (await openEntrance(context, url));
    await page.evaluate((value) => localStorage.setItem('reborn.session-key', value), key);
    if (isAlone) await page.close();
    else entrances.set(url, page);
  };
}

async function openEntrance(context: BrowserContext, url: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(`${url}/favicon.svg`);
  return page;
}

/** As the form does: the browser gets the cookie, and the page the key. */
async function openSession(context: BrowserContext, url: string, token: string): Promise<string> {
  const headers = { 'sec-fetch-site': 'same-origin' };
  const answer = await waitFor('the database to be reached', async () => {
    const given = await context.request.post(`${url}/login`, { data: { token }, headers });
    return given.status() === 503 ? undefined : given;
  });
  if (!answer.ok()) throw new Error(`${answer.status()}: ${await answer.text()}`);
  return ((await answer.json()) as { session_key: string }).session_key;
}

type Opened = { readonly context: BrowserContext; readonly close: () => Promise<void> };

/** Notifications need a profile, and a profile needs a separate browser. */
async function openProfile(options: BrowserContextOptions): Promise<Opened> {
  const profile = await mkdtemp(path.join(tmpdir(), 'reborn-chromium-'));
  const context = await chromium.launchPersistentContext(profile, { ...LAUNCH, executablePath: WHOLE, ...options });
  const close = async () => {
    await context.close();
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  };
  return { context, close };
}

let shared: Promise<Browser> | undefined;

/** All tests of a process share one browser, which ends with the process. */
async function openContext(options: BrowserContextOptions): Promise<Opened> {
  const browser = await (shared ??= chromium.launch({ ...LAUNCH, executablePath: CHROMIUM }));
  const context = await browser.newContext(options);
  const close = async () => {
    await context.close();
    if (process.env['VITEST']) return;
    shared = undefined;
    await browser.close();
  };
  return { context, close };
}

async function openPage(context: BrowserContext): Promise<OpenPage> {
  const page = await context.newPage();
  page.setDefaultTimeout(90_000); // a machine may be five times slower
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' && /Content Security Policy|violates/.test(message.text()))
      problems.push(message.text());
  });
  return Object.assign(page, { problems });
}

const LAUNCH = {
  headless: true,
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    '--process-per-site',
  ],
};
