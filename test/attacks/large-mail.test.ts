import { expect, test } from 'vitest';
import { type ParsedMail, parseMail } from '#channels/mail/parse-mail.ts';
import { MOST_BYTES } from '#channels/mail/read-mail.ts';
import { runInWorker } from '#safety/worker-threads/worker-pool.ts';

/** How long this thread computed meanwhile: other work of the machine does not count. */
async function busyWith(act: () => Promise<ParsedMail>): Promise<{ readonly mail: ParsedMail; readonly ms: number }> {
  const before = process.threadCpuUsage();
  const mail = await act();
  const { user, system } = process.threadCpuUsage(before);
  return { mail, ms: (user + system) / 1000 };
}

test('the largest mail that is read does not hold up the event loop', async () => {
  const line = `${Buffer.alloc(57, 'reborn').toString('base64')}\r\n`;
  const head =
    'From: ann@example.test\r\nContent-Type: application/zip; name=a.zip\r\nContent-Transfer-Encoding: base64\r\n\r\n';
  const source = Buffer.from(head + line.repeat(Math.floor((MOST_BYTES - head.length) / line.length)));

  const here = await busyWith(() => parseMail(source));
  const apart = await busyWith(() =>
    runInWorker({ program: 'channels/mail/parse-mail', run: 'parseMail', input: source, lane: 'mail' }),
  );
  expect(apart.mail.attachments.map(({ filename }) => filename)).toEqual(['a.zip']);
  expect(apart.mail.attachments[0]?.content.length).toBe(here.mail.attachments[0]?.content.length);
  expect(apart.ms).toBeLessThan(here.ms / 3);
});
