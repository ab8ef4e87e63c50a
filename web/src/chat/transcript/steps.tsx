import { plural } from '@lingui/core/macro';
import type { ItemPart } from '@reborn-agent/client/api';
import { FileCards } from '../../files/file-cards.tsx';
import { isPresenting, presentedFiles } from '../../files/presented.ts';
import { formatDuration } from '../../format/time.ts';
import { Icon } from '../../parts/icon.tsx';
import { CodeCard } from './code-card.tsx';
import { codeRunOf } from './code-run.ts';
import type { Step } from './rows.ts';
import { SentFiles } from './sent-files.tsx';
import { Speaker } from './speaker.tsx';
import { StepLine } from './step-line.tsx';

/** The calls of tools in a row: one line each, or folded into one when there are several and all are done. */
export function Steps({ steps, first }: { readonly steps: readonly Step[]; readonly first: boolean }) {
  const [only] = steps;
  const done = steps.every(({ output }) => output);
  const files = steps.flatMap(({ call, output }) => presentedFiles(call, output));
  const presented = new Map(files.map((file) => [file.path, file])); // each once, as it was shown last
  // A picture has no name in an output, so its size tells it from others.
  const isShownBelow = (part: ItemPart): boolean =>
    part.type === 'image' && files.some(({ isPicture, bytes }) => isPicture && bytes === part.bytes);
  return (
    <div className="pb-3.5">
      {first && <Speaker name="Reborn" />}
      {only && steps.length === 1 && <StepView step={only} />}
      {steps.length > 1 && (
        <details open={!done} className="group/steps">
          <summary className="flex min-h-target w-fit items-center gap-2 rounded text-soft hover:text-ink">
            <Icon name="right" className="transition-transform group-open/steps:rotate-90" />
            {plural(steps.length, { one: '# step', other: '# steps' })}
            {done && `, ${formatDuration(durationOf(steps))}`}
          </summary>
          <div className="ps-5">
            {steps.map((step) => (
              <StepView key={step.call.id} step={step} />
            ))}
          </div>
        </details>
      )}
      <SentFiles parts={steps.flatMap(madeBy).filter((part) => !isShownBelow(part))} />
      <FileCards files={[...presented.values()]} />
    </div>
  );
}

/** What a call shows by itself. A file that the agent has read is no news to the person. */
const madeBy = ({ call, output }: Step): readonly ItemPart[] =>
  isPresenting(call) || call.name === 'reborn_file_read' ? [] : (output?.parts ?? []);

function StepView({ step }: { readonly step: Step }) {
  const run = codeRunOf(step.call);
  return run ? <CodeCard step={step} run={run} /> : <StepLine step={step} />;
}

/** From the first start to the last end: calls may run side by side. */
function durationOf(steps: readonly Step[]): number {
  const starts = steps.flatMap(({ call }) => call.startedAt ?? []);
  const ends = steps.flatMap(({ call, output }) => call.endedAt ?? output?.at ?? []);
  return starts.length === 0 || ends.length === 0 ? 0 : Math.max(...ends) - Math.min(...starts);
}
