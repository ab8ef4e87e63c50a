import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { FullProject } from '@reborn-agent/client/api';
import { useState } from 'react';
import { Button } from '../parts/button.tsx';
import { TextArea } from '../parts/field.tsx';
import { Form } from '../parts/form.tsx';
import { Problem } from '../parts/problem.tsx';
import { Saved } from '../parts/setting.tsx';
import { useChangeProject } from '../threads/use-projects.ts';
import { AuthorLine } from './author-line.tsx';

/** What every prompt in the project contains. To save the text of another person makes it one's own. */
export function ProjectInstructions({ project: { id, role, instructions } }: { readonly project: FullProject }) {
  const [typed, setTyped] = useState<string>();
  const change = useChangeProject(id);
  const stored = instructions?.text ?? '';
  const text = typed ?? stored;
  const isForeign = instructions !== null && !instructions.written_by.you;
  const isSaved = text.trim() === stored && !isForeign;
  return (
    <Form
      className="flex flex-col gap-3"
      onSubmit={() => change.mutate({ instructions: text.trim() || null }, { onSuccess: () => setTyped(undefined) })}
    >
      <TextArea
        label={t`Instructions`}
        rows={8}
        maxLength={8000}
        className="text-reading"
        readOnly={role === 'read'}
        value={text}
        placeholder={t`What the work is about, whom the texts are for, what the agent should take into account.`}
        onChange={(event) => setTyped(event.target.value)}
        hint={t`They are part of every prompt in this project, from the next message on.`}
      />
      {instructions && <AuthorLine written={instructions} />}
      {change.error && <Problem error={change.error} />}
      {role === 'read' ? (
        <p className="text-meta text-soft">
          <Trans>Ask the owner to let you write, if you want to change them.</Trans>
        </p>
      ) : (
        <div className="flex items-center gap-3">
          <Button type="submit" look="act" disabled={isSaved || change.isPending}>
            {isForeign && text.trim() === stored ? <Trans>Keep as mine</Trans> : <Trans>Save</Trans>}
          </Button>
          <Saved at={change.isSuccess && isSaved ? change.submittedAt : undefined} />
        </div>
      )}
    </Form>
  );
}
