/** The colours of a drawing on a canvas, as the present theme has them. */
export interface Palette {
  readonly page: string;
  readonly box: string;
  readonly line: string;
  readonly text: string;
  readonly text2: string;
  readonly ring: string;
  /** By the tone of a status: the colour of its lines and texts, and of the box. */
  readonly tones: ReadonlyMap<string, { readonly strong: string; readonly soft: string }>;
  readonly font: string;
}

const tones = ['good', 'busy', 'wait', 'warn', 'bad', 'calm'];

/** Reads the colours from the style sheets; `element` is any that is in the document. */
export function readPalette(element: HTMLElement): Palette {
  const font = getComputedStyle(element).fontFamily;
  if (matchMedia('(forced-colors: active)').matches) {
    const plain = { strong: 'CanvasText', soft: 'Canvas' };
    const all = new Map(tones.map((tone) => [tone, plain]));
    const [page, line] = ['Canvas', 'CanvasText'];
    return { page, box: page, line, text: line, text2: line, ring: 'Highlight', tones: all, font };
  }
  const probe = document.createElement('span');
  probe.hidden = true;
  element.append(probe);
  const colour = (name: string): string => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  };
  const box = colour('surface');
  const softs = new Set(['busy', 'wait', 'bad']);
  const palette: Palette = {
    page: colour('surface-2'),
    box,
    line: colour('line-strong'),
    ring: colour('accent'),
    font,
    text: colour('text'),
    text2: colour('text-2'),
    tones: new Map(
      tones.map((tone) => [
        tone,
        { strong: colour(tone), soft: softs.has(tone) ? colour(`${tone}-soft`) : box },
      ]),
    ),
  };
  probe.remove();
  return palette;
}

/** Calls `listener` when the operating system changes the theme or its contrast; returns what ends it. */
export function onSystemTheme(listener: () => void): () => void {
  const queries = ['(prefers-color-scheme: dark)', '(forced-colors: active)', '(resolution: 1dppx)'].map(
    (query) => matchMedia(query),
  );
  for (const query of queries) query.addEventListener('change', listener);
  return () => {
    for (const query of queries) query.removeEventListener('change', listener);
  };
}
