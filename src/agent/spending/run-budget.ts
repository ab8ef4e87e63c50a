/** The budget of a run that starts now; null for no limit. */
export function limitOfRun(perRun: number | null, perDay: number | null, usedToday: number): number | null {
  if (perDay === null) return perRun;
  return Math.min(perRun ?? perDay, perDay - usedToday);
}
