import type { Page, Response } from 'playwright-core';

/** The English texts that the service sends to a page beside a code or values, from which the page writes its own sentence. */
export function collectEnglish(page: Page) {
  const received = new Set<string>();
  const reading = new Set<Promise<void>>();
  page.on('response', (response) => {
    const read = readTexts(response, received);
    reading.add(read);
    void read.finally(() => reading.delete(read));
  });
  return {
    received: () => [...received],
    /** Those that the page shows now. */
    shown: async (): Promise<string[]> => {
      await Promise.all(reading);
      const text = await page.locator('body').innerText();
      return [...received].filter((words) => text.includes(words));
    },
  };
}

async function readTexts(response: Response, found: Set<string>): Promise<void> {
  if (!new URL(response.url()).pathname.startsWith('/api/')) return;
  const body: unknown = await response.json().catch(() => undefined);
  collect(body, found);
}

function collect(value: unknown, found: Set<string>): void {
  if (typeof value !== 'object' || value === null) return;
  const { schedule_words: schedule, message, details } = value as Record<string, unknown>;
  if (typeof schedule === 'string') found.add(schedule);
  if (typeof message === 'string' && details !== undefined) found.add(message);
  for (const each of Object.values(value)) collect(each, found);
}
