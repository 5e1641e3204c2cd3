import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { hrefTo } from '../../../app/router.ts';
import { Graph } from '../../../graph/graph.tsx';
import { toGraph } from '../../../graph/to-graph.ts';
import { Empty, Failed } from '../../../ui/states.tsx';
import type { Workflow } from '../api.ts';
import { draftGraph, isObject } from '../steps.ts';
import { DiffView } from '../versions/diff-view.tsx';
import { type Draft, toText } from './draft.ts';
import { lineOf, placesOf } from './json-places.ts';
import type { Checked, Problem } from './use-validation.ts';

interface DraftSideProps {
  readonly checked: Checked;
  readonly draft: Draft;
  readonly stored: Workflow | undefined;
  readonly onLine: (line: number) => void;
}

/** The column beside a draft: its faults, its graph, and its changes. */
export function DraftSide({ checked, draft, stored, onLine }: DraftSideProps) {
  const { problems, isValid, error, definition } = checked;
  const [showsChanges, setShowsChanges] = useState(false);
  return (
    <div class="stack">
      <section class="card stack" aria-labelledby="problems">
        <h2 id="problems">
          {isValid === undefined ? (
            <span class="faint">Checking …</span>
          ) : isValid ? (
            <span class="tone-good">✓ Valid</span>
          ) : (
            <span class="tone-bad">✕ Not valid</span>
          )}
        </h2>
        {error && <Failed error={error} />}
        {problems.length > 0 && <Problems problems={problems} onLine={onLine} />}
      </section>
      <section class="card stack" aria-label="Graph of the draft">
        <DraftGraph definition={definition} text={draft.text} onLine={onLine} />
      </section>
      {stored && (
        <section class="card stack" aria-label="Changes">
          <div class="workflows-acts">
            <button type="button" aria-expanded={showsChanges} onClick={() => setShowsChanges(!showsChanges)}>
              {showsChanges ? 'Hide the changes' : `Changes to version ${stored.version}`}
            </button>
            <a href={hrefTo(['workflows', stored.id], { view: 'simulate' })}>Simulate a stored version</a>
          </div>
          {showsChanges && (
            <DiffView
              before={{ definition: stored, text: toText(stored) }}
              after={{ definition, text: draft.text }}
            />
          )}
        </section>
      )}
      {!stored && (
        <p class="faint">The API simulates stored versions: create the workflow first, then simulate it.</p>
      )}
    </div>
  );
}

interface DraftGraphProps {
  /** Undefined where the text is no JSON. */
  readonly definition: unknown;
  readonly text: string;
  readonly onLine: (line: number) => void;
}

/** Milliseconds without a change after which the graph is drawn again. */
const DRAW_MS = 200;

/** The graph of a draft. It is drawn when typing pauses, and only when something that it shows has changed. */
function DraftGraph({ definition, text, onLine }: DraftGraphProps) {
  const [shown, setShown] = useState(definition);
  const [selected, setSelected] = useState<string>();
  useEffect(() => {
    const timer = setTimeout(() => setShown(definition), DRAW_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const goToStep = (id: string): void => {
    setSelected(id);
    const index = stepsOf(definition).indexOf(id);
    if (index >= 0) onLine(lineOf(text, placesOf(text), `/steps/${index}`));
  };
  const newest = useRef(goToStep);
  newest.current = goToStep;
  const graph = useMemo(() => draftGraph(shown), [shown]);
  const key = useMemo(() => JSON.stringify(graph), [graph]);
  const drawn = useMemo(
    () => (
      <Graph
        label="Steps of the draft"
        {...toGraph(graph)}
        selected={selected}
        onSelect={(id) => newest.current(id)}
      />
    ),
    [key, selected],
  );
  if (graph.steps.length > 0) return drawn;
  const why =
    shown === undefined ? 'The graph comes back when the text is JSON again.' : 'There is no step yet.';
  return <Empty>{why}</Empty>;
}

/** The ids of the steps, by their places in the list. */
function stepsOf(definition: unknown): readonly unknown[] {
  const steps = isObject(definition) ? definition['steps'] : undefined;
  return Array.isArray(steps) ? steps.map((step: unknown) => (isObject(step) ? step['id'] : undefined)) : [];
}

interface ProblemsProps {
  readonly problems: readonly Problem[];
  readonly onLine: (line: number) => void;
}

function Problems({ problems, onLine }: ProblemsProps) {
  return (
    <ul class="workflows-problems" aria-label="What is wrong">
      {problems.map(({ tone, line, detail, pointer }, index) => (
        <li key={index}>
          <button type="button" class="link" onClick={() => onLine(line)}>
            line {line}
          </button>{' '}
          <span class={`tone-${tone}`}>{tone === 'bad' ? '✕ error' : '! warning'}</span>{' '}
          {pointer !== '' && <code>{pointer}</code>} {detail}
        </li>
      ))}
    </ul>
  );
}
