import { attributeOf, type OfficeFile, openOfficeFile, readReferences, readXml } from './office-file.ts';
import { MOST_PAGES, type Pages, Unreadable } from './pages.ts';

/** PowerPoint: a page for each slide, with the speaker's notes. */
export function readPptx(bytes: Uint8Array, pages: Pages): void {
  const wanted = /^ppt\/(?:presentation\.xml|(?:slides|notesSlides)\/[^/]+\.xml|(?:slides\/)?_rels\/[^/]+\.rels)$/;
  const file = openOfficeFile(bytes, (name) => wanted.test(name));
  const slides = listSlides(file);
  if (slides.length > MOST_PAGES) throw new Unreadable(`It has more than ${MOST_PAGES} slides.`);
  slides.forEach((slide, index) => {
    const { title, text } = readShapes(file.part(slide) ?? '');
    const notes = [...readReferences(file, slide).values()].find(({ type }) => type === 'notesSlide');
    pages.begin(`slide ${index + 1}`);
    pages.add(text, title);
    if (notes) pages.add(readShapes(file.part(notes.target) ?? '').text, [title, 'notes'].filter(Boolean).join(' > '));
  });
}

function listSlides(file: OfficeFile): string[] {
  const main = file.part('ppt/presentation.xml');
  if (main === undefined) throw new Unreadable('It is not a PowerPoint presentation.');
  const references = readReferences(file, 'ppt/presentation.xml');
  const slides: string[] = [];
  readXml(main, {
    open(name, attributes) {
      const target = name === 'sldId' ? references.get(attributes['r:id'] ?? '')?.target : undefined;
      if (target !== undefined) slides.push(target);
    },
  });
  return slides;
}

/** Placeholders that are the same on each slide, such as its number. */
const REPEATED = /^(?:sldNum|dt|ftr|hdr|sldImg)$/;

function readShapes(xml: string): { title: string; text: string } {
  const lines: string[] = [];
  let [title, shape, paragraph, placeholder]: string[] = ['', '', '', ''];
  let cells: string[] | undefined;
  let inText = false;
  readXml(xml, {
    open(name, attributes) {
      if (name === 'sp') [shape, placeholder] = ['', ''];
      else if (name === 'ph') placeholder = attributeOf(attributes, 'type') ?? '';
      else if (name === 'p') paragraph = '';
      else if (name === 't') inText = true;
      else if (name === 'br') paragraph += '\n';
      else if (name === 'tr') cells = [];
      else if (name === 'tc') shape = '';
    },
    text: (text) => void (inText && (paragraph += text)),
    close(name) {
      if (name === 't') inText = false;
      else if (name === 'p' && paragraph?.trim()) [shape, paragraph] = [`${shape}${shape ? '\n' : ''}${paragraph}`, ''];
      else if (name === 'tc') [cells, shape] = [[...(cells ?? []), (shape ?? '').replaceAll('\n', ' ')], ''];
      else if (name === 'tr') lines.push((cells ?? []).join(' | '));
      else if (name === 'sp' && shape && !REPEATED.test(placeholder ?? '')) {
        if (/^(?:title|ctrTitle)$/.test(placeholder ?? '')) title ||= shape.replaceAll(/\s+/g, ' ');
        lines.push(shape);
      }
    },
  });
  return { title: title ?? '', text: lines.join('\n') };
}
