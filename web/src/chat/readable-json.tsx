/** JSON with line breaks, or the text as it is when it is none. */
export function ReadableJson({ text }: { readonly text: string }) {
  return (
    <pre
      tabIndex={0}
      className="max-h-72 overflow-auto whitespace-pre-wrap break-words rounded bg-sunken p-3 font-mono text-s"
    >
      {readable(text)}
    </pre>
  );
}

function readable(text: string): string {
  const shown = text.length > LONGEST ? `${text.slice(0, LONGEST)}\n… ${text.length - LONGEST} more characters` : text;
  try {
    return text.length > LONGEST ? shown : JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return shown;
  }
}

const LONGEST = 50_000;
