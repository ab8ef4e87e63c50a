export type CrashRules = { readonly limit: number; readonly windowMs: number; readonly restMs: number };

export type CrashLedger = {
  record(name: string): void;
  /** Milliseconds until the tool can be called again; 0 for now. */
  restLeft(name: string): number;
  forget(name: string): void;
};

/** Counts the crashes of each tool. A tool that crashes too often is paused. */
export function createCrashLedger(rules: CrashRules, now: () => number = () => performance.now()): CrashLedger {
  const crashes = new Map<string, number[]>();
  const restUntil = new Map<string, number>();

  return {
    record(name) {
      const recent = (crashes.get(name) ?? []).filter((time) => time > now() - rules.windowMs);
      recent.push(now());
      crashes.set(name, recent);
      if (recent.length < rules.limit) return;
      crashes.delete(name);
      restUntil.set(name, now() + rules.restMs);
    },
    restLeft(name) {
      const left = Math.max(0, (restUntil.get(name) ?? 0) - now());
      if (left === 0) restUntil.delete(name);
      return left;
    },
    forget(name) {
      crashes.delete(name);
      restUntil.delete(name);
    },
  };
}
