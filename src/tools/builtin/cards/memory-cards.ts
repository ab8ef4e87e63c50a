import type { ToolCard } from '#domain/tool/call-card.ts';
import { field, says, words } from './card-words.ts';

const path = field('path', words('Note', 'Notiz', 'Notat'), 'exact');

export const memoryCards: Readonly<Record<string, ToolCard>> = {
  memory_search: {
    templates: [
      says(
        words(
          'Search your notes for {query}?',
          'Deine Notizen nach {query} durchsuchen?',
          'Søke i notatene dine etter {query}?',
        ),
        words(
          '**Searched** your notes for {query}',
          '**Notizen durchsucht** nach {query}',
          '**Søkte** i notatene etter {query}',
        ),
      ),
    ],
    fields: [field('query', words('Query', 'Suche', 'Søk')), field('limit', words('At most', 'Höchstens', 'Høyst'))],
  },
  memory_read: {
    templates: [
      says(
        words('Read your note {path}?', 'Deine Notiz {path} lesen?', 'Lese notatet ditt {path}?'),
        words('**Read** your note {path}', '**Notiz gelesen:** {path}', '**Leste** notatet {path}'),
      ),
    ],
    fields: [path],
  },
  memory_write: {
    templates: [
      says(
        words('Save the note {path}?', 'Die Notiz {path} speichern?', 'Lagre notatet {path}?'),
        words('**Note saved:** {path}', '**Notiz gespeichert:** {path}', '**Notat lagret:** {path}'),
      ),
    ],
    fields: [
      path,
      field('text', words('Text', 'Text', 'Tekst'), 'text'),
      field('ask_first', words('Asks first', 'Fragt vorher', 'Spør først')),
    ],
  },
  memory_delete: {
    templates: [
      says(
        words('Delete the note {path}?', 'Die Notiz {path} löschen?', 'Slette notatet {path}?'),
        words('**Note deleted:** {path}', '**Notiz gelöscht:** {path}', '**Notat slettet:** {path}'),
      ),
    ],
    fields: [path],
  },
};
