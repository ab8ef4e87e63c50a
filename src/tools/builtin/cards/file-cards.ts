import type { ToolCard } from '#domain/tool/call-card.ts';
import { field, says, words } from './card-words.ts';

const path = field('path', words('File', 'Datei', 'Fil'), 'exact');
const text = field('text', words('Text', 'Text', 'Tekst'), 'text');
const pages = field('pages', words('Pages', 'Seiten', 'Sider'), 'exact');
const only = field('file', words('File', 'Datei', 'Fil'), 'exact');

export const fileCards: Readonly<Record<string, ToolCard>> = {
  reborn_file_list: {
    templates: [
      says(
        words('List the files {pattern}?', 'Die Dateien {pattern} auflisten?', 'Liste filene {pattern}?'),
        words('**Listed** the files {pattern}', '**Dateien aufgelistet:** {pattern}', '**Listet** filene {pattern}'),
      ),
      says(
        words(
          'List the files of this conversation?',
          'Die Dateien dieser Unterhaltung auflisten?',
          'Liste filene i denne samtalen?',
        ),
        words('**Listed** the files', '**Dateien aufgelistet**', '**Listet** filene'),
      ),
    ],
    fields: [field('pattern', words('Pattern', 'Muster', 'Mønster'), 'exact')],
  },
  reborn_file_read: {
    templates: [
      says(
        words('Read the file {path}?', 'Die Datei {path} lesen?', 'Lese filen {path}?'),
        words('**Read** {path}', '**Gelesen:** {path}', '**Leste** {path}'),
      ),
    ],
    fields: [
      path,
      field('from_line', words('From line', 'Ab Zeile', 'Fra linje')),
      field('lines', words('Lines', 'Zeilen', 'Linjer')),
      pages,
    ],
  },
  reborn_file_write: {
    templates: [
      says(
        words(
          'Write the file {path}, and replace what is there?',
          'Die Datei {path} schreiben und ersetzen, was dort ist?',
          'Skrive filen {path} og erstatte det som er der?',
        ),
        words('**File written:** {path}', '**Datei geschrieben:** {path}', '**Fil skrevet:** {path}'),
      ),
    ],
    fields: [path, text],
  },
  reborn_file_edit: {
    templates: [
      says(
        words(
          'Replace this text everywhere in the file {path}?',
          'Diesen Text überall in der Datei {path} ersetzen?',
          'Erstatte denne teksten overalt i filen {path}?',
        ),
        words('**File changed:** {path}', '**Datei geändert:** {path}', '**Fil endret:** {path}'),
        { path: 'all', value: true },
      ),
      says(
        words('Change the file {path}?', 'Die Datei {path} ändern?', 'Endre filen {path}?'),
        words('**File changed:** {path}', '**Datei geändert:** {path}', '**Fil endret:** {path}'),
      ),
    ],
    fields: [
      path,
      field('old', words('Old text', 'Alter Text', 'Gammel tekst'), 'code'),
      field('new', words('New text', 'Neuer Text', 'Ny tekst'), 'code'),
      field('all', words('Everywhere', 'Überall', 'Overalt')),
    ],
  },
  reborn_file_find: {
    templates: [
      says(
        words('Search the files for {text}?', 'Die Dateien nach {text} durchsuchen?', 'Søke i filene etter {text}?'),
        words(
          '**Searched** the files for {text}',
          '**Dateien durchsucht** nach {text}',
          '**Søkte** i filene etter {text}',
        ),
      ),
      says(
        words(
          'Search the files for the pattern {pattern}?',
          'Die Dateien nach dem Muster {pattern} durchsuchen?',
          'Søke i filene etter mønsteret {pattern}?',
        ),
        words(
          '**Searched** the files for {pattern}',
          '**Dateien durchsucht** nach {pattern}',
          '**Søkte** i filene etter {pattern}',
        ),
      ),
    ],
    fields: [text, field('pattern', words('Pattern', 'Muster', 'Mønster'), 'exact'), path],
  },
  reborn_file_present: {
    templates: [
      says(
        words('Show you {paths}?', 'Dir {paths} zeigen?', 'Vise deg {paths}?'),
        words('**Showed** {paths}', '**Gezeigt:** {paths}', '**Viste** {paths}'),
      ),
    ],
    fields: [
      field('paths', words('Files', 'Dateien', 'Filer'), 'exact'),
      field('title', words('Title', 'Titel', 'Tittel'), 'text'),
    ],
  },
  reborn_document_search: {
    templates: [
      says(
        words(
          'Search the documents for {query}?',
          'Die Dokumente nach {query} durchsuchen?',
          'Søke i dokumentene etter {query}?',
        ),
        words(
          '**Searched** the documents for {query}',
          '**Dokumente durchsucht** nach {query}',
          '**Søkte** i dokumentene etter {query}',
        ),
      ),
    ],
    fields: [field('query', words('Query', 'Suche', 'Søk')), only],
  },
  reborn_document_read: {
    templates: [
      says(
        words('Read the document {file}?', 'Das Dokument {file} lesen?', 'Lese dokumentet {file}?'),
        words('**Read** {file}', '**Gelesen:** {file}', '**Leste** {file}'),
      ),
    ],
    fields: [only, pages],
  },
};
