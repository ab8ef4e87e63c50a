/** Who answered a gate: the person whose thread it is, or the operator for them. */
export type Answerer = (typeof ANSWERERS)[number];

export const ANSWERERS = ['owner', 'operator'] as const;

/** How a call that waited at a gate was decided. It is kept with the output of the call. */
export type DecidedAtGate =
  | { readonly answer: 'approved' | 'denied'; readonly by: Answerer; readonly at: string; readonly reason?: string }
  /** No one has answered in time. */
  | { readonly answer: 'expired'; readonly at: string };
