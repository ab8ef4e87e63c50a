/** How many pages of a turn are on their way before their calls run, and how many of them from one host. */
const MOST_AHEAD = 4;
const MOST_OF_HOST = 2;

/** Requests that were sent before their calls run, by the signal of the turn that they belong to. They are gone with the turn. */
export function createPagesAhead<Answer>() {
  const ofTurns = new WeakMap<AbortSignal, Map<string, Promise<Answer>>>();

  return {
    /** Sends the request unless the turn has enough of them on their way. */
    begin(turn: AbortSignal, url: URL, request: () => Promise<Answer>): void {
      const begun = ofTurns.get(turn) ?? new Map<string, Promise<Answer>>();
      const ofHost = [...begun.keys()].filter((address) => new URL(address).host === url.host);
      if (begun.has(url.href) || begun.size >= MOST_AHEAD || ofHost.length >= MOST_OF_HOST) return;
      const answer = request();
      answer.catch(() => {}); // the call that takes it reports the failure
      ofTurns.set(turn, begun.set(url.href, answer));
    },
    /** The answer to a request, for the first call that wants it. */
    take(turn: AbortSignal, url: URL): Promise<Answer> | undefined {
      const begun = ofTurns.get(turn);
      const answer = begun?.get(url.href);
      begun?.delete(url.href);
      return answer;
    },
  };
}
