import { LAYERS, type Layer, type Strength } from './sandbox.ts';

/** Debian's packages of what code may want, by the name that code uses. Debian 12 has no duckdb and no pptx. */
const PACKAGES: Readonly<Record<string, string>> = {
  numpy: 'python3-numpy',
  pandas: 'python3-pandas',
  matplotlib: 'python3-matplotlib',
  scipy: 'python3-scipy',
  openpyxl: 'python3-openpyxl',
  docx: 'python3-docx',
  PIL: 'python3-pil',
  lxml: 'python3-lxml',
  xlsxwriter: 'python3-xlsxwriter',
  pypdf: 'python3-pypdf',
  reportlab: 'python3-reportlab',
  jq: 'jq',
  rg: 'ripgrep',
  git: 'git',
  unzip: 'unzip',
  convert: 'imagemagick',
  pandoc: 'pandoc',
  pdftotext: 'poppler-utils',
};

/** A sentence that says where code of the agent runs and what protects the machine, or why none runs. */
export function describeStrength(strength: Strength): string {
  const { layers, why, environment } = strength;
  if (why !== undefined || !environment) return `No code runs. ${why}`;
  const { python, libraries, missing } = environment;
  const lacks = (Object.keys(LAYERS) as Layer[]).filter((layer) => !layers.includes(layer));
  return [
    `Code runs ${placeOf(strength)} these apart: ${layers.join(', ')}.`,
    ...(lacks.length > 0
      ? [`It does not hold: ${lacks.map((layer) => `${layer} (${LAYERS[layer]})`).join(', ')}.`]
      : []),
    `It finds Python ${python} with ${libraries.map(({ name }) => name).join(', ') || 'no library'}.`,
    ...(missing.length > 0 ? [`Missing: ${missing.join(', ')}.`] : []),
  ].join(' ');
}

function placeOf({ rung, program, runners }: Strength): string {
  if (rung !== 'runners') return `behind ${program}, which keeps`;
  return `in runners${program ? ` (${program})` : ''}, ${runners?.free} free of ${runners?.of}, which keep`;
}

/** The packages that have what is missing. */
export const packagesFor = (missing: readonly string[]): string[] =>
  missing.flatMap((name) => PACKAGES[name] ?? []).toSorted();
