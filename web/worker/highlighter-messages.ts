import type { HighlightResult } from 'streamdown';

export type CodeToColour = { readonly code: string; readonly language: string };

/** Undefined when the grammar of the language could not be loaded. */
export type ColouredCode = HighlightResult | undefined;
