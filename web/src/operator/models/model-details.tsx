import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { ProviderModel } from '@reborn-agent/client/api';
import { useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { CheckField, TextField } from '../../parts/field.tsx';
import { Problem } from '../../parts/problem.tsx';
import { TestModel } from './test-model.tsx';
import { type ModelChange, useChangeModel } from './use-provider-models.ts';

type Props = { readonly model: ProviderModel; readonly provider: string; readonly onClose: () => void };

/** What the operator knows better about a model: its price, its size, and whether it sees images. */
export function ModelDetails({ model, provider, onClose }: Props) {
  const { name, price, route, on } = model;
  const [input, setInput] = useState(price ? String(price.input_usd_per_million) : '');
  const [output, setOutput] = useState(price ? String(price.output_usd_per_million) : '');
  const [context, setContext] = useState(String(model.context_tokens));
  const [seesImages, setSeesImages] = useState(model.reads?.includes('image') ?? false);
  const change = useChangeModel();
  const canDescribe = on && route !== null;
  const send = (event: React.FormEvent) => {
    event.preventDefault();
    const wanted = {
      ...priceChange(model, input, output),
      ...(canDescribe && factsChange(model, context, seesImages)),
    };
    if (Object.keys(wanted).length === 0) return onClose();
    change.mutate({ model, change: wanted }, { onSuccess: onClose });
  };
  return (
    <Dialog title={name} onClose={onClose}>
      <form className="flex flex-col gap-3" onSubmit={send}>
        <p className="text-soft">
          {provider}
          {route !== null && route !== name && (
            <>
              , <Trans>requests call it {route}</Trans>
            </>
          )}
        </p>
        <div className="grid items-start gap-3 sm:grid-cols-2">
          <TextField
            label={t`Price in, for 1M tokens (USD)`}
            type="number"
            min="0"
            step="any"
            value={input}
            onChange={(event) => setInput(event.target.value)}
          />
          <TextField
            label={t`Price out, for 1M tokens (USD)`}
            type="number"
            min="0"
            step="any"
            value={output}
            onChange={(event) => setOutput(event.target.value)}
          />
        </div>
        <p className="text-meta text-soft">
          {model.price_set
            ? t`You have set this price. Empty fields bring back the known one.`
            : t`Empty: the known price, if there is one.`}
        </p>
        {canDescribe && (
          <>
            <TextField
              label={t`Context, in tokens`}
              type="number"
              min="1000"
              value={context}
              onChange={(event) => setContext(event.target.value)}
            />
            <CheckField words={t`This model can see images`} checked={seesImages} onChange={setSeesImages} />
          </>
        )}
        {change.error && <Problem error={change.error} />}
        <div className="flex flex-wrap items-start justify-end gap-2">
          {on && (
            <div className="me-auto">
              <TestModel {...(route !== null && { route })} />
            </div>
          )}
          <Button onClick={onClose}>
            <Trans>Cancel</Trans>
          </Button>
          <Button type="submit" look="act" disabled={change.isPending}>
            <Trans>Save</Trans>
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** One empty field counts as 0 beside the other. */
function priceChange({ price, price_set: isSet }: ProviderModel, input: string, output: string): ModelChange {
  if (input === '' && output === '') return isSet ? { price: null } : {};
  const wanted = { input_usd_per_million: Number(input), output_usd_per_million: Number(output) };
  const isSame =
    wanted.input_usd_per_million === price?.input_usd_per_million &&
    wanted.output_usd_per_million === price.output_usd_per_million;
  return isSame ? {} : { price: wanted };
}

function factsChange(model: ProviderModel, context: string, seesImages: boolean): ModelChange {
  const saw = model.reads?.includes('image') ?? false;
  const others = model.reads?.filter((kind) => kind !== 'image') ?? [];
  return {
    ...(Number(context) !== model.context_tokens && { context_tokens: context === '' ? null : Number(context) }),
    ...(seesImages !== saw && { reads: seesImages ? ['image', ...others] : [...others] }),
  };
}
