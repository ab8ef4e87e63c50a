import type { FailureDetails, TurnFailure } from '@reborn-agent/client/api';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { FAILURE_CODES } from '#channels/model-api/turn-failure.ts';
import { FAILURE_DETAILS } from '#domain/failure/failure-details.ts';
import { activateLanguage, importAppModule } from '../web/app-module.ts';

type Words = {
  sentencesOf: (failure: TurnFailure) => { readonly fact: string; readonly next?: string };
  wordsOfFailure: (failure: TurnFailure) => string;
};

const SAMPLES = { text: 'Sample', number: 2472, unit: 'tokens', time: '2026-11-19T00:00:00Z' } as const;

const DETAILS = Object.entries(FAILURE_DETAILS).map(([code, values]) => {
  const filled = Object.entries(values).map(([name, kind]) => [name, SAMPLES[kind]]);
  return { code, values: Object.fromEntries(filled) } as unknown as FailureDetails;
});

const MESSAGE = 'The English message of the service.';

let words: Words;
let missions: { reasonOf: (run: { status: string; reason: string }) => string | undefined };
beforeAll(async () => {
  words = await importAppModule<Words>('src/failures/failure-words.ts');
  missions = await importAppModule('src/missions/mission-words.ts');
});

const saidOf = (details: FailureDetails) => words.wordsOfFailure({ code: 'model_error', message: MESSAGE, details });

const said = new Map<string, readonly string[]>();

describe.each(['en', 'de', 'nb'])('in %s', (language) => {
  beforeEach(() => activateLanguage(language));

  test('every reason that the service sends has a sentence with its values, and without its English message', () => {
    const sentences = DETAILS.map(saidOf);

    expect(DETAILS.filter(({ code }, index) => sentences[index]?.includes(`(${code})`))).toEqual([]);
    expect(sentences.filter((sentence) => sentence.includes(MESSAGE) || /undefined|\{|\}/.test(sentence))).toEqual([]);
    const nameless = DETAILS.filter(({ values }, index) => {
      const names = Object.values(values).filter((value) => value === SAMPLES.text);
      return names.length > (sentences[index]?.split(SAMPLES.text).length ?? 0) - 1;
    });
    expect(nameless).toEqual([]);
    said.set(language, sentences);
  });

  test('every code of a failed turn has a sentence', () => {
    const sentences = FAILURE_CODES.map((code) => words.wordsOfFailure({ code, message: MESSAGE }));
    const isGeneral = (code: string) => words.wordsOfFailure({ code, message: '' }).includes(`(${code})`);
    expect(FAILURE_CODES.filter(isGeneral)).toEqual([]);
    expect(sentences.filter((sentence) => sentence === '')).toEqual([]);
  });

  test('every code of a failed turn is a reason of a run of a mission', () => {
    const said = FAILURE_CODES.map((reason) => missions.reasonOf({ status: 'failed', reason }));
    expect(said.filter((words, index) => !words || words.includes(`(${FAILURE_CODES[index]})`))).toEqual([]);
    expect(missions.reasonOf({ status: 'failed', reason: 'not_a_code' })).toContain('(not_a_code)');
  });

  test('a code that this page does not know has a general sentence that names it', () => {
    expect(saidOf({ code: 'not.a.code', values: {} } as unknown as FailureDetails)).toContain('(not.a.code)');
  });
});

test('no language repeats a sentence of English', () => {
  const english = new Set(said.get('en'));
  expect(english.size).toBe(DETAILS.length);
  for (const language of ['de', 'nb'])
    expect(said.get(language)?.filter((sentence) => english.has(sentence))).toEqual([]);
});

test('amounts and times are written as the language writes them', async () => {
  const values = { used: 2472, limit: 2000, unit: 'tokens', resets: '2027-01-01T00:00:00Z' } as const;
  await activateLanguage('de');
  expect(saidOf({ code: 'limit.day', values })).toMatch(
    /^Dein Limit für heute ist erreicht: 2\.472 von 2\.000 Token\. Es geht am \d+\.\d+\.202\d, \d\d:\d\d weiter\.$/,
  );
  expect(saidOf({ code: 'limit.day', values: { ...values, used: 2.509, limit: 2.5, unit: 'usd' } })).toContain(
    '2,51\u00a0$ von 2,50\u00a0$',
  );
});
