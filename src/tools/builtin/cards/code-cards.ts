import type { ToolCard } from '#domain/tool/call-card.ts';
import { field, says, words } from './card-words.ts';

const title = field('title', words('Title', 'Titel', 'Tittel'), 'text');
const seconds = field('timeout_s', words('Seconds', 'Sekunden', 'Sekunder'));
const network = field('network', words('Network', 'Netz', 'Nettverk'));
const ran = words(
  '**Ran** the command {command}',
  '**Befehl ausgeführt:** {command}',
  '**Kjørte** kommandoen {command}',
);
const ranPython = words('**Ran** Python code', '**Python-Code ausgeführt**', '**Kjørte** Python-kode');

export const codeCards: Readonly<Record<string, ToolCard>> = {
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
