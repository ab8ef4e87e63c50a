import { type Connect, type Envelope, type Link, type LinkPace, openLink } from './socket-link.ts';

export type LinksPace = LinkPace & {
  /** A socket that lives shorter than this is a failure, so that a new one is not opened at once. */
  readonly leastLifeMs: number;
};

type Options = {
  readonly askAddress: () => Promise<string>;
  readonly connect: Connect;
  readonly pace: LinksPace;
  readonly signal: AbortSignal;
  readonly onEnvelope: (envelope: Envelope) => void;
  /** A socket was closed or replaced, or there is a problem. */
  readonly onChange: () => void;
};

/** The open sockets of an account: one, or two while Slack renews it. */
export function createSocketLinks({ askAddress, connect, pace, signal, onEnvelope, onChange }: Options) {
  const links = new Set<Link>();
  let problem: string | undefined;
  let replacing: Promise<void> | undefined;

  async function open(): Promise<void> {
    const url = await askAddress();
    const openedAt = performance.now();
    const link = await openLink({ url, connect, pace, signal, onEnvelope, onLeave: replace });
    links.add(link);
    void link.closed.then(() => {
      links.delete(link);
      if (performance.now() - openedAt < pace.leastLifeMs) problem ??= 'Slack closes the socket at once.';
      onChange();
    });
  }

  /** Slack renews its connections: the next one is opened before this one ends, to avoid a gap. */
  function replace(reason: string): void {
    if (reason === 'link_disabled') {
      problem = 'Socket Mode is turned off in the settings of the app.';
      return;
    }
    replacing ??= open()
      .catch((error: unknown) => {
        problem = error instanceof Error ? error.message : String(error);
      })
      .finally(() => {
        replacing = undefined;
        onChange();
      });
  }

  return {
    count: () => links.size,
    /** Opens a socket, or waits for one that is being opened. */
    open: () => replacing ?? open(),
    /** What went wrong since the last call. */
    takeProblem(): string | undefined {
      const said = problem;
      problem = undefined;
      return said;
    },
  };
}
