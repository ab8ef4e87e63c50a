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
  for await (const event of stream) {
    if (event.type === 'response.output_text.delta') process.stdout.write(event.delta);
    if (event.type === 'response.completed') previous = event.response.id;
  }
  process.stdout.write('\n');
}
