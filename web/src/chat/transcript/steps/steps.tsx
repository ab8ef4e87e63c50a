import { plural } from '@lingui/core/macro';
import type { ItemPart } from '@reborn-agent/client/api';
import { FileCards } from '../../../files/file-cards.tsx';
import { isPresenting, presentedFiles } from '../../../files/presented.ts';
import { formatDuration } from '../../../format/time.ts';
import { Icon } from '../../../parts/icon.tsx';
import { reader } from '../../gates/call-sentence.tsx';
import type { Step } from '../rows.ts';
import { SentFiles } from '../sent-files.tsx';
import { AgentSpeaker } from '../speaker.tsx';
import type { Voice } from '../voice.ts';
import { CodeCard } from './code-card.tsx';
import { codeRunOf } from './code-run.ts';
import { StepLine } from './step-line.tsx';
import { type Piece, piecesOf } from './step-pieces.ts';
import { foldedWords } from './step-words.ts';
import { SubagentsCard } from './subagents-card.tsx';
import { useToolCards, withCard } from './tool-cards.ts';

type Props = {
  readonly steps: readonly Step[];
  readonly first: boolean;
  readonly by: Voice;
  /** Text follows, so finished steps are folded. */
  readonly followed: boolean;
};

/** The calls of tools in a row, as one connected line. */
export function Steps({ steps, first, by, followed }: Props) {
  const files = steps.flatMap(({ call, output }) => presentedFiles(call, output));
  const presented = new Map(files.map((file) => [file.path, file])); // each once, as it was shown last
  // A picture has no name in an output, so its size tells it from others.
  const isShownBelow = (part: ItemPart): boolean =>
    part.type === 'image' && files.some(({ isPicture, bytes }) => isPicture && bytes === part.bytes);
  const pieces = piecesOf(steps, followed);
  return (
    <div className="pb-3">
      {first && <AgentSpeaker by={by} />}
      {pieces.map((piece, at) => (
        <PieceView key={idOf(piece)} piece={piece} joined={isLine(piece) && isLine(pieces[at + 1])} />
      ))}
      <SentFiles parts={steps.flatMap(madeBy).filter((part) => !isShownBelow(part))} />
      <FileCards files={[...presented.values()]} />
    </div>
  );
}

/** What a call shows by itself. A file that the agent has read is no news to the person. */
const madeBy = ({ call, output }: Step): readonly ItemPart[] =>
  isPresenting(call) || call.name === 'reborn_file_read' ? [] : (output?.parts ?? []);

const idOf = (piece: Piece): string =>
  'steps' in piece ? `${piece.kind} ${piece.steps[0]?.call.id}` : piece.step.call.id;

const isLine = (piece: Piece | undefined): boolean => piece?.kind === 'step' || piece?.kind === 'fold';

function PieceView({ piece, joined }: { readonly piece: Piece; readonly joined: boolean }) {
  if (piece.kind === 'fold') return <FoldedSteps steps={piece.steps} joined={joined} />;
  if (piece.kind === 'subagents') return <SubagentsCard steps={piece.steps} />;
  const run = codeRunOf(piece.step.call);
  return run ? <CodeCard step={piece.step} run={run} /> : <StepLine step={piece.step} joined={joined} />;
}

/** Finished steps in one line, with how many they were and how long they took. */
function FoldedSteps({ steps, joined }: { readonly steps: readonly Step[]; readonly joined: boolean }) {
  const cards = useToolCards();
  return (
    <details className={`group/steps step ${joined ? 'joined' : ''}`}>
      <summary className="flex min-h-target items-center gap-3 rounded text-soft hover:text-ink">
        <Icon name="right" className="transition-transform group-open/steps:rotate-90" />
        <span className="min-w-0 truncate">
          {cards &&
            foldedWords(
              steps.map(({ call }) => withCard(call, cards)),
              reader(),
            )}
        </span>
        <span className="ms-auto shrink-0 text-meta tabular-nums">
          {plural(steps.length, { one: '# step', other: '# steps' })}, {formatDuration(durationOf(steps))}
        </span>
      </summary>
      <div className="ps-7">
        {steps.map((step, at) => (
          <StepLine key={step.call.id} step={step} joined={at < steps.length - 1} />
        ))}
      </div>
    </details>
  );
}

/** From the first start to the last end: calls may run side by side. */
function durationOf(steps: readonly Step[]): number {
  const starts = steps.flatMap(({ call }) => call.startedAt ?? []);
  const ends = steps.flatMap(({ call, output }) => call.endedAt ?? output?.at ?? []);
  return starts.length === 0 || ends.length === 0 ? 0 : Math.max(...ends) - Math.min(...starts);
}
