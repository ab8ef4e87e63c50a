import { ConfigError } from '#config/config-error.ts';
import { describeFailure } from '#terminal/files/describe-failure.ts';
import { printNotice } from './print.ts';

/** Runs a command. An error is printed on stderr as a sentence; the exit code is 78 for a wrong setting, otherwise 1. */
export async function runCommand(act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    printNotice(`reborn: ${describeFailure(error)}`);
    process.exitCode = error instanceof ConfigError ? 78 : 1;
  }
}
