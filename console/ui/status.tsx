/** The look of a status: its tone, and a glyph that tells it apart without colour. */
interface Look {
  readonly glyph: string;
  readonly tone: 'good' | 'busy' | 'wait' | 'bad' | 'warn' | 'calm';
  /** The word; the status in small letters when absent. */
  readonly word?: string;
}

const looks: Readonly<Record<string, Look>> = {
  COMPLETED: { glyph: '✓', tone: 'good' },
  completed: { glyph: '✓', tone: 'good' },
  answered: { glyph: '✓', tone: 'good' },
  resolved: { glyph: '✓', tone: 'good' },
  approved: { glyph: '✓', tone: 'good' },
  accepted: { glyph: '✓', tone: 'good' },
  ok: { glyph: '✓', tone: 'good' },
  RUNNING: { glyph: '●', tone: 'busy' },
  claimed: { glyph: '●', tone: 'busy' },
  PENDING: { glyph: '○', tone: 'calm', word: 'to come' },
  QUEUED: { glyph: '○', tone: 'calm' },
  WAITING: { glyph: '◐', tone: 'wait' },
  open: { glyph: '◐', tone: 'wait' },
  draft: { glyph: '◐', tone: 'wait' },
  proposed: { glyph: '◐', tone: 'wait' },
  escalated: { glyph: '!', tone: 'warn' },
  partial: { glyph: '!', tone: 'warn' },
  overdue: { glyph: '!', tone: 'bad' },
  degraded: { glyph: '!', tone: 'warn' },
  FAILED: { glyph: '✕', tone: 'bad' },
  failed: { glyph: '✕', tone: 'bad' },
  rejected: { glyph: '✕', tone: 'bad' },
  error: { glyph: '✕', tone: 'bad' },
  CANCELLED: { glyph: '⊘', tone: 'calm' },
  SKIPPED: { glyph: '⊘', tone: 'calm' },
  expired: { glyph: '⊘', tone: 'calm' },
  withdrawn: { glyph: '⊘', tone: 'calm' },
  no_reply: { glyph: '–', tone: 'calm', word: 'no reply' },
  not_found: { glyph: '–', tone: 'calm', word: 'not found' },
  not_configured: { glyph: '–', tone: 'calm', word: 'not set up' },
};

/** The look of a status; a status that is not known is shown as its own word. */
export function lookOf(status: string): Required<Look> {
  const look = looks[status] ?? { glyph: '·', tone: 'calm' };
  return { word: status.toLowerCase().replaceAll('_', ' '), ...look };
}

/** A status as glyph, word and colour. */
export function Status({ of, short = false }: { readonly of: string; readonly short?: boolean }) {
  const { glyph, tone, word } = lookOf(of);
  return (
    <span class={`status tone-${tone}`}>
      <span class="status-glyph" aria-hidden="true">
        {glyph}
      </span>
      <span class={short ? 'only-read' : undefined}>{word}</span>
    </span>
  );
}

/** The mark of a row that has changed and left its list, so that what it says is of before. */
export function Changed() {
  return (
    <span class="tag changed" title="It has changed, and no longer belongs here">
      changed
    </span>
  );
}
