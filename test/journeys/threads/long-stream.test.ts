import { expect } from 'vitest';
import { journey } from '../../support/journey.ts';
import { textOf, type WireResponse } from '../../support/service.ts';

const test = journey();

/** Ten minutes with one-minute silences; in CI one silence that is long enough for a keepalive. */
const [PIECES, SILENCE_MS] = process.env['ENDURANCE'] ? [11, 60_000] : [1, 16_000];

test(
  'a stream survives long silences and arrives complete',
  async ({ service }) => {
    const response = await service.post({ input: `count ${PIECES} every ${SILENCE_MS}`, stream: true });
    const frames = (await response.text()).split('\n\n');
    const keepalives = frames.filter((frame) => frame === ': keepalive').length;
    const last = frames.findLast((frame) => frame.startsWith('event: response.completed'));

    expect(frames.filter((frame) => frame.startsWith(':') && frame !== ': keepalive')).toEqual([]);
    expect(keepalives).toBe(Math.floor((PIECES * SILENCE_MS) / 15_000));
    const { response: final } = JSON.parse(last?.split('\ndata: ')[1] ?? '{}') as { response: WireResponse };
    expect(textOf(final)).toBe(Array.from({ length: PIECES }, (_, i) => `${i} `).join(''));
  },
  PIECES * SILENCE_MS + 60_000,
);
