import type { ToolCard } from '#domain/tool/call-card.ts';
import { field, says, words } from './card-words.ts';

const id = field('id', words('Mission', 'Auftrag', 'Oppdrag'), 'exact');
const name = field('name', words('Name', 'Name', 'Navn'), 'text');
const schedule = [
  field('schedule', words('Schedule', 'Zeitplan', 'Tidsplan')),
  field('schedule.cron', words('Cron', 'Cron', 'Cron'), 'exact'),
  field('schedule.every_minutes', words('Minutes', 'Minuten', 'Minutter')),
  field('schedule.at', words('At', 'Um', 'Tid'), 'exact'),
  field('schedule.time_zone', words('Time zone', 'Zeitzone', 'Tidssone'), 'exact'),
  field('schedule_words', words('In words', 'In Worten', 'Med ord'), 'text'),
  field('next_times', words('Next runs', 'Nächste Läufe', 'Neste kjøringer'), 'time'),
];
const content = [name, field('instruction', words('Task', 'Aufgabe', 'Oppgave'), 'text'), ...schedule];
const created = words('**Mission created:** {name}', '**Auftrag angelegt:** {name}', '**Oppdrag opprettet:** {name}');
const changed = words('**Mission changed:** {id}', '**Auftrag geändert:** {id}', '**Oppdrag endret:** {id}');

export const missionCards: Readonly<Record<string, ToolCard>> = {
  mission_preview: {
    templates: [
      says(
        words('Check a schedule?', 'Einen Zeitplan prüfen?', 'Sjekke en tidsplan?'),
        words('**Checked** a schedule', '**Zeitplan geprüft**', '**Sjekket** en tidsplan'),
      ),
    ],
    fields: schedule,
  },
  mission_list: {
    templates: [
      says(
        words('List your missions?', 'Deine Aufträge auflisten?', 'Liste oppdragene dine?'),
        words('**Listed** your missions', '**Aufträge aufgelistet**', '**Listet** oppdragene dine'),
      ),
    ],
    fields: [],
  },
  mission_create: {
    templates: [
      says(
        words(
          'Create the mission {name}, with its first run on {next_times.0}?',
          'Den Auftrag {name} anlegen, mit dem ersten Lauf am {next_times.0}?',
          'Opprette oppdraget {name}, med første kjøring {next_times.0}?',
        ),
        created,
      ),
      says(words('Create the mission {name}?', 'Den Auftrag {name} anlegen?', 'Opprette oppdraget {name}?'), created),
    ],
    fields: [...content, field('next_times.0', words('First run', 'Erster Lauf', 'Første kjøring'), 'time')],
  },
  mission_update: {
    templates: [
      says(
        words(
          'Rename the mission {id} to {name}?',
          'Den Auftrag {id} in {name} umbenennen?',
          'Gi oppdraget {id} navnet {name}?',
        ),
        changed,
      ),
      says(words('Change the mission {id}?', 'Den Auftrag {id} ändern?', 'Endre oppdraget {id}?'), changed),
    ],
    fields: [id, ...content],
  },
  mission_pause: {
    templates: [
      says(
        words('Pause the mission {id}?', 'Den Auftrag {id} anhalten?', 'Sette oppdraget {id} på pause?'),
        words('**Mission paused:** {id}', '**Auftrag angehalten:** {id}', '**Oppdrag satt på pause:** {id}'),
        { path: 'paused', value: true },
      ),
      says(
        words('Resume the mission {id}?', 'Den Auftrag {id} fortsetzen?', 'Gjenoppta oppdraget {id}?'),
        words('**Mission resumed:** {id}', '**Auftrag fortgesetzt:** {id}', '**Oppdrag gjenopptatt:** {id}'),
        { path: 'paused', value: false },
      ),
    ],
    fields: [id, field('paused', words('Paused', 'Angehalten', 'På pause'))],
  },
  mission_run: {
    templates: [
      says(
        words('Run the mission {id} now?', 'Den Auftrag {id} jetzt ausführen?', 'Kjøre oppdraget {id} nå?'),
        words('**Mission started:** {id}', '**Auftrag gestartet:** {id}', '**Oppdrag startet:** {id}'),
      ),
    ],
    fields: [id],
  },
  mission_delete: {
    templates: [
      says(
        words(
          'Delete the mission {id} and its list of runs for good?',
          'Den Auftrag {id} und die Liste seiner Läufe endgültig löschen?',
          'Slette oppdraget {id} og listen over kjøringer for godt?',
        ),
        words('**Mission deleted:** {id}', '**Auftrag gelöscht:** {id}', '**Oppdrag slettet:** {id}'),
      ),
    ],
    fields: [id],
  },
};
