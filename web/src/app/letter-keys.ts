import { createChoice } from '../parts/store.ts';

const letterKeys = createChoice('reborn.letter-keys', ['on', 'off']);

/** Whether single letters do something outside of fields. People who speak to their computer press them by accident. */
export const areLettersKeys = (): boolean => letterKeys.get() === 'on';

export const chooseLetterKeys = (on: boolean): void => letterKeys.choose(on ? 'on' : 'off');

export const useLetterKeys = (): boolean => letterKeys.useValue() === 'on';
