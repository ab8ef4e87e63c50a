import { readFileSync, writeFileSync } from 'node:fs';

/** The outcome of one test file. A file that can't be loaded has one failure and no test. */
export type FileReport = {
  readonly file: string;
  readonly seconds: number;
  readonly passed: number;
  readonly skipped: number;
  readonly failures: readonly Failure[];
};

export type Failure = { readonly title: string; readonly message: string; readonly place: string };

export type TestReport = {
  readonly files: readonly FileReport[];
  /** Errors that no test caught: of a timer or a promise that outlived its test, for example. */
  readonly errors: readonly string[];
  /** The failed first tries of files that had a second one. */
  readonly retried: readonly FileReport[];
};

export function readReport(file: string): TestReport {
  return JSON.parse(readFileSync(file, 'utf8')) as TestReport;
}

export function writeReport(file: string, report: TestReport): void {
  writeFileSync(file, JSON.stringify(report));
}

export const hasFailed = ({ failures }: FileReport): boolean => failures.length > 0;

export function countTests({ files, errors }: Pick<TestReport, 'files' | 'errors'>): {
  passed: number;
  failed: number;
} {
  const passed = files.reduce((sum, file) => sum + file.passed, 0);
  return { passed, failed: files.reduce((sum, { failures }) => sum + failures.length, errors.length) };
}
