import { createRequire } from 'node:module';
import type { compile as Compile, FormatCallback } from 'html-to-text';

const require = createRequire(import.meta.url);

/** Stands for content that lies too deep to be visited; a code point that is no character. */
const TOO_DEEP = '\uFDD1';
const MAX_DEPTH = 120;

const tags = new Set(
  (
    'a abbr article b big blockquote body br center code dd del div dl dt em font footer h1 h2 h3 h4 h5 h6 head header hr ' +
    'html i img ins li link main meta o:p ol p pre s section small span strike strong style sub sup table tbody td ' +
    'tfoot th thead title tr tt u ul'
  ).split(' '),
);

/** The counts of {@link isHtml}. */
interface Markup {
  readonly tags: number;
  readonly closing: number;
  /** Tags with attributes as mail programs write them. */
  readonly attributes: number;
  /** Line breaks directly behind a word, as no one writes them who asks about a tag. */
  readonly breaks: number;
}

const tagAt = /<(\/?)([a-z][a-z0-9:]{0,10})([\s/][^<>]{0,2000})?>/giy;
const attribute = /\s(?:style|class|dir|href|align|width|bgcolor|lang|id|data-[a-z]+)\s?=/i;

/** True for mark-up, not for a text that only mentions a tag or an entity. */
export function isHtml(text: string): boolean {
  if (!text.includes('<') && !text.includes('&')) return false;
  const body = text.trim();
  if (/^(?:<!doctype html|<html|<\?xml)[\s>]/i.test(body) || isOnlyMarkup(body)) return true;
  const found = countMarkup(body);
  const isEnclosed = /^<[a-z!]/i.test(body) && body.endsWith('>');
  if (isEnclosed && found.closing > 0) return true;
  return found.tags > 1 && (found.breaks > 1 || (found.attributes > 0 && found.closing > 0));
}

function countMarkup(text: string): Markup {
  const found = { tags: 0, closing: 0, attributes: 0, breaks: 0 };
  for (let at = text.indexOf('<'); at >= 0; at = text.indexOf('<', at + 1)) {
    tagAt.lastIndex = at;
    const tag = tagAt.exec(text);
    const name = tag?.[2]?.toLowerCase() ?? '';
    if (tag === null || !tags.has(name)) continue;
    found.tags++;
    if (tag[1] === '/') found.closing++;
    if (attribute.test(tag[3] ?? '')) found.attributes++;
    if (name === 'br' && at > 0 && /[^\s"'`(]/.test(text.charAt(at - 1))) found.breaks++;
  }
  return found;
}

/** True when nothing is left beside tags, entities of blanks, and blanks, and there is at least one of them. */
function isOnlyMarkup(text: string): boolean {
  if (text.length > 2000 || !/^[<&]/.test(text)) return false;
  const rest = text.replace(
    /<\/?(?:br|p|div|span|html|body)(?:[\s/][^<>]{0,200})?>|&nbsp;|&#160;|&#xa0;|&zwnj;/gi,
    '',
  );
  return rest.trim() === '';
}

/** HTML as plain text: entities decoded, scripts and styles dropped, quoted parts as lines that begin with `>`. */
export function htmlToText(html: string): string {
  const text = converter()(html);
  return text.includes(TOO_DEEP) ? withoutTags(html) : text;
}

let loaded: ((html: string) => string) | undefined;

/** Loaded on first need: most messages are plain text. */
function converter(): (html: string) => string {
  if (loaded !== undefined) return loaded;
  const { compile }: { readonly compile: typeof Compile } = require('html-to-text');
  const blank = { suffix: ' ' };
  loaded = compile({
    wordwrap: false,
    limits: { maxDepth: MAX_DEPTH, ellipsis: TOO_DEEP },
    formatters: { emoji: formatEmoji },
    selectors: [
      { selector: 'a', options: { ignoreHref: true } },
      { selector: 'img', format: 'emoji' },
      { selector: 'hr', format: 'lineBreak' },
      { selector: 'td', format: 'inlineSurround', options: blank },
      { selector: 'th', format: 'inlineSurround', options: blank },
      ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({
        selector,
        options: { uppercase: false },
      })),
      ...['head', 'title', 'object', 'noscript'].map((selector) => ({ selector, format: 'skip' })),
    ],
  });
  return loaded;
}

/** Mail programs send emoji as images; other images say nothing. */
const formatEmoji: FormatCallback = (element, _walk, builder) => {
  const { alt } = element.attribs;
  if (alt !== undefined && /^\P{ASCII}{1,8}$/u.test(alt)) builder.addInline(alt);
};

/** For mark-up nested deeper than any mail: every tag becomes a line break, so that no text is lost. */
function withoutTags(html: string): string {
  return html.replace(/<\/?[a-z!][^<>]*>/gi, '\n');
}
