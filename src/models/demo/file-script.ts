import { cut } from '#domain/text/cut.ts';
import { isTextType } from '#domain/text/media-type.ts';
import { wrappedIn } from '#domain/text/untrusted.ts';
import type { Scene, Script } from './scene.ts';

/** Reads out the beginning of a file that came with the message. */
export const fileScript: Script = {
  asks: [
    { language: 'en', words: /^what is in this file\b/i },
    { language: 'de', words: /^was steht in dieser datei\b/i },
    { language: 'nb', words: /^hva står i denne filen\b/i },
  ],
  next(scene, { language }) {
    const file = readFile(scene);
    if (!file) return NO_FILE[language];
    if (file.text === undefined) return UNREADABLE[language](file.name);
    const lines = file.text.trim().split(/\s*\n\s*/);
    return READ[language](file.name, lines.length, cut(lines.slice(0, 3).join(' / '), 300));
  },
};

type ReadFile = { readonly name: string; readonly text: string | undefined };

/** A document comes as the text that the service has read from it. */
function readFile({ content }: Scene): ReadFile | undefined {
  for (const part of content) {
    if (part.type === 'text') {
      const [document] = wrappedIn(part.text);
      if (document) return { name: document.source, text: document.text };
      continue;
    }
    const isText = isTextType(part.mediaType);
    const text = isText ? Buffer.from(part.base64, 'base64').toString('utf8') : undefined;
    return { name: ('filename' in part && part.filename) || part.mediaType, text };
  }
  return undefined;
}

const READ = {
  en: (name: string, lines: number, start: string) =>
    `${name} has ${lines} ${lines === 1 ? 'line' : 'lines'} of text. It begins: “${start}” A real model answers questions about it: add one in Settings, Models.`,
  de: (name: string, lines: number, start: string) =>
    `${name} hat ${lines} ${lines === 1 ? 'Zeile' : 'Zeilen'} Text. So beginnt die Datei: „${start}“ Ein echtes Modell beantwortet Fragen dazu: Füge eines unter Einstellungen, Modelle hinzu.`,
  nb: (name: string, lines: number, start: string) =>
    `${name} har ${lines} ${lines === 1 ? 'linje' : 'linjer'} tekst. Den begynner slik: «${start}» En ekte modell svarer på spørsmål om den: legg til en under Innstillinger, Modeller.`,
};

const UNREADABLE = {
  en: (name: string) => `I see ${name}, but the demo model reads text only. Add a real model in Settings, Models.`,
  de: (name: string) =>
    `Ich sehe ${name}, aber das Demo-Modell liest nur Text. Füge unter Einstellungen, Modelle ein echtes Modell hinzu.`,
  nb: (name: string) =>
    `Jeg ser ${name}, men demomodellen leser bare tekst. Legg til en ekte modell under Innstillinger, Modeller.`,
};

const NO_FILE = {
  en: 'There is no file with this message. Attach one with the button below the message, or drop it on the page, and ask again.',
  de: 'Bei dieser Nachricht ist keine Datei. Hänge eine mit dem Knopf unter der Nachricht an oder zieh sie auf die Seite, und frag noch einmal.',
  nb: 'Det er ingen fil med denne meldingen. Legg ved en med knappen under meldingen, eller slipp den på siden, og spør igjen.',
};
