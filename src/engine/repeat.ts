/** Runs `act` repeatedly, with a pause after each run, until stopped. Errors are reported and do not stop it. */
export function repeat(pauseMs: number | (() => number), act: () => Promise<void>, onError: (error: unknown) => void) {
  let stopped = false;
  let timeout: NodeJS.Timeout;
  let round: Promise<void> | undefined;
  let again = false;

  const schedule = (ms: number) => {
    timeout = setTimeout(run, ms);
  };
  const pause = () => (typeof pauseMs === 'number' ? pauseMs : pauseMs());
  function run(): void {
    again = false;
    round = act()
      .catch(onError)
      .finally(() => {
        round = undefined;
        if (!stopped) schedule(again ? 0 : pause());
      });
  }
  schedule(pause());
  return {
    /** Ends the pause. A run in progress is followed by another one at once. */
    runNow: (): void => {
      if (stopped) return;
      again = true;
      if (round) return;
      clearTimeout(timeout);
      run();
    },
    stop: async (): Promise<void> => {
      stopped = true;
      clearTimeout(timeout);
      await round;
    },
  };
}
