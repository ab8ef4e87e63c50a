import type { Egress } from '#egress/egress.ts';
import { createAskEngine } from './ask-engine.ts';
import { brave } from './engines/brave.ts';
import { exa } from './engines/exa.ts';
import { searxng } from './engines/searxng.ts';
import { tavily } from './engines/tavily.ts';
import { type Search, type SearchChoice, SearchFailed } from './search.ts';

/** The engine that was chosen, and never another one: if it lacks its key or its address, it says so. */
export function openSearch(egress: Pick<Egress, 'send'>, { engine, baseUrl, apiKey }: SearchChoice): Search {
  const ask = createAskEngine(egress);
  if (engine === 'searxng') {
    if (!baseUrl) throw new SearchFailed('SearXNG needs the address of its server.');
    return searxng(ask, baseUrl);
  }
  if (!apiKey) throw new SearchFailed(`${NAMES[engine]} needs a key.`);
  return { brave, tavily, exa }[engine](ask, apiKey);
}

const NAMES = { brave: 'Brave', tavily: 'Tavily', exa: 'Exa' } as const;
