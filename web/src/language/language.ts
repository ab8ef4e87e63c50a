import { i18n, type Messages } from '@lingui/core';
import { useSyncExternalStore } from 'react';
import { readStored } from '../parts/store.ts';

/** Each language by its own name, so that people find theirs on a page that they can't read. */
const LANGUAGES = { en: 'English', de: 'Deutsch', nb: 'Norsk bokmål' } as const;

export type Language = keyof typeof LANGUAGES;
export type LanguageChoice = Language | 'browser';

/** For a list to choose from. */
export const LANGUAGE_NAMES: readonly { readonly value: Language; readonly words: string }[] = [
  { value: 'de', words: LANGUAGES.de },
  { value: 'en', words: LANGUAGES.en },
  { value: 'nb', words: LANGUAGES.nb },
];

const KEY = 'reborn.language';
const CATALOGUES: Record<Language, () => Promise<{ readonly messages: Messages }>> = {
  en: () => import('../../locales/en.po'),
  de: () => import('../../locales/de.po'),
  nb: () => import('../../locales/nb.po'),
};

/** Loads the texts. The app must not render before. */
export const startLanguage = (): Promise<void> => show(languageOf(readChoice()));

export async function chooseLanguage(choice: LanguageChoice): Promise<void> {
  if (choice === 'browser') localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, choice);
  await show(languageOf(choice));
}

export const useLanguageChoice = (): LanguageChoice => useSyncExternalStore(listen, readChoice);

/** The language that is shown. */
export const useLanguage = (): string => useSyncExternalStore(listen, () => i18n.locale);

const listen = (listener: () => void) => i18n.on('change', listener);

async function show(language: Language): Promise<void> {
  const { messages } = await CATALOGUES[language]();
  document.documentElement.lang = language;
  document.documentElement.dir = directionOf(language);
  i18n.loadAndActivate({ locale: language, locales: [regionOf(language), language], messages });
}

const languageOf = (choice: LanguageChoice): Language =>
  choice === 'browser' ? pickLanguage(navigator.languages) : choice;

/** The browser's first language that the app has. */
export function pickLanguage(wanted: readonly string[]): Language {
  for (const tag of wanted) {
    const [base = ''] = tag.toLowerCase().split('-');
    const language = NORWEGIAN.has(base) ? 'nb' : base;
    if (isLanguage(language)) return language;
  }
  return 'en';
}

/** Readers of Nynorsk and of "Norwegian" read Bokmål. */
const NORWEGIAN = new Set(['no', 'nn']);

const isLanguage = (value: string | null): value is Language => value !== null && Object.hasOwn(LANGUAGES, value);

/** The browser's variant of the language, such as `en-GB`: it decides how dates and numbers are written. */
const regionOf = (language: Language): string =>
  navigator.languages.find((tag) => tag.toLowerCase().startsWith(`${language}-`)) ?? language;

/** No language of the app is written from right to left yet; the pages are ready for one that is. */
export const directionOf = (language: string): 'ltr' | 'rtl' =>
  /^(?:ar|dv|fa|he|ku|ps|ur|yi)\b/.test(language) ? 'rtl' : 'ltr';

function readChoice(): LanguageChoice {
  const stored = readStored(KEY);
  return isLanguage(stored) ? stored : 'browser';
}
