/**
 * Measures how long each round of the event loop computes, in milliseconds of CPU time of this thread, so that other processes on the
 * machine do not count.
 */
export function watchLoop() {
  const rounds: number[] = [];
  let before = process.threadCpuUsage();
  const timer = setInterval(() => {
    const now = process.threadCpuUsage();
    rounds.push((now.user + now.system - before.user - before.system) / 1000);
    before = now;
  }, 1);
  return {
    stop(): { readonly p99: number; readonly longest: number; readonly total: number } {
      clearInterval(timer);
      rounds.sort((one, another) => one - another);
      const total = rounds.reduce((sum, round) => sum + round, 0);
      return { p99: rounds[Math.ceil(rounds.length * 0.99) - 1] ?? 0, longest: rounds.at(-1) ?? 0, total };
    },
  };
}
