import { type ComponentProps, isValidElement, type ReactNode, Suspense, use } from 'react';
import { defaultComponents, type ExtraProps, useIsCodeFenceIncomplete } from 'streamdown';
import { lazyPart } from '../../parts/lazy-part.ts';
import { Code } from './code.tsx';
import { Diagram } from './diagram.tsx';
import { FramesAllowed } from './frames-allowed.ts';

const Formula = lazyPart(() => import('./formula.tsx').then((module) => module.Formula));

type Props = ComponentProps<'code'> & ExtraProps;

/** Code inside a line or a block of it, or the formula, diagram or page that it describes. */
export function CodeBox(props: Props) {
  const isIncomplete = useIsCodeFenceIncomplete();
  const canDraw = use(FramesAllowed);
  const isBlock = 'data-block' in props;
  const language = /language-(\S+)/.exec(props.className ?? '')?.[1] ?? '';
  const code = codeOf(props.children);
  if (language === 'math')
    return (
      <Suspense fallback={code}>
        <Formula source={code} display={isBlock} />
      </Suspense>
    );
  if (!isBlock) return <defaultComponents.code {...props} />;
  if (language === 'mermaid' && !isIncomplete && canDraw) return <Diagram source={code} />;
  return <Code code={code} language={language} isIncomplete={isIncomplete} />;
}

function codeOf(children: ReactNode): string {
  if (typeof children === 'string') return children;
  if (Array.isArray(children)) return children.map(codeOf).join('');
  return isValidElement<{ children?: ReactNode }>(children) ? codeOf(children.props.children) : '';
}
