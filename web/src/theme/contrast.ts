/** The tokens of a table of `--name: light-dark(oklch(L C H), oklch(L C H));` lines, each with both colours. */
export function readTokens(css: string): Map<string, { readonly light: Oklch; readonly dark: Oklch }> {
  const line = /--([\w-]+):\s*light-dark\(oklch\(([^)]+)\),\s*oklch\(([^)]+)\)\)/g;
  return new Map(
    [...css.matchAll(line)].map(([, name = '', light = '', dark = '']) => [
      name,
      { light: parseOklch(light), dark: parseOklch(dark) },
    ]),
  );
}

export type Oklch = readonly [lightness: number, chroma: number, hue: number];

/** The contrast of two colours as WCAG counts it, from 1 to 21. */
export function contrast(one: Oklch, other: Oklch): number {
  const [bright = 0, dim = 0] = [luminance(one), luminance(other)].toSorted((a, b) => b - a);
  return (bright + 0.05) / (dim + 0.05);
}

function parseOklch(text: string): Oklch {
  const [lightness = Number.NaN, chroma = Number.NaN, hue = Number.NaN] = text.trim().split(/\s+/).map(Number);
  return [lightness, chroma, hue];
}

function luminance([lightness, chroma, hue]: Oklch): number {
  const a = chroma * Math.cos((hue * Math.PI) / 180);
  const b = chroma * Math.sin((hue * Math.PI) / 180);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const red = 4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s;
  const green = -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s;
  const blue = -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s;
  const clip = (value: number) => Math.min(1, Math.max(0, value));
  return 0.2126 * clip(red) + 0.7152 * clip(green) + 0.0722 * clip(blue);
}
