import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { useRead } from '../../api/use-read.ts';
import { setQuery } from '../../app/router.ts';
import { Effect } from '../../ui/effect.tsx';
import { formatDuration, formatNumber, formatShare } from '../../ui/format.ts';
import { Json } from '../../ui/json.tsx';
import { isNarrow } from '../../ui/narrow.ts';
import { PageHead } from '../../ui/page-head.tsx';
import { Empty, Reading } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { readTools, type Tool } from './tool-calls.ts';
import { TryTool } from './try-tool.tsx';

const callsOf = ({ stats }: Tool): number =>
  stats === undefined ? 0 : stats.success + stats.error + stats.not_found;

const columns: readonly Column<Tool>[] = [
  {
    name: 'name',
    label: 'tool',
    width: 'minmax(10rem, 2fr)',
    cell: ({ name }) => <span class="mono">{name}</span>,
  },
  { name: 'effect', label: 'effect', width: '10rem', cell: ({ effect }) => effect && <Effect of={effect} /> },
  { name: 'source', label: 'from', width: '6rem', cell: ({ source }) => source },
  {
    name: 'calls',
    label: 'calls',
    width: '5rem',
    isNumber: true,
    cell: (tool) => formatNumber(callsOf(tool)),
  },
  {
    name: 'errors',
    label: 'errors',
    width: '6rem',
    isNumber: true,
    cell: (tool) => {
      const errors = tool.stats?.error ?? 0;
      return (
        <span class={errors > 0 ? 'tone-bad' : 'faint'}>
          {callsOf(tool) === 0 ? '–' : formatShare(errors / callsOf(tool))}
        </span>
      );
    },
  },
  {
    name: 'mean',
    label: 'mean time',
    width: '6rem',
    isNumber: true,
    cell: ({ stats }) => formatDuration(stats?.mean_duration_ms),
  },
];

/** The tools: what they do to the world, how they fare since the process started, and a way to try one. */
export function Tools({
  menu,
  query,
}: {
  readonly menu: ComponentChildren;
  readonly query: URLSearchParams;
}) {
  const read = useRead('tools', readTools, {
    stale: ({ type }) => type === 'execution.completed' || type === 'message.finished',
  });
  const name = query.get('tool') ?? undefined;
  const chosen = read.value?.tools.find((tool) => tool.name === name);
  return (
    <>
      <PageHead
        title="Tools"
        facts={read.value && `${formatNumber(read.value.count)} registered; calls since this process started`}
        calls={[{ label: 'Tools', call: read.call }]}
      />
      {menu}
      <Reading read={read} what="Reading the tools">
        {({ tools }) =>
          tools.length === 0 ? (
            <Empty>No tool is registered.</Empty>
          ) : (
            <div class="split">
              <Table
                label="Tools"
                columns={columns}
                rows={tools}
                idOf={(tool) => tool.name}
                selected={name}
                onSelect={(tool) => setQuery({ tool: tool.name }, { replace: true })}
              />
              {chosen === undefined ? (
                <Empty>Choose a tool to see its schemas and to try it.</Empty>
              ) : (
                <ToolDetails key={chosen.name} tool={chosen} onTried={read.reload} />
              )}
            </div>
          )
        }
      </Reading>
    </>
  );
}

function ToolDetails({ tool, onTried }: { readonly tool: Tool; readonly onTried: () => void }) {
  const box = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    // They stand below a list that fills a narrow window.
    if (isNarrow.value) box.current?.scrollIntoView();
  }, []);
  return (
    <section ref={box} class="card stack automation-details" aria-label={tool.name}>
      <header class="automation-head">
        <h2 class="mono">{tool.name}</h2>
        {tool.effect && <Effect of={tool.effect} />}
      </header>
      <p>{tool.description}</p>
      <TryTool tool={tool} onTried={onTried} />
      <details>
        <summary>Schema of its input</summary>
        <Json value={tool.input_schema} label="Schema of the input" />
      </details>
      {tool.output_schema !== undefined && (
        <details>
          <summary>Schema of its output</summary>
          <Json value={tool.output_schema} label="Schema of the output" />
        </details>
      )}
    </section>
  );
}
