import type { ToolCard } from '#domain/tool/call-card.ts';
import { field, says, words } from './card-words.ts';

export const otherCards: Readonly<Record<string, ToolCard>> = {
  reborn_time: {
    templates: [
      says(
        words('Tell the time in {time_zone}?', 'Die Zeit in {time_zone} sagen?', 'Si hva klokken er i {time_zone}?'),
        words(
          '**Told** the time in {time_zone}',
          '**Zeit gesagt** in {time_zone}',
          '**Sa** hva klokken er i {time_zone}',
        ),
      ),
      says(
        words('Tell the time?', 'Die Zeit sagen?', 'Si hva klokken er?'),
        words('**Told** the time', '**Zeit gesagt**', '**Sa** hva klokken er'),
      ),
    ],
    fields: [field('time_zone', words('Time zone', 'Zeitzone', 'Tidssone'), 'exact')],
  },
  reborn_agent_run: {
    templates: [
      says(
        words(
          'Give a task to a subagent: {task}?',
          'Einem Helfer eine Aufgabe geben: {task}?',
          'Gi en oppgave til en hjelper: {task}?',
        ),
        words('**Delegated:** {task}', '**Übertragen:** {task}', '**Delegerte:** {task}'),
      ),
    ],
    fields: [
      field('task', words('Task', 'Aufgabe', 'Oppgave'), 'text'),
      field('assistant', words('Assistant', 'Assistent', 'Assistent'), 'exact'),
      field('budget', words('Most tokens', 'Höchstens Tokens', 'Høyst tokener'), 'exact'),
    ],
  },
  reborn_tool_search: {
    templates: [
      says(
        words('Search for tools: {query}?', 'Nach Werkzeugen suchen: {query}?', 'Søke etter verktøy: {query}?'),
        words('**Searched** for tools: {query}', '**Werkzeuge gesucht:** {query}', '**Søkte** etter verktøy: {query}'),
      ),
    ],
    fields: [field('query', words('Query', 'Suche', 'Søk'), 'text')],
  },
  skill_list: {
    templates: [
      says(
        words('List your skills?', 'Deine Fähigkeiten auflisten?', 'Liste ferdighetene dine?'),
        words('**Listed** your skills', '**Fähigkeiten aufgelistet**', '**Listet** ferdighetene dine'),
      ),
    ],
    fields: [],
  },
  skill_read: {
    templates: [
      says(
        words('Read the skill {name}?', 'Die Fähigkeit {name} lesen?', 'Lese ferdigheten {name}?'),
        words('**Read** the skill {name}', '**Fähigkeit gelesen:** {name}', '**Leste** ferdigheten {name}'),
      ),
    ],
    fields: [
      field('name', words('Skill', 'Fähigkeit', 'Ferdighet'), 'text'),
      field('file', words('File', 'Datei', 'Fil'), 'exact'),
    ],
  },
};
