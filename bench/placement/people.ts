import { openBrowser } from '../../test/support/browser.ts';
import { answeredBy } from '../../test/support/cells.ts';
import { PERSON_HEADER } from '../../test/support/identity-provider.ts';
import { randomMoment } from '../../test/support/random-moment.ts';
import type { Ledger } from './check-ledger.ts';

type Person = { readonly sub: string };
type Browser = ReturnType<typeof openBrowser>;

export type PeopleOptions = { readonly router: string; readonly atOnce: number; readonly ledger: Ledger };

/** People who sign in through the router, each with a browser, and send a message. What they got goes into the ledger. */
export function createPeople({ router, atOnce, ledger }: PeopleOptions) {
  const browsers = new Map<string, Browser>();

  async function signIn({ sub }: Person): Promise<{ browser: Browser; hops: number; id: string; cell: number }> {
    const browser = openBrowser({ [PERSON_HEADER]: sub });
    const { response, hops } = await followHome(browser, `${router}/login/oidc`);
    const page = await response.text();
    const key = /'reborn\.session-key', '([\w-]+)'/.exec(page)?.[1];
    if (!key) throw new Error(`${sub} could not sign in: ${response.status} ${page}`);
    browser.keepKey(router, key);
    return { browser, hops, ...(await whoIs(browser)) };
  }

  /** The redirect of one cell to another one is a hop. */
  async function followHome(browser: Browser, start: string): Promise<{ response: Response; hops: number }> {
    let url = new URL(start);
    let hops = 0;
    for (let step = 0; step < MOST_STEPS; step++) {
      const response = await browser.visit(url);
      const location = response.headers.get('location');
      if (!location) return { response, hops };
      url = new URL(location, url);
      if (url.searchParams.has('cell')) hops++;
    }
    throw new Error(`Too many redirects at ${url.href}.`);
  }

  /** While a user moves, the answer is 503 with Retry-After. */
  async function whoIs(browser: Browser): Promise<{ id: string; cell: number }> {
    for (;;) {
      const response = await browser.visit(`${router}/api/me`);
      if (response.ok) {
        const { user_id: id } = (await response.json()) as { user_id: string };
        return { id, cell: answeredBy(response) };
      }
      if (response.status !== 503 || !response.headers.has('retry-after'))
        throw new Error(`${response.status} ${await response.text()}`);
      await response.body?.cancel();
      await randomMoment(500);
    }
  }

  async function arrive(person: Person): Promise<void> {
    const { browser, hops, id, cell } = await signIn(person);
    const response = await browser.visit(`${router}/api/v1/responses`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
      body: JSON.stringify({ model: 'm', input: `say hello ${person.sub}` }),
    });
    if (!response.ok) throw new Error(`${person.sub} got no answer: ${response.status} ${await response.text()}`);
    await response.body?.cancel();
    ledger.push({ sub: person.sub, id, cell, hops });
    if (ledger.length % KEEP_EVERY === 0) browsers.set(person.sub, browser);
  }

  return {
    arrive: (people: readonly Person[]) => inParallel(people, atOnce, arrive),

    /** Every `nth` person signs in with a new browser. Returns how many are taken for someone else. */
    async returnHome(nth: number): Promise<{ checked: number; others: number }> {
      const chosen = ledger.filter((_, index) => index % nth === 0);
      let others = 0;
      await inParallel(chosen, atOnce, async (entry) => {
        if ((await signIn(entry)).id !== entry.id) others++;
      });
      return { checked: chosen.length, others };
    },

    /** People of a cell whose browsers are open ask for something again and again, until they are stopped. */
    look(cell: number): { stop: () => Promise<number> } {
      const there = ledger.filter((entry) => entry.cell === cell && browsers.has(entry.sub));
      let requests = 0;
      let isOn = true;
      const looking = (async () => {
        while (isOn)
          for (const { sub, id } of there) {
            const found = await whoIs(browsers.get(sub) as Browser);
            if (found.id !== id) throw new Error(`${sub} became ${found.id}.`);
            requests++;
            await randomMoment(200);
            if (!isOn) break;
          }
      })();
      looking.catch(() => {}); // `stop` reports it
      return {
        stop: async () => {
          isOn = false;
          await looking;
          return requests;
        },
      };
    },
  };
}

const MOST_STEPS = 40;
/** Every so many browsers stay open. */
const KEEP_EVERY = 4;

async function inParallel<T>(items: readonly T[], atOnce: number, act: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const item of rest) await act(item);
    }),
  );
}
