import { OPS, type PDFPageProxy } from 'unpdf/pdfjs';
import { openPdf } from './pdf-text.ts';
import { encodePng } from './png.ts';

/** Models make larger pictures smaller. */
const LONGEST_SIDE = 1568;
/** A4 with 600 dots per inch has 35 million. */
const MOST_PIXELS = 40_000_000;
/** In each direction, a point of the result is the mean of at most so many points. */
const MOST_SAMPLES = 4;
/** A larger one, such as a photograph, becomes grey: then it has at most a byte for each point. Providers refuse larger ones. */
const MOST_BYTES = 3_000_000;

type PagePicture = { readonly page: number; readonly png: string };

/**
 * Draws the pictures of pages where they are on the page: of a scan, that is the page. Text and lines are not drawn. A page without a
 * picture that can be decoded is left out: `unpdf` has no decoder for JBIG2, CCITT and JPEG 2000.
 */
export async function drawPages(data: Uint8Array, numbers: readonly number[]): Promise<PagePicture[]> {
  const pdf = await openPdf(data, { maxImageSize: MOST_PIXELS });
  const drawn: PagePicture[] = [];
  for (const number of numbers) {
    const page = await pdf.getPage(number);
    const png = draw(page, await findPictures(page));
    if (png) drawn.push({ page: number, png: png.toString('base64') });
    page.cleanup();
  }
  return drawn;
}

/** From the coordinates of one thing to those of another: a, b, c, d, e, f. */
type Matrix = readonly [number, number, number, number, number, number];
type Picture = {
  readonly width: number;
  readonly height: number;
  /** 1: a bit for each point; 2: three bytes; 3: four, with the opacity. */
  readonly kind?: number;
  readonly data: Uint8Array;
};
/** A picture fills the square from 0 to 1, which `at` places on the page. A stencil is black where its bits are 0. */
type Placed = { readonly picture: Picture; readonly at: Matrix; readonly isStencil: boolean };

/** In the order they are painted. */
async function findPictures(page: PDFPageProxy): Promise<Placed[]> {
  const { fnArray, argsArray } = await page.getOperatorList();
  const found: Placed[] = [];
  const saved: Matrix[] = [];
  let at: Matrix = [1, 0, 0, 1, 0, 0];
  for (const [index, operator] of fnArray.entries()) {
    const given = (argsArray[index] ?? []) as readonly unknown[];
    const [first] = given;
    if (operator === OPS.save || operator === OPS.paintFormXObjectBegin) saved.push(at);
    if (operator === OPS.restore || operator === OPS.paintFormXObjectEnd) at = saved.pop() ?? at;
    if (operator === OPS.transform) at = multiply(at, given as unknown as Matrix);
    if (operator === OPS.paintFormXObjectBegin && first) at = multiply(at, first as Matrix);
    const isStencil = operator === OPS.paintImageMaskXObject;
    if (!isStencil && operator !== OPS.paintImageXObject && operator !== OPS.paintInlineImageXObject) continue;
    const picture = await loadPicture(page, first as string | Picture);
    if (picture) found.push({ picture, at, isStencil });
  }
  return found;
}

/** What an operator names, or has itself. */
async function loadPicture(page: PDFPageProxy, given: string | Picture): Promise<Picture | undefined> {
  const name = typeof given === 'string' ? given : given.data;
  if (typeof name !== 'string') return given as Picture;
  const objects = name.startsWith('g_') ? page.commonObjs : page.objs;
  const { promise, resolve } = Promise.withResolvers<Picture | null>();
  objects.get(name, resolve);
  return (await promise) ?? undefined;
}

