import { expect, test } from 'vitest';
import { freshHome } from '../support/fresh-home.ts';
import { startScriptedModel } from '../support/scripted-model.ts';
import { startService, textOf, type WireResponse } from '../support/service.ts';

/** Ten minutes with one-minute silences; in CI one silence that is long enough for a keepalive. */
const [PIECES, SILENCE_MS] = process.env['ENDURANCE'] ? [11, 60_000] : [1, 16_000];

test(
  'a stream survives long silences and arrives complete',
  async () => {
    const [model, home] = await Promise.all([startScriptedModel(), freshHome()]);
    const llm = { LLM_PROVIDER: 'openai-compatible', LLM_MODEL: 'scripted', LLM_BASE_URL: model.url };
    const service = await startService({ ...home.env, ...llm });

    const response = await service.post({ input: `count ${PIECES} every ${SILENCE_MS}`, stream: true });
    const frames = (await response.text()).split('\n\n');
    const keepalives = frames.filter((frame) => frame === ': keepalive').length;
    const last = frames.findLast((frame) => frame.startsWith('event: response.completed'));
    await service.close();
    await model.close();
    await home.remove();

    expect(frames.filter((frame) => frame.startsWith(':') && frame !== ': keepalive')).toEqual([]);
    expect(keepalives).toBe(Math.floor((PIECES * SILENCE_MS) / 15_000));
    const { response: final } = JSON.parse(last?.split('\ndata: ')[1] ?? '{}') as { response: WireResponse };
    expect(textOf(final)).toBe(Array.from({ length: PIECES }, (_, i) => `${i} `).join(''));
  },
  PIECES * SILENCE_MS + 60_000,
);
