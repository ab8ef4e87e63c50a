import path from 'node:path';
import { DOORS, type Door, obeyAtDoors } from '../test/browser/doors.ts';
import { createMailTool } from '../test/browser/mail-tool.ts';
import { openChromium } from '../test/browser/open-chromium.ts';
import { startStage } from '../test/browser/stage.ts';
import { addUser } from '../test/support/accounts.ts';
import { waitFor } from '../test/support/wait-for.ts';
import { takeScreenshot } from './take-screenshot.ts';

/**
 * `npm run pictures:doors`: hostile text comes in through each door, the model obeys it, and the picture shows the question that
 * stops the call. The tool runs without a question as long as nothing by others was read.
 */
const FOLDER = path.resolve('docs/pictures');
const PACE = { chats: { pollEveryMs: 100, leaseSeconds: 45, pauseMs: 100 }, deliveries: { pollEveryMs: 50 } };

for (const open of DOORS) await show(await open());

async function show(door: Door): Promise<void> {
  const { tool, sent } = createMailTool();
  const tools = [{ ...tool, level: 'allow' as const }];
  const stage = await startStage({}, { ...PACE, ...door.parts, tools }, obeyAtDoors);
  const browser = await openChromium({ width: 1024, height: 900 });
  try {
    const ann = await addUser(stage.service, 'Ann');
    await door.enter(stage.service, ann);
    const threadId = await waitFor(`the question of ${door.name}`, async () => {
      const answer = await stage.service.request('/api/gates', { headers: ann.headers });
      const { gates } = (await answer.json()) as { gates: { thread_id: string }[] };
      return gates[0]?.thread_id;
    });
    const title = JSON.stringify({ title: door.title });
    await stage.service.request(`/api/threads/${threadId}`, { method: 'PATCH', body: title, headers: ann.headers });
    const page = await browser.signIn(stage.url, ann.token);
    await page.goto(`${stage.url}/threads/${threadId}`);
    const card = page.getByRole('region', { name: 'Waits for you: Run send_mail?' });
    await card.getByText('Asked because this conversation has read').waitFor();
    if (door.step) await page.getByText(door.step).click();
    await takeScreenshot(page, path.join(FOLDER, `gate-door-${door.name}.png`));
    if (sent.length > 0) throw new Error(`${door.name}: a mail was sent without a question.`);
  } finally {
    await browser.close();
    await stage.close();
    await door.close();
  }
}
