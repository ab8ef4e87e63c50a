import type { CallField, CallTemplate, ToolCard, ValueKind, Words } from '#domain/tool/call-card.ts';

/**
 * How the calls of the built-in tools read on a card. Sentences name what decides about a call: never the words that the model gives it,
 * such as the title of code.
 */
export const BUILTIN_CARDS: ReadonlyMap<string, ToolCard> = new Map(Object.entries(cards()));

function cards(): Record<string, ToolCard> {
  return { ...memoryCards(), ...missionCards(), ...fileCards(), ...codeCards(), ...webCards(), ...otherCards() };
}

function memoryCards(): Record<string, ToolCard> {
  const path = field('path', words('Note', 'Notiz', 'Notat'), 'exact');
  return {
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
      fields: [path, field('text', words('Text', 'Text', 'Tekst'), 'text')],
    },
    memory_delete: {
      templates: [
        says(
          words(
            'Delete the note {path} for good?',
            'Die Notiz {path} endgültig löschen?',
            'Slette notatet {path} for godt?',
          ),
          words('**Note deleted:** {path}', '**Notiz gelöscht:** {path}', '**Notat slettet:** {path}'),
        ),
      ],
      fields: [path],
    },
  };
}

function missionCards(): Record<string, ToolCard> {
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
  return {
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
}

function fileCards(): Record<string, ToolCard> {
  const path = field('path', words('File', 'Datei', 'Fil'), 'exact');
  const text = field('text', words('Text', 'Text', 'Tekst'), 'text');
  const pages = field('pages', words('Pages', 'Seiten', 'Sider'), 'exact');
  const only = field('file', words('File', 'Datei', 'Fil'), 'exact');
  return {
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
}

function codeCards(): Record<string, ToolCard> {
  const title = field('title', words('Title', 'Titel', 'Tittel'), 'text');
  const seconds = field('timeout_s', words('Seconds', 'Sekunden', 'Sekunder'));
  const network = field('network', words('Network', 'Netz', 'Nettverk'));
  const ran = words(
    '**Ran** the command {command}',
    '**Befehl ausgeführt:** {command}',
    '**Kjørte** kommandoen {command}',
  );
  const ranPython = words('**Ran** Python code', '**Python-Code ausgeführt**', '**Kjørte** Python-kode');
  return {
    reborn_shell: {
      templates: [
        says(
          words(
            'Run the command {command}, with access to the network?',
            'Den Befehl {command} mit Zugang zum Netz ausführen?',
            'Kjøre kommandoen {command} med tilgang til nettet?',
          ),
          ran,
          { path: 'network', value: true },
        ),
        says(
          words(
            'Run the command {command} in the sandbox?',
            'Den Befehl {command} in der Sandbox ausführen?',
            'Kjøre kommandoen {command} i sandkassen?',
          ),
          ran,
        ),
      ],
      fields: [title, field('command', words('Command', 'Befehl', 'Kommando'), 'code'), seconds, network],
    },
    reborn_python: {
      templates: [
        says(
          words(
            'Run Python code with access to the network?',
            'Python-Code mit Zugang zum Netz ausführen?',
            'Kjøre Python-kode med tilgang til nettet?',
          ),
          ranPython,
          { path: 'network', value: true },
        ),
        says(
          words(
            'Run Python code in the sandbox?',
            'Python-Code in der Sandbox ausführen?',
            'Kjøre Python-kode i sandkassen?',
          ),
          ranPython,
        ),
      ],
      fields: [
        title,
        field('code', words('Code', 'Code', 'Kode'), 'code'),
        seconds,
        field('reset', words('New start', 'Neustart', 'Ny start')),
        network,
      ],
    },
  };
}

function webCards(): Record<string, ToolCard> {
  const source = field('source', words('Source', 'Quelle', 'Kilde'));
  return {
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
}

function otherCards(): Record<string, ToolCard> {
  return {
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
    reborn_tool_search: {
      templates: [
        says(
          words('Search for tools: {query}?', 'Nach Werkzeugen suchen: {query}?', 'Søke etter verktøy: {query}?'),
          words(
            '**Searched** for tools: {query}',
            '**Werkzeuge gesucht:** {query}',
            '**Søkte** etter verktøy: {query}',
          ),
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
}

function words(en: string, de: string, nb: string): Words {
  return { en, de, nb };
}

function says(ask: Words, did: Words, when?: CallTemplate['when']): CallTemplate {
  return { ask, did, ...(when && { when }) };
}

function field(path: string, label: Words, kind?: ValueKind): CallField {
  return { path, label, ...(kind && { kind }) };
}
