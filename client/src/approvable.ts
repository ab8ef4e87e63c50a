/** The longest arguments that clients show in full, in UTF-16 units. */
const MOST_SHOWN = 50_000;

/** Why this call cannot be approved, or undefined if it can. People approve only calls that they see in full. */
export function whyNotApprovable({ arguments: json }: { readonly arguments: string }): string | undefined {
  if (json.length <= MOST_SHOWN) return undefined;
  return `This call can't be approved: its arguments have ${json.length.toLocaleString('en')} characters, and only ${MOST_SHOWN.toLocaleString('en')} can be shown for approval. Deny it and ask for smaller steps.`;
}
