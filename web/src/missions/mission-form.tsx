import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { Mission } from '@reborn-agent/client/api';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { AssistantField } from '../assistants/assistant-field.tsx';
import { client } from '../client/client.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { ChoiceField, TextArea, TextField } from '../parts/field.tsx';
import { Form } from '../parts/form.tsx';
import { Problem } from '../parts/problem.tsx';
import { toDraft, toSchedule } from './schedule-draft.ts';
import { ScheduleFields } from './schedule-fields.tsx';

type Props = {
  /** The mission to edit; a new one when left out. */
  readonly mission?: Mission;
  readonly onClose: () => void;
  readonly onSaved: (mission: Mission) => void;
};

/** Creates a mission or changes one. */
export function MissionForm({ mission, onClose, onSaved }: Props) {
  const queries = useQueryClient();
  const [name, setName] = useState(mission?.name ?? '');
  const [instruction, setInstruction] = useState(mission?.instruction ?? '');
  const [schedule, setSchedule] = useState(() => toDraft(mission?.schedule));
  const [more, setMore] = useState(() => settingsOf(mission));
  const save = useMutation({
    mutationFn: () => {
      const chosen = toSchedule(schedule);
      const body = { name, instruction, ...toBody(more) };
      if (!mission) return client.call('POST /api/missions', { body: { ...body, schedule: chosen } });
      // A schedule that is sent is computed from now, so an unchanged one is left out.
      const isSame = JSON.stringify(chosen) === JSON.stringify(toSchedule(toDraft(mission.schedule)));
      return client.call('PATCH /api/missions/{id}', {
        params: { id: mission.id },
        body: { ...body, ...(!isSame && { schedule: chosen }) },
      });
    },
    onSuccess: async (saved) => {
      await queries.invalidateQueries({ queryKey: ['missions'] });
      onSaved(saved);
    },
  });
  return (
    <Dialog title={mission ? t`Edit ${mission.name}` : t`Create a mission`} place="side" onClose={onClose}>
      <Form onSubmit={() => save.mutate()}>
        <TextField
          label={t`Name`}
          required
          maxLength={100}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <TextArea
          label={t`Instruction`}
          required
          rows={4}
          value={instruction}
          placeholder={t`Summarise my notes of yesterday.`}
          onChange={(event) => setInstruction(event.target.value)}
          hint={t`What the agent is asked at each run.`}
        />
        <ScheduleFields draft={schedule} onChange={setSchedule} />
        <AssistantField
          value={more.assistant}
          onChoose={(assistant) => setMore({ ...more, assistant })}
          hint={t`Who runs it.`}
        />
        <MoreSettings value={more} onChange={setMore} />
        {save.error && <Problem error={save.error} />}
        <div className="flex gap-2">
          <Button type="submit" look="act" disabled={save.isPending}>
            {mission ? t`Save changes` : t`Create`}
          </Button>
          <Button onClick={onClose}>
            <Trans>Cancel</Trans>
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}

type Settings = Pick<Mission, 'thread' | 'overlap' | 'misfire'> & {
  readonly assistant: string;
  readonly tools: string;
  readonly budgets: Readonly<Record<Budget, string>>;
};
type Budget = 'tokens_per_run' | 'tokens_per_day' | 'usd_per_run' | 'usd_per_day';

const NO_TOOLS = 'none';

const budgetChoices = (): readonly { readonly name: Budget; readonly words: string }[] => [
  { name: 'tokens_per_run', words: t`Tokens per run` },
  { name: 'tokens_per_day', words: t`Tokens per day` },
  { name: 'usd_per_run', words: t`US dollars per run` },
  { name: 'usd_per_day', words: t`US dollars per day` },
];

const settingsOf = (mission: Mission | undefined): Settings => ({
  assistant: mission?.assistant ?? '',
  thread: mission?.thread ?? 'same',
  overlap: mission?.overlap ?? 'skip',
  misfire: mission?.misfire ?? 'latest',
  tools: mission?.tools ? mission.tools.join(', ') || NO_TOOLS : '',
  budgets: {
    tokens_per_run: String(mission?.tokens_per_run ?? ''),
    tokens_per_day: String(mission?.tokens_per_day ?? ''),
    usd_per_run: String(mission?.usd_per_run ?? ''),
    usd_per_day: String(mission?.usd_per_day ?? ''),
  },
});

/** An empty field means no limit. */
function toBody({ assistant, tools, budgets, ...rest }: Settings) {
  const names = tools.split(',').flatMap((name) => name.trim() || []);
  const isNone = names.length === 1 && names[0] === NO_TOOLS;
  const limit = (name: Budget) => (budgets[name] === '' ? null : Number(budgets[name]));
  return {
    ...rest,
    assistant: assistant || null,
    tools: isNone ? [] : names.length > 0 ? names : null,
    tokens_per_run: limit('tokens_per_run'),
    tokens_per_day: limit('tokens_per_day'),
    usd_per_run: limit('usd_per_run'),
    usd_per_day: limit('usd_per_day'),
  };
}

function MoreSettings({ value, onChange }: { readonly value: Settings; readonly onChange: (value: Settings) => void }) {
  const set = (change: Partial<Settings>) => onChange({ ...value, ...change });
  return (
    <details>
      <summary className="w-fit link">
        <Trans>Thread, overlap and budgets</Trans>
      </summary>
      <div className="mt-3 grid gap-3 sm:grid-cols-2">
        <ChoiceField
          label={t`Thread`}
          choices={threadChoices()}
          value={value.thread}
          onChoose={(thread) => set({ thread })}
        />
        <ChoiceField
          label={t`If the run before has not ended`}
          choices={overlapChoices()}
          value={value.overlap}
          onChoose={(overlap) => set({ overlap })}
        />
        <ChoiceField
          label={t`After an outage`}
          choices={misfireChoices()}
          value={value.misfire}
          onChoose={(misfire) => set({ misfire })}
        />
        <TextField
          label={t`Tools, separated by commas`}
          value={value.tools}
          placeholder={t`all`}
          hint={t`Empty for all, ${NO_TOOLS} for no tools.`}
          onChange={(event) => set({ tools: event.target.value })}
        />
        {budgetChoices().map(({ name, words }) => (
          <TextField
            key={name}
            label={words}
            type="number"
            min={0}
            step="any"
            placeholder={t`no limit`}
            value={value.budgets[name]}
            onChange={(event) => set({ budgets: { ...value.budgets, [name]: event.target.value } })}
          />
        ))}
      </div>
    </details>
  );
}

const threadChoices = () =>
  [
    { value: 'same', words: t`All runs in one thread` },
    { value: 'new', words: t`A new thread for each run` },
  ] as const;
const overlapChoices = () =>
  [
    { value: 'skip', words: t`Skip the new run` },
    { value: 'queue', words: t`Let it wait` },
    { value: 'cancel', words: t`Cancel the run before` },
  ] as const;
const misfireChoices = () =>
  [
    { value: 'latest', words: t`Run the newest missed time` },
    { value: 'skip', words: t`Run no missed time` },
    { value: 'all', words: t`Run up to ten missed times` },
  ] as const;
