import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { TOKEN } from '../support/service.ts';

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
  /** Whether service workers run and show notifications. They would answer requests that a test wants to see or change. */
  readonly workers?: boolean;
};

export type OpenPage = Page & { readonly problems: string[] };

/** Chromium without any earlier state. Errors of a page are collected, and its requests to other hosts are refused. */
export async function openChromium(look: Look = {}) {
  const { context, close } = await (look.workers ? openProfile : openContext)({
    viewport: { width: look.width ?? 1280, height: look.height ?? 800 },
    colorScheme: look.theme ?? 'light',
    hasTouch: look.touch ?? false,
    serviceWorkers: look.workers ? 'allow' : 'block',
    permissions: ['clipboard-read', 'clipboard-write', ...(look.workers ? ['notifications'] : [])],
  });
  return {
    context,
    open: () => openPage(context),
    /** A page that is signed in as the operator. */
    signIn: async (url: string, token: string = TOKEN): Promise<OpenPage> => {
      const page = await openPage(context);
      await page.goto(`${url}/login`);
      await page.getByLabel('Token').fill(token);
      await page.getByLabel('Token').press('Enter');
      await page.getByRole('textbox', { name: 'Message' }).waitFor();
      return page;
    },
    close,
  };
}

type Opened = { readonly context: BrowserContext; readonly close: () => Promise<void> };

/** Notifications need a profile, and with it a browser of its own. */
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
  ],
};
