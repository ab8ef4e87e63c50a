import { i18n } from '@lingui/core';
import { I18nProvider } from '@lingui/react';
import type { ReactNode } from 'react';
import { useLanguage } from './language.ts';

/** Renders everything inside again in another language, so a text can't stay behind in the old one. */
export function Translated({ children }: { readonly children: ReactNode }) {
  return (
    <I18nProvider key={useLanguage()} i18n={i18n}>
      {children}
    </I18nProvider>
  );
}
