import { useMemo, useState } from 'preact/hooks';
import { Empty } from '../../../ui/states.tsx';
import { type DiffLine, diffLines, foldSame } from './line-diff.ts';
import { diffSteps, type StepChange } from './step-diff.ts';

interface Side {
  /** Undefined where the text is no JSON. */
  readonly definition: unknown;
  readonly text: string;
}

/** Lines that are shown before the reader asks for all. */
const MAX_LINES = 1_500;

/** The differences of two definitions: by step, and by line. */
export function DiffView({ before, after }: { readonly before: Side; readonly after: Side }) {
  const lines = useMemo(() => diffLines(before.text, after.text), [before.text, after.text]);
  const steps = diffSteps(before.definition, after.definition);
  const added = lines.filter(({ sign }) => sign === '+').length;
  const removed = lines.filter(({ sign }) => sign === '-').length;
  if (added + removed === 0) return <Empty>Nothing differs.</Empty>;
  return (
    <>
      {after.definition !== undefined && <StepChanges changes={steps} />}
      <p class="faint">
        {added} {added === 1 ? 'line' : 'lines'} added, {removed} removed
      </p>
      <Lines lines={lines} />
    </>
  );
}

const glyphs = { added: '+', removed: '−', changed: '~' } as const;
const tones = { added: 'good', removed: 'bad', changed: 'warn' } as const;

function StepChanges({ changes }: { readonly changes: readonly StepChange[] }) {
  if (changes.length === 0) return <p class="faint">No step differs: only the order or the writing does.</p>;
  return (
    <ul class="workflows-changes" aria-label="What changed, by step">
      {changes.map(({ id, kind, members }) => (
        <li key={id ?? ''}>
          <span class={`tone-${tones[kind]}`}>
            {glyphs[kind]} {kind}
          </span>{' '}
          {id === undefined ? 'the workflow itself' : <strong>{id}</strong>}
          {members.length > 0 && <span class="faint">: {members.join(', ')}</span>}
        </li>
      ))}
    </ul>
  );
}

function Lines({ lines }: { readonly lines: readonly DiffLine[] }) {
  const blocks = useMemo(() => foldSame(lines), [lines]);
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const [showsAll, setShowsAll] = useState(false);
  let left = showsAll ? Number.POSITIVE_INFINITY : MAX_LINES;
  return (
    <section class="workflows-diff" aria-label="What changed, by line" tabIndex={0}>
      <table>
        <thead class="only-read">
          <tr>
            <th>line before</th>
            <th>line after</th>
            <th>sign</th>
            <th>text</th>
          </tr>
        </thead>
        {blocks.map(({ kind, lines }, index) => {
          if (left <= 0) return null;
          if (kind === 'same' && !open.has(index)) {
            return (
              <tbody key={index}>
                <tr class="workflows-same">
                  <td colSpan={4}>
                    <button type="button" class="quiet" onClick={() => setOpen(new Set([...open, index]))}>
                      {lines.length} equal {lines.length === 1 ? 'line' : 'lines'}
                    </button>
                  </td>
                </tr>
              </tbody>
            );
          }
          const shown = lines.slice(0, left);
          left -= shown.length;
          return (
            <tbody key={index}>
              {shown.map((line, at) => (
                <Line key={at} line={line} />
              ))}
            </tbody>
          );
        })}
      </table>
      {left <= 0 && (
        <button type="button" onClick={() => setShowsAll(true)}>
          Show all lines
        </button>
      )}
    </section>
  );
}

function Line({ line: { sign, before, after, text } }: { readonly line: DiffLine }) {
  const tone = sign === '+' ? 'workflows-added' : sign === '-' ? 'workflows-removed' : undefined;
  return (
    <tr class={tone}>
      <td class="number">{before}</td>
      <td class="number">{after}</td>
      <td>{sign === '-' ? '−' : sign}</td>
      <td>
        <code>{text}</code>
      </td>
    </tr>
  );
}
