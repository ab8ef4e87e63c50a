import { setTimeout as sleep } from 'node:timers/promises';
import { createLog } from '#app/log.ts';
import { startApp } from '#app/start-app.ts';
import { readConfig } from '#config/config.ts';
import type { EngineTimes } from '#engine/engine-times.ts';
import type { Tool } from '#tools/tool.ts';
import { type ActOutside, type ActResult, personalTools } from '../provenance/personal-tools.ts';
import { networkOf } from '../support/stand-in.ts';

/**
 * A replica as in production, plus two tools that leave a mark outside: one may be repeated, the other must not be. The
 * outside world is a stand-in if its port is given, and may then also answer the calls of the tools of a person.
 */
const log = createLog('warn');
const port = process.env['STAND_IN_PORT'];
const ofPerson = process.env['PERSONAL_TOOLS'] ? personalTools(actAt(`http://127.0.0.1:${port}/`), 'allow') : [];
const tools = [markTool('mark_once', false), markTool('mark_again', true), ...ofPerson];
const purgeEvery = process.env['PURGE_THREADS_EVERY_MS'];
const sweepEvery = process.env['SWEEP_ATTACHMENTS_EVERY_MS'];
const claimSeconds = process.env['CLAIM_SECONDS'];
const engineTimes = JSON.parse(process.env['ENGINE_TIMES'] ?? '{}') as Partial<EngineTimes>;
const app = await startApp(readConfig(), log, {
  tools,
  engineTimes,
  ...(port && { network: networkOf(Number(port)) }),
  ...(sweepEvery && { attachmentSweep: { graceMs: 3_600_000, everyMs: Number(sweepEvery) } }),
  ...(claimSeconds && { chats: { claimSeconds: Number(claimSeconds) } }),
  ...(purgeEvery && { purgeThreadsEveryMs: Number(purgeEvery) }),
});
process.stdout.write(`The gateway is at ${app.gatewayUrl}, the webhook channel at ${app.webhookUrl}\n`);
process.once('SIGTERM', () => void app.close());

/** Reports its run to the test's ledger and then waits, so that it can be killed in between. */
function markTool(name: string, repeatable: boolean): Tool {
  return {
    definition: { name, description: 'Leaves a mark.', parameters: { type: 'object' }, strict: null },
    repeatable,
    flow: { reads: {}, runs: 'always' },
    level: 'allow',
    async call(argumentsJson, { idempotencyKey, signal }) {
      const { ledger, pause = 0 } = JSON.parse(argumentsJson) as { ledger: string; pause?: number };
      await fetch(ledger, { method: 'POST', body: JSON.stringify({ name, key: idempotencyKey }) });
      await sleep(pause, undefined, { signal });
      return 'marked';
    },
  };
}

function actAt(url: string): ActOutside {
  return async (act) => {
    const answer = await fetch(url, { method: 'POST', body: JSON.stringify(act) });
    return (await answer.json()) as ActResult;
  };
}
