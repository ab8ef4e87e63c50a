import { randomBytes } from 'node:crypto';
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Sends requests to `url` at a steady rate while its parent wants it, each with a different well-formed token that is not
 * valid, which is the most expensive kind of bad request. Reports the number of refusals to the parent when it stops.
 */
const [url = '', perSecond = '1000'] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true, maxSockets: 64 });
let refused = 0;
let isFlooding = false;

process.on('message', (message) => {
  if (message === 'stop') process.send?.(refused);
  isFlooding = message === 'start';
  if (isFlooding) void flood();
});
process.once('disconnect', () => process.exit());

async function flood(): Promise<void> {
  const begun = performance.now();
  for (let sent = 0; isFlooding; await sleep(1)) {
    const due = ((performance.now() - begun) / 1000) * Number(perSecond);
    for (; sent < due; sent++) ask();
  }
}

function ask(): void {
  const authorization = `Bearer reborn_${randomBytes(32).toString('base64url')}`;
  const asked = request(url, { agent, headers: { authorization } }, (response) => {
    if (response.statusCode === 401) refused++;
    response.resume();
  });
  asked.on('error', () => {});
  asked.end();
}
