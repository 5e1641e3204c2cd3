import { formatNumber } from '../../ui/format.ts';
import { lookOf } from '../../ui/status.tsx';
import { fitText } from '../layout/fit-text.ts';
import { countStatuses, type Shown } from '../layout/fold.ts';
import type { GraphNode } from '../types.ts';

/** A short text with the tone of a status. */
interface Mark {
  readonly text: string;
  readonly tone: string;
}

/** The texts of a node of the graph, cut to fit into it. */
export interface Face {
  readonly title: string;
  readonly detail: string;
  /** The glyph of the status that needs most attention; absent in a definition. */
  readonly glyph: Mark | undefined;
  /** The word of the status, or how many steps of a fold have each status. */
  readonly marks: readonly Mark[];
  readonly badge: string | undefined;
  readonly isFold: boolean;
  /** The status that needs most attention. */
  readonly status: string | undefined;
  /** All of it in words, for screen readers and as a tooltip. */
  readonly name: string;
}

/** Pixels that bold text of 13 pixels takes for each em. */
const BOLD_EM = 14.5;

/** Pixels of a node, with and without a line for the status. */
export const sizeWith = (hasStatus: boolean) => ({ width: 184, height: hasStatus ? 66 : 48 });

/** The face of a shown node. */
export function faceOf({ members, shape }: Shown, nodes: readonly GraphNode[]): Face {
  const steps = members.flatMap((member) => nodes[member] ?? []);
  const [first] = steps;
  const counts = countStatuses(steps);
  const status = counts[0]?.[0];
  const look = status === undefined ? undefined : lookOf(status);
  const glyph = look && { text: look.glyph, tone: look.tone };
  if (first === undefined || shape === undefined) {
    const { id = '', detail = '', badge } = first ?? {};
    return {
      title: fitText(id, (glyph ? 146 : 164) / BOLD_EM),
      detail: fitText(detail, 164 / 11.5),
      glyph,
      badge,
      status,
      isFold: false,
      marks: look ? [{ text: look.word, tone: look.tone }] : [],
      name: [id, detail, look?.word, badge].filter((part) => part !== undefined && part !== '').join(', '),
    };
  }
  const kinds = new Set(steps.map(({ detail }) => detail));
  const kind = kinds.size === 1 ? first.detail : `${first.kind ?? first.detail.split(' ', 1)[0]} steps`;
  const title = `${formatNumber(steps.length)} × ${kind}`;
  const range = `${first.id} … ${steps.at(-1)?.id ?? ''}`;
  const words = counts.map(([one, count]) => `${formatNumber(count)} ${lookOf(one).word}`);
  return {
    title: fitText(title, (glyph ? 146 : 164) / BOLD_EM),
    detail: fitText(shape === 'chain' ? `${range} in a row` : range, 164 / 11.5),
    glyph,
    status,
    isFold: true,
    marks: counts.slice(0, 4).map(([one, count]) => {
      const { glyph: sign, tone } = lookOf(one);
      return { text: `${sign} ${formatNumber(count)}`, tone };
    }),
    badge: undefined,
    name: [`${title}, ${shape === 'chain' ? 'a chain' : 'side by side'}: ${range}`, ...words, 'unfolds'].join(
      ', ',
    ),
  };
}
