import { t } from '@lingui/core/macro';
import type { MessageEntry } from '@reborn-agent/client/turn-entries';
import { useState } from 'react';
import { WriteNote } from '../../memory/write-note.tsx';
import { modelWith, nameOf, useModels } from '../../models/use-models.ts';
import { IconButton } from '../../parts/button.tsx';
import { Menu } from '../../parts/menu.tsx';
import { tell } from '../../parts/notice.tsx';
import { useActions } from '../chat-actions.ts';

/** A menu with more models is a list to search, which the composer has. */
const MOST_MODELS = 5;

/** What is done less often with an answer. `text`: the answer without its markers. */
export function AnswerMenu({ entry, text }: { readonly entry: MessageEntry; readonly text: string }) {
  const { askAgain, answering, branch, isIdle } = useActions();
  const { data } = useModels();
  const [isSaving, setSaving] = useState(false);
  const current = data && modelWith(data.models, answering ?? data.chosen);
  const others = (data?.models ?? []).filter(
    ({ name, provider, problem }) => problem === null && (name !== current?.name || provider !== current.provider),
  );
  return (
    <>
      <Menu
        trigger={<IconButton icon="more" label={t`More about this answer`} />}
        align="start"
        entries={[
          ...(isIdle ? others.slice(0, MOST_MODELS) : []).map((model) => ({
            words: t`Answer again with ${nameOf(model)}`,
            icon: 'retry' as const,
            onChoose: () => askAgain(entry.id, model.id),
          })),
          { words: t`Branch from here`, icon: 'add', onChoose: () => branch(entry.id) },
          { words: t`Save to memory`, icon: 'memory', onChoose: () => setSaving(true) },
        ]}
      />
      {isSaving && (
        <WriteNote
          text={text}
          onClose={(saved) => {
            setSaving(false);
            if (saved !== undefined) tell(t`Saved as the note “${saved}”.`);
          }}
        />
      )}
    </>
  );
}
