// A Restate workflow that asks the agent, waits for a person, and asks again. Restate remembers how far the workflow is, Reborn
// remembers the conversation. Both can be killed at any moment: a repeated request has the same key, and gets the first answer.
//   PORT=9080 REBORN_URL=http://127.0.0.1:3000 REBORN_TOKEN=... node follow-up.js
import * as restate from '@restatedev/restate-sdk';

const { PORT = '9080', REBORN_URL = 'http://127.0.0.1:3000', REBORN_TOKEN } = process.env;

/** How long to wait for one answer. A request that is cut off is sent again, and waits for the same turn. */
const ANSWER_MS = 120_000;

async function ask(key, question, previous) {
  const response = await fetch(`${REBORN_URL}/api/v1/responses`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${REBORN_TOKEN}`,
      'content-type': 'application/json',
      'idempotency-key': key,
    },
    body: JSON.stringify({ model: 'default', input: question, ...(previous && { previous_response_id: previous }) }),
    signal: AbortSignal.timeout(ANSWER_MS),
  });
  const body = await response.text();
  // Restate repeats a step that throws, unless the error is terminal: this request will never succeed.
  if (isOurFault(response.status)) throw new restate.TerminalError(`The agent refused: ${body}`);
  if (!response.ok) throw new Error(`${response.status}: ${body}`);
  const { id, status, output, error } = JSON.parse(body);
  if (status !== 'completed') throw new restate.TerminalError(`The turn is ${status}: ${error?.message}`);
  const messages = output.filter(({ type }) => type === 'message');
  return { id, text: messages.flatMap(({ content }) => content.map(({ text }) => text)).join('\n') };
}

/** 409: an earlier request with this key has not been stored yet. 429: too many at the moment. */
const isOurFault = (status) => status >= 400 && status < 500 && ![408, 409, 429].includes(status);

const followUp = restate.workflow({
  name: 'followUp',
  handlers: {
    run: async (context, { question }) => {
      const first = await context.run('ask', () => ask(`${context.key} 1`, question));
      const reply = await context.promise('reply'); // for minutes or weeks: nothing runs meanwhile
      const second = await context.run('ask again', () => ask(`${context.key} 2`, reply, first.id));
      return [first, second];
    },
    /** What the person says to the first answer. */
    reply: (context, text) => context.promise('reply').resolve(text),
  },
});

await restate.serve({ services: [followUp], port: Number(PORT) });
