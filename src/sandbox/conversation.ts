import type { Readable, Writable } from 'node:stream';
import { createFrameReader, encodeFrame } from './frames.ts';
import { parseRunnerMessage, type RunnerMessage } from './runner-messages.ts';
import { type Limits, SandboxLost } from './sandbox.ts';

/** A started process 1, whatever it runs behind. */
export type RunnerProcess = {
  readonly input: Writable;
  readonly output: Readable;
  /** Resolves with its last words when no process of it is left. */
  readonly ended: Promise<string>;
  kill(): void;
};

/** Questions to a runner. A wrong answer, and one without a question, ends it. */
export type Conversation = {
  /** Throws SandboxLost when the runner ends before it has answered, or because it does not in time. */
  readonly ask: <T>(take: Take<T>, withinMs: number, header?: Header, body?: Uint8Array) => Promise<T>;
  /** Something that has no answer. Returns whether there is room for more. */
  readonly tell: (header: Header, body?: Uint8Array) => boolean;
  readonly lose: (why: string) => void;
  readonly lost: () => SandboxLost | undefined;
};

/** Gets each message of an answer. Returns the result with the last one. */
export type Take<T> = (message: RunnerMessage) => T | undefined;
type Header = Readonly<Record<string, unknown>>;
type Question = { take(message: RunnerMessage): void; fail(error: Error): void };

export function converse(process: RunnerProcess, limits: Limits): Conversation {
  let question: Question | undefined;
  let lost: SandboxLost | undefined;

  function lose(why: string, cause?: unknown): void {
    if (lost) return;
    lost = new SandboxLost(`The sandbox ended. ${why}`, { cause });
    process.kill();
    question?.fail(lost);
  }

  const read = createFrameReader(limits.fileBytes, (frame) => {
    if (!question) throw new Error('An answer came without a question.');
    question.take(parseRunnerMessage(frame, limits));
  });
  process.output.on('data', (chunk: Buffer) => {
    try {
      if (!lost) read(chunk);
    } catch (error) {
      lose(error instanceof Error ? error.message : String(error), error);
    }
  });
  void process.ended.then(lose);

  const tell = (header: Header, body?: Uint8Array): boolean => process.input.write(encodeFrame(header, body));

  async function ask<T>(take: Take<T>, withinMs: number, header?: Header, body?: Uint8Array): Promise<T> {
    if (lost) throw lost;
    if (question) throw new Error('The runner answers one question at a time.');
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const timer = setTimeout(() => lose('It did not answer in time.'), withinMs);
    question = {
      fail: reject,
      take(message) {
        const result = take(message);
        if (result === undefined) return;
        question = undefined;
        resolve(result);
      },
    };
    if (header) tell(header, body);
    return promise.finally(() => clearTimeout(timer));
  }

  return { ask, tell, lose, lost: () => lost };
}

export function unexpected(message: RunnerMessage): never {
  throw new Error(`It said "${message.type}", which was not asked.`);
}
