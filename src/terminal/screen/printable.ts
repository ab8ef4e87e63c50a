/**
 * Text as it may be shown. Text by a model or a tool must not steer the terminal, nor turn the order of letters
 * around in a sentence that a person is asked to approve.
 */
export function printable(text: string): string {
  return text.replace(/\r\n?/g, '\n').replaceAll('\t', '    ').replace(HARMFUL, '');
}

/** The same on one line. */
export const oneLine = (text: string): string => printable(text).replace(/\s+/g, ' ').trim();

// oxlint-disable-next-line no-control-regex -- these are what it is about
const HARMFUL = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;
