import { ConfigError } from '#config/config.ts';
import { printNotice } from './print.ts';

/** Runs what a command does. What goes wrong is told on stderr, in a sentence, and by the exit code: 78 for a wrong setting, else 1. */
export async function runCommand(act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    printNotice(error instanceof ConfigError ? error.message : `reborn: ${messageOf(error)}`);
    process.exitCode = error instanceof ConfigError ? 78 : 1;
  }
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
