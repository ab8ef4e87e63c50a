import { useEffect, useState } from 'react';
import type { StreamdownProps } from 'streamdown';

type Plugin = NonNullable<NonNullable<StreamdownProps['plugins']>['math']>;

let loaded: Plugin | undefined;

/** What finds formulas, once a text has some. Until it is loaded, they show their source. */
export function useMath(isNeeded: boolean): Plugin | undefined {
  const [math, setMath] = useState(() => loaded);
  useEffect(() => {
    if (!isNeeded || math) return;
    let isGone = false;
    Promise.all([import('remark-math'), import('./formula.tsx')]).then(
      ([{ default: remarkMath }]) => {
        loaded = {
          name: 'katex',
          type: 'math',
          remarkPlugin: [remarkMath, { singleDollarTextMath: false }],
          rehypePlugin: leaveAsIs,
        };
        if (!isGone) setMath(loaded);
      },
      () => {}, // offline: the source stays
    );
    return () => {
      isGone = true;
    };
  }, [isNeeded, math]);
  return isNeeded ? math : undefined;
}

/** `CodeBox` renders formulas, so nothing is done in the tree. */
function leaveAsIs(): void {}
