import type { Citations } from '#domain/search/citations.ts';
import { createCitedText, createSourceList } from '#domain/search/cited-text.ts';

/**
 * Writes what the model says as it comes. Written text can't be taken back: when the answer starts again after a crash,
 * what was written already is left out, as far as it is the same. Sources are numbers, with a list below the message.
 */
export function createSpeaker(write: (text: string) => void) {
  let written = ''; // of the message that is being said
  let skipping = ''; // what a former attempt had written of it
  let spokeBefore = false;
  let cited = citing(undefined);

  function say(delta: string): void {
    if (delta === '') return;
    const before = written;
    written += delta;
    spokeBefore = true;
    if (skipping === '') return write(delta);
    if (skipping.startsWith(written)) return;
    if (written.startsWith(skipping)) write(written.slice(skipping.length));
    else write(`\n\n${before}${delta}`);
    skipping = '';
  }

  return {
    /** `citations`: the sources that the message may cite. */
    begin: (citations?: Citations): void => {
      if (skipping === '' && spokeBefore) write('\n\n');
      written = '';
      cited = citing(citations);
    },
    say: (delta: string): void => say(cited.text.push(delta)),
    /** The message is whole. `citations`: what was found about its markers. */
    finish: (citations?: Citations): void => {
      say(cited.text.end() + cited.list.end(citations));
      cited = citing(undefined);
    },
    /** The message was broken off, and will be repeated. */
    breakOff: (): void => {
      if (written.length > 0 && skipping === '') skipping = written;
      written = '';
    },
    /** Ends the line, if anything was written. */
    end: (): void => {
      if (spokeBefore) write('\n');
    },
  };
}

function citing(citations: Citations | undefined) {
  const list = createSourceList();
  return { list, text: createCitedText(citations, list.show, list.showPage) };
}
