import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { type ImportTotals, importChats, NotAnExport } from '@reborn-agent/client/import-chats';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { client } from '../client/client.ts';
import { Alert } from '../parts/alert.tsx';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { CheckField } from '../parts/field.tsx';
import { Problem } from '../parts/problem.tsx';
import { Setting } from '../parts/setting.tsx';

/** Makes threads of the chats that a person had in ChatGPT. */
export function ImportChats() {
  const [isOpen, setOpen] = useState(false);
  return (
    <Setting
      name={t`Import chats from ChatGPT`}
      about={t`They become threads, at their places in time. What is here already stays as it is.`}
    >
      <Button icon="add" onClick={() => setOpen(true)}>
        <Trans>Import</Trans>
      </Button>
      {isOpen && <ImportDialog onClose={() => setOpen(false)} />}
    </Setting>
  );
}

function ImportDialog({ onClose }: { readonly onClose: () => void }) {
  const queries = useQueryClient();
  const chooser = useRef<HTMLInputElement>(null);
  const [isOwn, setOwn] = useState(false);
  const [totals, setTotals] = useState<ImportTotals>();
  const [ended] = useState(() => new AbortController());
  const read = useMutation({
    mutationFn: (file: File) =>
      importChats(client, file.stream(), { own: isOwn, onProgress: setTotals, signal: ended.signal }),
    onSuccess: setTotals,
    onSettled: () => queries.invalidateQueries({ queryKey: ['threads'] }),
  });
  useEffect(() => () => ended.abort(), [ended]);
  return (
    <Dialog title={t`Import chats from ChatGPT`} onClose={onClose}>
      <div className="flex flex-col gap-4">
        <p>
          <Trans>
            In ChatGPT, choose Settings, Data controls, Export data. It sends you a mail with a zip file. Unpack it, and
            choose the file <span className="exact">conversations.json</span> in it. Pictures and files are not
            imported.
          </Trans>
        </p>
        <CheckField
          words={t`I wrote the questions in it`}
          hint={t`Otherwise they count as text by others, as the answers always do. The agent asks more often after it has read such text.`}
          checked={isOwn}
          onChange={setOwn}
        />
        <Button look="act" className="self-start" disabled={read.isPending} onClick={() => chooser.current?.click()}>
          <Trans>Choose the file</Trans>
        </Button>
        <input
          ref={chooser}
          type="file"
          accept="application/json,.json"
          hidden
          onChange={(event) => {
            const [file] = event.target.files ?? [];
            if (file) read.mutate(file);
            event.target.value = '';
          }}
        />
        <p role="status">
          {totals && sentencesOf(totals, read.isPending)}
          {!totals && read.isPending && <Trans>Reading the file</Trans>}
        </p>
        {read.error && <ImportProblem error={read.error} />}
      </div>
    </Dialog>
  );
}

/** What was imported before the failure stays, and the same file brings the rest. */
function ImportProblem({ error }: { readonly error: Error }) {
  if (error instanceof NotAnExport)
    return (
      <Alert>
        <Trans>This is not a whole conversations.json of ChatGPT. Choose the file that was in the zip file.</Trans>
      </Alert>
    );
  return (
    <>
      <Problem error={error} />
      <p className="text-soft">
        <Trans>What is imported stays. Choose the same file again to continue.</Trans>
      </p>
    </>
  );
}

function sentencesOf({ imported, known, empty, unreadable, tooLarge }: ImportTotals, isPending: boolean): string {
  const done = plural(imported, { one: '# chat is imported.', other: '# chats are imported.' });
  if (isPending) return done;
  return [
    done,
    known > 0 && plural(known, { one: '# was here already.', other: '# were here already.' }),
    empty > 0 && plural(empty, { one: '# is empty.', other: '# are empty.' }),
    unreadable > 0 && plural(unreadable, { one: '# can’t be read.', other: '# can’t be read.' }),
    tooLarge > 0 && plural(tooLarge, { one: '# is too large.', other: '# are too large.' }),
  ]
    .filter((words) => words !== false)
    .join(' ');
}
