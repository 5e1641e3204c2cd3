import { parsePair, splitHeader } from './list.ts';

/** A media range of an Accept header, in lower case, with its quality from 0 to 1. */
interface MediaRange {
  readonly range: string;
  readonly quality: number;
}

/** Whether an Accept header names `mediaType` itself, not only a range that contains it, with a quality above 0. */
export function namesMediaType(accept: string | undefined, mediaType: string): boolean {
  return parseAccept(accept).some(({ range, quality }) => range === mediaType && quality > 0);
}

/** The quality of `mediaType`, by the most specific range that contains it; 0 when none does. */
export function qualityOf(accept: string | undefined, mediaType: string): number {
  const ranges = parseAccept(accept);
  const [type = ''] = mediaType.split('/', 1);
  for (const name of [mediaType, `${type}/*`, '*/*']) {
    const qualities = ranges.filter(({ range }) => range === name).map(({ quality }) => quality);
    if (qualities.length > 0) return qualities.reduce((one, other) => Math.max(one, other));
  }
  return 0;
}

/** Whether an Accept header prefers a page to JSON, as browsers do when they open an address. */
export function prefersHtml(accept: string | undefined): boolean {
  return qualityOf(accept, 'text/html') > qualityOf(accept, 'application/json');
}

function parseAccept(accept = ''): readonly MediaRange[] {
  return splitHeader(accept, ',').map((member) => {
    const [range = '', ...parameters] = splitHeader(member, ';');
    const weight = parameters.map(parsePair).find(([name]) => name === 'q');
    return { range: range.toLowerCase(), quality: weight === undefined ? 1 : parseQuality(weight[1]) };
  });
}

const qualityPattern = /^(?:0(?:\.\d*)?|1(?:\.0*)?)$/;

/** A range whose quality is not a number from 0 to 1 counts as not accepted. */
function parseQuality(text: string): number {
  return qualityPattern.test(text) ? Number(text) : 0;
}
