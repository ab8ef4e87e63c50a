import { t } from '@lingui/core/macro';

/** It turns while something works. Where nothing may move it is a dot, so it also says it. */
export function RunningRing() {
  return <span className="spinner" title={t`works`} />;
}
