import type { Tokens } from './use-colours.ts';

/** A line of code; its colours may come later. */
export function LineText({ text, tokens }: { readonly text: string; readonly tokens: Tokens | undefined }) {
  if (!tokens) return text;
  return tokens.map(({ content, color }, index) => (
    <span key={index} style={{ color }}>
      {content}
    </span>
  ));
}
