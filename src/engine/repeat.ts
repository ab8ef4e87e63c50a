/** Runs `act` repeatedly, with a pause after each run, until stopped. Errors are reported and do not stop it. */
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
