/** How much was searched and opened, and what the searches cost: null if a price is not known. */
export type WebUse = {
  /** Since the person's last message, with the call that asks. */
  readonly ofRun: WebCount;
  /** Of the user, on this day (UTC). */
  readonly today: WebCount;
  /** What the person has approved for research in this run; null if they have not. */
  readonly research: WebBudget | null;
};

/** How many searches may be made, and how many pages opened. */
export type WebBudget = Pick<WebCount, 'searches' | 'pages'>;

export const RESEARCH_BUDGET: WebBudget = { searches: 40, pages: 80 };

/** The budget in the arguments of a call that starts research. */
export function budgetIn(argumentsJson: string): WebBudget {
  try {
    const { searches, pages } = JSON.parse(argumentsJson) as Partial<Record<keyof WebBudget, unknown>>;
    return {
      searches: atMost(searches, RESEARCH_BUDGET.searches),
      pages: atMost(pages, RESEARCH_BUDGET.pages),
    };
  } catch {
    return { searches: 0, pages: 0 };
  }
}

const atMost = (wanted: unknown, most: number): number =>
  typeof wanted === 'number' ? Math.max(0, Math.min(wanted, most)) : most;

export type WebCount = { readonly searches: number; readonly pages: number; readonly usd: number | null };
