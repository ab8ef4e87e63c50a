/**
 * Writes what the model says as it comes. Written text can't be taken back: when the answer starts again after a crash,
 * what was written already is left out, as far as it is the same.
 */
export function createSpeaker(write: (text: string) => void) {
  let written = ''; // of the message that is being said
  let skipping = ''; // what a former attempt had written of it
  let spokeBefore = false;

  return {
    begin: (): void => {
      if (skipping === '' && spokeBefore) write('\n\n');
      written = '';
    },
    say: (delta: string): void => {
      const before = written;
      written += delta;
      spokeBefore = true;
      if (skipping === '') return write(delta);
      if (skipping.startsWith(written)) return;
      if (written.startsWith(skipping)) write(written.slice(skipping.length));
      else write(`\n\n${before}${delta}`);
      skipping = '';
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
