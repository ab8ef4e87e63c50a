export type PromptHistory = ReturnType<typeof createPromptHistory>;

/** Walks through earlier prompts, as a shell does. What was typed before is kept at the end. */
export function createPromptHistory(prompts: () => readonly string[]) {
  let at: { readonly index: number; readonly draft: string } | undefined;

  /** Whether what is shown was brought back, and not changed since. */
  const isAt = (shown: string) => at !== undefined && at.index < prompts().length && prompts()[at.index] === shown;

  return {
    list: prompts,
    isAt,
    /** Goes to a prompt; what is shown is the draft behind the last one. */
    take(prompt: string, shown: string): string {
      at = { index: prompts().lastIndexOf(prompt), draft: shown };
      return prompt;
    },
    /** The prompt before or after the one that is shown; undefined where there is none. */
    move(step: -1 | 1, shown: string): string | undefined {
      const all = prompts();
      const isWalking = at !== undefined && (all[at.index] ?? at.draft) === shown;
      const from = isWalking && at ? at : { index: all.length, draft: shown };
      const index = from.index + step;
      if (index < 0 || index > all.length) return undefined;
      at = { ...from, index };
      return all[index] ?? from.draft;
    },
  };
}
