import { randomBytes } from 'node:crypto';
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Sends requests to `url`, each with a different well-formed token that is not valid, which is the most expensive kind of bad
 * request. The parent sets the rate per second by sending a number, and gets the number of refusals so far as the answer.
 */
const [url = ''] = process.argv.slice(2);
const MOST_AT_ONCE = 64;
const agent = new Agent({ keepAlive: true, maxSockets: MOST_AT_ONCE });
let refused = 0;
let open = 0;
let perSecond = 0;

process.on('message', (message) => {
  process.send?.(refused);
  const isFlooding = perSecond > 0;
  perSecond = Number(message);
  if (!isFlooding && perSecond > 0) void flood();
});
process.once('disconnect', () => process.exit());

async function flood(): Promise<void> {
  let asked = performance.now();
  for (let due = 0; perSecond > 0; await sleep(1)) {
    const now = performance.now();
    due = Math.min(MOST_AT_ONCE, due + ((now - asked) / 1000) * perSecond);
    asked = now;
    for (; due >= 1 && open < MOST_AT_ONCE; due--) ask();
  }
}

function ask(): void {
  const authorization = `Bearer reborn_${randomBytes(32).toString('base64url')}`;
  open++;
  const asked = request(url, { agent, headers: { authorization } }, (response) => {
    if (response.statusCode === 401) refused++;
    response.resume();
  });
  asked.on('error', () => {}).on('close', () => open--);
  asked.end();
}
