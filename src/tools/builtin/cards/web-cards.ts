import type { ToolCard } from '#domain/tool/call-card.ts';
import { field, says, words } from './card-words.ts';

const source = field('source', words('Source', 'Quelle', 'Kilde'));

export const webCards: Readonly<Record<string, ToolCard>> = {
  reborn_web_fetch: {
    templates: [
      says(
        words('Open a page of {url|host}?', 'Eine Seite von {url|host} öffnen?', 'Åpne en side hos {url|host}?'),
        words(
          '**Opened** a page of {url|host}',
          '**Seite geöffnet** von {url|host}',
          '**Åpnet** en side hos {url|host}',
        ),
      ),
      says(
        words('Read more of source {source}?', 'Mehr von Quelle {source} lesen?', 'Lese mer av kilde {source}?'),
        words(
          '**Read** more of source {source}',
          '**Weitergelesen** in Quelle {source}',
          '**Leste** mer av kilde {source}',
        ),
      ),
    ],
    fields: [
      field('url', words('Address', 'Adresse', 'Adresse'), 'exact'),
      source,
      field('part', words('Part', 'Teil', 'Del')),
      field('find', words('Find', 'Suche', 'Finn'), 'text'),
      field('from', words('From', 'Ab', 'Fra')),
      field('page', words('Page', 'Seite', 'Side')),
      field('max_bytes', words('At most, bytes', 'Höchstens, Bytes', 'Høyst, byte')),
    ],
  },
  reborn_web_search: {
    templates: [
      says(
        words('Search the web for {queries}?', 'Im Web nach {queries} suchen?', 'Søke på nettet etter {queries}?'),
        words(
          '**Searched** the web for {queries}',
          '**Im Web gesucht** nach {queries}',
          '**Søkte** på nettet etter {queries}',
        ),
      ),
    ],
    fields: [
      field('queries', words('Queries', 'Suchen', 'Søk'), 'text'),
      field('freshness', words('Not older than', 'Nicht älter als', 'Ikke eldre enn')),
      field('only', words('Only at', 'Nur bei', 'Bare hos'), 'exact'),
    ],
  },
};