/** All pictures on white; undefined without pictures. */
function draw(page: PDFPageProxy, placed: readonly Placed[]): Buffer | undefined {
  const finest = Math.max(0, ...placed.map(({ picture }) => Math.max(picture.width, picture.height)));
  if (finest === 0) return undefined;
  const { width: pageWidth, height: pageHeight } = page.getViewport({ scale: 1 });
  const scale = Math.min(LONGEST_SIDE, finest) / Math.max(pageWidth, pageHeight);
  const view = page.getViewport({ scale });
  const [width, height] = [Math.max(1, Math.round(view.width)), Math.max(1, Math.round(view.height))];
  const points = new Uint8Array(width * height * 3).fill(255);
  for (const each of placed)
    paint({ width, height, points }, each, multiply(view.transform as unknown as Matrix, each.at));
  const png = encodePng(points, width, 3);
  return png.length <= MOST_BYTES
    ? png
    : encodePng(
        points.filter((_, index) => index % 3 === 1),
        width,
        1,
      );
}

type Canvas = { readonly width: number; readonly height: number; readonly points: Uint8Array };

/** Each point of the canvas becomes the mean of the points of the picture that are there. */
function paint({ width, height, points }: Canvas, { picture, isStencil }: Placed, at: Matrix): void {
  const [a, b, c, d, e, f] = multiply([picture.width, 0, 0, -picture.height, 0, picture.height], invert(at));
  const [left, right] = range([at[4], at[4] + at[0], at[4] + at[2], at[4] + at[0] + at[2]], width);
  const [top, bottom] = range([at[5], at[5] + at[1], at[5] + at[3], at[5] + at[1] + at[3]], height);
  const steps = Math.max(1, Math.min(MOST_SAMPLES, Math.ceil(Math.hypot(a, b))));
  const all = 255 * steps * steps;
  for (let y = top; y < bottom; y++)
    for (let x = left; x < right; x++) {
      let red = 0;
      let green = 0;
      let blue = 0;
      let opacity = 0;
      for (let v = y + 0.5 / steps; v < y + 1; v += 1 / steps)
        for (let u = x + 0.5 / steps; u < x + 1; u += 1 / steps) {
          const point = pointOf(picture, isStencil, Math.floor(a * u + c * v + e), Math.floor(b * u + d * v + f));
          const shown = point >>> 24;
          opacity += shown;
          red += shown * ((point >> 16) & 255);
          green += shown * ((point >> 8) & 255);
          blue += shown * (point & 255);
        }
      const place = 3 * (y * width + x);
      points[place] = ((points[place] ?? 0) * (all - opacity) + red) / all;
      points[place + 1] = ((points[place + 1] ?? 0) * (all - opacity) + green) / all;
      points[place + 2] = ((points[place + 2] ?? 0) * (all - opacity) + blue) / all;
    }
}

/** Opacity, red, green and blue, a byte each; 0 beside the picture. */
function pointOf({ width, height, kind, data }: Picture, isStencil: boolean, column: number, row: number): number {
  if (column < 0 || column >= width || row < 0 || row >= height) return 0;
  if (kind === 1 || isStencil) {
    const isSet = ((data[row * ((width + 7) >> 3) + (column >> 3)] ?? 0) >> (7 - (column & 7))) & 1;
    if (isStencil) return isSet ? 0 : 0xff_00_00_00;
    return isSet ? 0xff_ff_ff_ff : 0xff_00_00_00;
  }
  const size = kind === 2 ? 3 : 4;
  const at = size * (row * width + column);
  const opacity = kind === 2 ? 255 : (data[at + 3] ?? 0);
  return (opacity << 24) | ((data[at] ?? 0) << 16) | ((data[at + 1] ?? 0) << 8) | (data[at + 2] ?? 0);
}

/** The whole points between the least and the most of these. */
const range = (values: readonly number[], most: number): [number, number] => [
  Math.max(0, Math.floor(Math.min(...values))),
  Math.min(most, Math.ceil(Math.max(...values))),
];

/** First `inner`, then `outer`. */
const multiply = ([a, b, c, d, e, f]: Matrix, [g, h, i, j, k, l]: Matrix): Matrix => [
  a * g + c * h,
  b * g + d * h,
  a * i + c * j,
  b * i + d * j,
  a * k + c * l + e,
  b * k + d * l + f,
];

function invert([a, b, c, d, e, f]: Matrix): Matrix {
  const size = a * d - b * c;
  return [d / size, -b / size, -c / size, a / size, (c * f - d * e) / size, (b * e - a * f) / size];
}
