// A conversation with OpenAI's SDK. The service keeps the history: each request only refers to the previous response.
//   node examples/sdk-chat/chat.ts "My name is Ann." "What did I just say?"
import OpenAI from 'openai';

const client = new OpenAI({
  baseURL: `${process.env['REBORN_URL'] ?? 'http://127.0.0.1:3000'}/api/v1`,
  apiKey: process.env['REBORN_TOKEN'],
});

let previous: string | undefined;
for (const question of process.argv.slice(2)) {
  process.stdout.write(`> ${question}\n`);
  const stream = await client.responses.create({
    model: 'default',
    input: question,
    stream: true,
    ...(previous !== undefined && { previous_response_id: previous }),
  });
  // By item: after a crash, an item ends as incomplete, and its text comes again in another one.
  const texts = new Map<string, string>();
  for await (const event of stream) {
    if (event.type === 'response.output_text.delta')
      texts.set(event.item_id, (texts.get(event.item_id) ?? '') + event.delta);
    if (
      event.type === 'response.output_item.done' &&
      event.item.type === 'message' &&
      event.item.status === 'incomplete'
    )
      texts.delete(event.item.id);
    if (event.type === 'response.completed') previous = event.response.id;
  }
  process.stdout.write(`${[...texts.values()].join('\n\n')}\n`);
}
