import { plural } from '@lingui/core/macro';
import { exactJson } from '@reborn-agent/client/exact-json';

/** JSON laid out for reading, exactly as it is otherwise. `whole` shows all of it at once, without scrolling or a cut. */
export function ReadableJson({ text, whole = false }: { readonly text: string; readonly whole?: boolean }) {
  const isCut = !whole && text.length > LONGEST;
  const { text: shown, warnings } = exactJson(isCut ? text.slice(0, LONGEST) : text);
  return (
    <>
      <pre
        tabIndex={whole ? undefined : 0}
        dir="ltr"
        className={`whitespace-pre-wrap break-words rounded-lg bg-sunken p-3 font-mono text-meta ${whole ? '' : 'max-h-72 overflow-auto'}`}
      >
        {isolateStrings(shown)}
        {isCut && `\n… ${moreCharacters(text.length - LONGEST)}`}
      </pre>
      {warnings.map((warning) => (
        <p key={warning} className="break-words text-meta text-soft">
          {warning}
        </p>
      ))}
    </>
  );
}

const moreCharacters = (count: number) => plural(count, { one: '# more character', other: '# more characters' });

const LONGEST = 50_000;

/** A text that is written from right to left must not move what is beside it. */
function isolateStrings(json: string) {
  return json.split(STRING).map((part, at) =>
    at % 2 === 0 ? (
      part
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text never change places
      <bdi key={at} dir="ltr">
        {part}
      </bdi>
    ),
  );
}

const STRING = /("[^"\\\n]*(?:\\.[^"\\\n]*)*")/;
