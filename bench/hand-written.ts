import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { createUIMessageStreamResponse, generateText, streamText, toUIMessageStream } from 'ai';
import Fastify from 'fastify';

// The baseline of bench/turns.ts: the minimum that gives the same answer, without storage or users.
const provider = createOpenAICompatible({ name: 'scripted', baseURL: process.env['MODEL_URL'] ?? '', apiKey: 'none' });
const app = Fastify();

app.post<{ Body: { input: string; stream: boolean } }>('/', async ({ body }, reply) => {
  const prompt = { model: provider('scripted'), prompt: body.input };
  if (!body.stream) return { text: (await generateText(prompt)).text };
  const stream = toUIMessageStream({ stream: streamText(prompt).stream });
  return reply.header('content-type', 'text/event-stream').send(createUIMessageStreamResponse({ stream }).body);
});

process.stdout.write(`${await app.listen({ port: Number(process.env['PORT'] ?? 0), host: '127.0.0.1' })}\n`);
