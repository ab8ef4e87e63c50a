import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { ToolInstall } from '@reborn-agent/client/api';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { toBase64 } from '../chat/composer/attachments.ts';
import { client } from '../client/client.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { CheckField, TextField } from '../parts/field.tsx';
import { Form } from '../parts/form.tsx';
import { Problem } from '../parts/problem.tsx';
import { Capabilities } from './capabilities.tsx';

/** Two steps: the files are checked and what the tool may do is shown; only then is it installed. */
export function InstallTool({ onClose }: { readonly onClose: () => void }) {
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const [files, setFiles] = useState<{ component?: File; capabilities?: File }>({});
  const [reads, setReads] = useState(false);
  const check = useMutation({
    mutationFn: async () =>
      client.call('POST /api/tools', { body: await toInstall(name, files, { reads, dry_run: true }) }),
  });
  const install = useMutation({
    mutationFn: async () =>
      client.call('POST /api/tools', { body: await toInstall(name, files, { reads, dry_run: false }) }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['tools'] });
      onClose();
    },
  });
  const preview = check.data;
  const choose = (part: 'component' | 'capabilities', file: File | undefined) => {
    check.reset();
    setFiles((chosen) => ({ ...chosen, ...(file && { [part]: file }) }));
    if (part === 'component' && file && name === '') setName(file.name.replace(/\.wasm$/, ''));
  };
  return (
    <Dialog title={t`Install a tool`} onClose={onClose}>
      <Form onSubmit={() => check.mutate()}>
        <TextField
          label={t`Component`}
          type="file"
          accept=".wasm"
          required
          onChange={(event) => choose('component', event.target.files?.[0])}
          hint={t`The .wasm file of the tool.`}
        />
        <TextField
          label={t`Capabilities`}
          type="file"
          accept=".json"
          onChange={(event) => choose('capabilities', event.target.files?.[0])}
          hint={t`A JSON file. Without one the tool can reach nothing.`}
        />
        <TextField label={t`Name`} required value={name} onChange={(event) => setName(event.target.value)} />
        <CheckField
          words={t`Only reads`}
          hint={t`It changes nothing, and its service keeps what it is asked to itself. Then it runs also after the agent has read text by others.`}
          checked={reads}
          onChange={(checked) => {
            check.reset();
            setReads(checked);
          }}
        />
        {check.error && <Problem error={check.error} />}
        {!preview && (
          <Button type="submit" className="self-start" disabled={!files.component || check.isPending}>
            {check.isPending ? t`Checking` : t`See what it may do`}
          </Button>
        )}
      </Form>
      {preview && (
        <div className="mt-7 flex flex-col gap-4 border-t border-line pt-4">
          <p>{preview.description}</p>
          <Capabilities name={preview.name} sentences={preview.capabilities} />
          {preview.warnings.map((warning) => (
            <p key={warning} className="rounded bg-waiting-wash p-3">
              {warning}
            </p>
          ))}
          {preview.replaces && (
            <p>
              <Trans>It replaces the tool that has this name now.</Trans>
            </p>
          )}
          {install.error && <Problem error={install.error} />}
          <Button look="act" className="self-start" disabled={install.isPending} onClick={() => install.mutate()}>
            <Trans>Allow this and install</Trans>
          </Button>
        </div>
      )}
    </Dialog>
  );
}

async function toInstall(
  name: string,
  files: { component?: File; capabilities?: File },
  options: Pick<ToolInstall, 'reads' | 'dry_run'>,
): Promise<ToolInstall> {
  const bytes = new Uint8Array((await files.component?.arrayBuffer()) ?? new ArrayBuffer(0));
  const capabilities = (await files.capabilities?.text()) ?? null;
  return { name, wasm: toBase64(bytes), capabilities, ...options, replace: true };
}
