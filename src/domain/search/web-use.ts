/** How much was searched and opened, and what the searches cost: null if a price is not known. */
export type WebUse = {
  /** Since the person's last message, with the call that asks. */
  readonly ofRun: WebCount;
  /** Of the user, on this day (UTC). */
  readonly today: WebCount;
};

export type WebCount = { readonly searches: number; readonly pages: number; readonly usd: number | null };
