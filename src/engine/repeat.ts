/** Runs `act` again and again, a pause after it last finished, until stopped. A failure is reported and the next round comes. */
export function repeat(pauseMs: number | (() => number), act: () => Promise<void>, onError: (error: unknown) => void) {
  let stopped = false;
  let timeout: NodeJS.Timeout;
  let round = Promise.resolve();

  const schedule = () => {
    timeout = setTimeout(
      () => {
        round = act()
          .catch(onError)
          .finally(() => {
            if (!stopped) schedule();
          });
      },
      typeof pauseMs === 'number' ? pauseMs : pauseMs(),
    );
  };
  schedule();
  return {
    stop: async (): Promise<void> => {
      stopped = true;
      clearTimeout(timeout);
      await round;
    },
  };
}
