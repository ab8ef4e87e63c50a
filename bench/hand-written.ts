import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { createUIMessageStreamResponse, streamText, toUIMessageStream } from 'ai';
import Fastify from 'fastify';

// The baseline of bench/turns.ts: the minimum that gives the same answer, without storage or users.
const provider = createOpenAICompatible({ name: 'scripted', baseURL: process.env['MODEL_URL'] ?? '', apiKey: 'none' });
const app = Fastify();

app.post<{ Body: { input: string; stream: boolean } }>('/', async ({ body }, reply) => {
  const answer = streamText({ model: provider('scripted'), prompt: body.input });
  return body.stream
    ? reply
        .header('content-type', 'text/event-stream')
        .send(createUIMessageStreamResponse({ stream: toUIMessageStream({ stream: answer.stream }) }).body)
    : { text: await answer.text };
});

process.stdout.write(`${await app.listen({ port: 0, host: '127.0.0.1' })}\n`);
