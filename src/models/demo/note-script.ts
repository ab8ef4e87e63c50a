import { describeResult, fieldsOf, findTool, isDenied, type Script } from './scene.ts';

/** Saves a note, and asks first. */
export const noteScript: Script = {
  asks: [
    { language: 'en', words: /^save a note that (.+?),? and ask me first\.?$/is },
    { language: 'de', words: /^speichere eine notiz, dass (.+?),? und frag mich vorher\.?$/is },
    { language: 'nb', words: /^lagre et notat om at (.+?),? og spør meg først\.?$/is },
  ],
  next(scene, { language, groups: [fact = ''] }) {
    if (!findTool(scene, 'memory_write')) return NO_MEMORY[language];
    const result = scene.results.at(-1);
    if (!result) return { name: 'memory_write', given: { path: pathOf(fact), text: sentence(fact), ask_first: true } };
    if (isDenied(result)) return DENIED[language];
    return fieldsOf(result) ? SAVED[language](sentence(fact)) : describeResult(result);
  },
};

const sentence = (fact: string) => `${fact.charAt(0).toUpperCase()}${fact.slice(1)}.`;

const pathOf = (fact: string) =>
  `notes/${fact
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .slice(0, 40)
    .replaceAll(/^-|-$/g, '')}`;

const SAVED = {
  en: (text: string) =>
    `Saved: “${text}” I asked first, and nothing was written before you approved it. The note is in Memory, where you can change it or delete it.`,
  de: (text: string) =>
    `Gespeichert: „${text}“ Ich habe vorher gefragt, und bis zu deiner Freigabe wurde nichts geschrieben. Die Notiz steht im Gedächtnis; dort kannst du sie ändern oder löschen.`,
  nb: (text: string) =>
    `Lagret: «${text}» Jeg spurte først, og ingenting ble skrevet før du godkjente det. Notatet står under Minne, der du kan endre eller slette det.`,
};

const DENIED = {
  en: 'You denied it, so nothing was saved.',
  de: 'Du hast abgelehnt, also wurde nichts gespeichert.',
  nb: 'Du avslo det, så ingenting ble lagret.',
};

const NO_MEMORY = {
  en: "I have no memory here, so I can't save a note.",
  de: 'Ich habe hier keinen Speicher für Notizen und kann keine anlegen.',
  nb: 'Jeg har ikke noe minne her, så jeg kan ikke lagre et notat.',
};
