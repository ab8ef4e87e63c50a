import path from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';
import { type Failure, type FileReport, writeReport } from './test-report.ts';

type FoundError = { readonly message: string; readonly stacks?: readonly { file: string; line: number }[] | undefined };

/** Writes what a run found to the file that TEST_REPORT names, with the errors that no test caught. */
// oxlint-disable-next-line import/no-default-export -- vitest loads it by its path
export default class ReportWriter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly FoundError[]): void {
    const target = process.env['TEST_REPORT'];
    if (!target) throw new Error('Set TEST_REPORT to the name of the report.');
    const errors = unhandled.map((error) => `${firstLine(error.message)} ${placeOf(error)}`);
    writeReport(target, { files: modules.map(reportOf), errors, retried: [] });
  }
}

function reportOf(module: TestModule): FileReport {
  const tests = [...module.children.allTests()];
  const failures = tests.flatMap((test) => {
    const { state, errors } = test.result();
    return state === 'failed' ? failureOf(test.fullName, errors?.[0]) : [];
  });
  const suites = [module, ...module.children.allSuites()].flatMap((suite) => suite.errors());
  const { collectDuration, duration, prepareDuration, setupDuration } = module.diagnostic();
  return {
    file: path.relative('.', module.moduleId),
    seconds: Math.round((collectDuration + duration + prepareDuration + setupDuration) / 100) / 10,
    passed: tests.filter((test) => test.result().state === 'passed').length,
    skipped: tests.filter((test) => test.result().state === 'skipped').length,
    failures: [...failures, ...suites.map((error) => failureOf('(outside of its tests)', error))],
  };
}

function failureOf(title: string, error: FoundError | undefined): Failure {
  return { title, message: shorten(error?.message ?? ''), place: error ? placeOf(error) : '' };
}

/** A failure may show a whole screen. */
const MOST_CHARACTERS = 4000;
const shorten = (message: string): string => message.trimEnd().slice(0, MOST_CHARACTERS).replaceAll('\n', '\n  ');
const firstLine = (message: string): string => message.split('\n', 1)[0] ?? '';

/** The innermost line of ours. */
function placeOf({ stacks }: FoundError): string {
  const frame = stacks?.find(({ file }) => !file.includes('node_modules'));
  return frame ? `${path.relative('.', frame.file)}:${frame.line}` : '';
}
