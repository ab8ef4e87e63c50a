import { Popover } from '@base-ui/react/popover';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { OfferedModel } from '@reborn-agent/client/api';
import { useId, useState } from 'react';
import { Button } from '../parts/button.tsx';
import { wordsOf } from '../parts/error-words.ts';
import { Icon } from '../parts/icon.tsx';
import { factsOf, modelWith, nameOf, useChooseDefault, useModels } from './use-models.ts';

type Props = {
  /** The id of the model that answers next; null for the default of new threads. */
  readonly chosen: string | null;
  readonly onChoose: (id: string) => void;
  readonly className?: string;
};

/** Shows which model answers next, and changes it. */
export function ModelPicker({ chosen, onChoose, className = '' }: Props) {
  const [open, setOpen] = useState(false);
  // It opens inside the landmark of its button, so that nothing on the page is outside of one.
  const [landmark, setLandmark] = useState<HTMLElement | null>(null);
  const { data } = useModels();
  const current = data && modelWith(data.models, chosen ?? data.chosen);
  const name = current ? nameOf(current) : '…';
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger
        ref={(button: HTMLElement | null) => setLandmark(button?.closest<HTMLElement>('main') ?? null)}
        aria-label={t`Model: ${name}`}
        title={t`Choose a model`}
        className={`inline-flex min-h-target min-w-0 max-w-full items-center gap-1 rounded px-1 text-meta text-soft hover:bg-hover hover:text-ink ${className}`}
      >
        <span className="min-w-0 truncate">{name}</span>
        {current?.problem && <Icon name="warning" className="text-failed" />}
        <Icon name="down" className="size-3" />
      </Popover.Trigger>
      <Popover.Portal container={landmark}>
        <Popover.Positioner positionMethod="fixed" sideOffset={4} align="end" className="z-30 outline-none">
          <Popover.Popup
            aria-label={t`Choose a model`}
            className="flex max-h-[min(420px,70vh)] w-[min(400px,calc(100vw-16px))] flex-col overflow-hidden text-ink popup pops"
          >
            {open && data && (
              <ModelList
                models={data.models}
                current={current}
                usual={data.chosen}
                onChoose={(id) => {
                  onChoose(id);
                  setOpen(false);
                }}
              />
            )}
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}

type ListProps = {
  readonly models: readonly OfferedModel[];
  readonly current: OfferedModel | undefined;
  readonly usual: string | null;
  readonly onChoose: (id: string) => void;
};

function ModelList({ models, current, usual, onChoose }: ListProps) {
  const [text, setText] = useState('');
  const list = useId();
  const q = text.trim().toLowerCase();
  const shown = models.filter(({ id, name, provider }) => `${id} ${name} ${provider}`.toLowerCase().includes(q));
  const [at, setAt] = useState(() =>
    Math.max(
      0,
      models.findIndex(({ id }) => id === current?.id),
    ),
  );
  const active = Math.min(at, shown.length - 1);
  const choose = (model: OfferedModel | undefined) => model && !model.problem && onChoose(model.id);
  const onKeyDown = (event: React.KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      event.preventDefault();
      setAt((active + step + shown.length) % Math.max(1, shown.length));
    }
    if (event.key === 'Enter') choose(shown[active]);
  };
  return (
    <>
      <input
        role="combobox"
        aria-label={t`Search models`}
        aria-expanded="true"
        aria-controls={list}
        aria-activedescendant={shown[active] && `${list}-${active}`}
        placeholder={t`Search models`}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
        className="min-h-10 shrink-0 border-b border-line bg-transparent px-3 outline-none"
      />
      <div id={list} role="listbox" aria-label={t`Models`} className="min-h-0 flex-1 overflow-y-auto p-1">
        {shown.map((model, index) => (
          <div
            key={model.id}
            id={`${list}-${index}`}
            role="option"
            aria-selected={model.id === current?.id}
            aria-disabled={model.problem !== null}
            ref={(row) => {
              if (index === active) row?.scrollIntoView({ block: 'nearest' });
            }}
            onClick={() => choose(model)}
            onPointerMove={() => setAt(index)}
            className={`flex items-start gap-2 rounded px-2 py-1 ${model.problem ? '' : 'cursor-pointer'} ${index === active ? 'bg-hover' : ''}`}
          >
            <Icon name="check" className={`mt-1 ${model.id === current?.id ? '' : 'invisible'}`} />
            <ModelFacts model={model} isUsual={usual !== null && (model.id === usual || model.route === usual)} />
          </div>
        ))}
        {shown.length === 0 && (
          <p className="p-2 text-soft">
            <Trans>No models match “{text.trim()}”.</Trans>
          </p>
        )}
      </div>
      <MakeDefault current={current} usual={usual} />
    </>
  );
}

function ModelFacts({ model, isUsual }: { readonly model: OfferedModel; readonly isUsual: boolean }) {
  const title = nameOf(model);
  return (
    <span className="min-w-0 flex-1">
      <span className="flex items-baseline gap-2">
        <span className="min-w-0 truncate font-medium">{title}</span>
        {model.id === 'default' && (
          <span className="shrink-0 text-meta text-soft">
            <Trans>default</Trans>
          </span>
        )}
        {isUsual && (
          <span className="shrink-0 text-meta text-soft">
            <Trans>your default</Trans>
          </span>
        )}
      </span>
      {title !== model.name && (
        <span className="block truncate text-meta text-soft">
          {model.provider}, {model.name}
        </span>
      )}
      <span className="block text-meta text-soft">{factsOf(model).join(' · ')}</span>
      {model.problem && <span className="block text-meta text-failed">{model.problem}</span>}
    </span>
  );
}

function MakeDefault({ current, usual }: Pick<ListProps, 'current' | 'usual'>) {
  const make = useChooseDefault();
  if (!current) return null;
  const isUsual = current.id === (usual ?? 'default') || current.route === usual;
  return (
    <div className="shrink-0 border-t border-line p-1">
      {make.error && <p className="px-2 text-meta text-failed">{wordsOf(make.error)}</p>}
      <Button
        look="quiet"
        className="w-full"
        disabled={isUsual || make.isPending}
        onClick={() => make.mutate(current.id)}
      >
        {isUsual ? t`New threads use this model` : t`Use ${nameOf(current)} for new threads`}
      </Button>
    </div>
  );
}
