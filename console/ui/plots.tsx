import type { ComponentChildren } from 'preact';

/** A series of a plot: its name, its class for the colour, and a value for each step; null where there is none. */
export interface Series {
  readonly name: string;
  readonly tone: 'accent' | 'good' | 'warn' | 'bad' | 'calm' | 'wait';
  readonly values: readonly (number | null)[];
}

interface BarsProps {
  readonly label: string;
  readonly series: readonly Series[];
  readonly height?: number;
}

/** Stacked bars, one for each step. The numbers stand in a table beside it, not here. */
export function Bars({ label, series, height = 40 }: BarsProps) {
  const count = Math.max(0, ...series.map(({ values }) => values.length));
  const sums = Array.from({ length: count }, (_, at) =>
    series.reduce((sum, { values }) => sum + (values[at] ?? 0), 0),
  );
  const top = Math.max(1, ...sums);
  return (
    <svg
      class="bars"
      viewBox={`0 0 ${count} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
      height={height}
    >
      {sums.map((_, at) => {
        let base = height;
        return series.map(({ name, tone, values }) => {
          const size = ((values[at] ?? 0) / top) * height;
          base -= size;
          return size === 0 ? null : (
            <rect
              key={`${name}-${at}`}
              class={`fill-${tone}`}
              x={at + 0.1}
              y={base}
              width={0.8}
              height={size}
            />
          );
        });
      })}
    </svg>
  );
}

/** A plot with its numbers as a table that the reader can open. */
export function WithTable({
  children,
  label,
  head,
  rows,
}: {
  readonly children: ComponentChildren;
  readonly label: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly (string | number)[])[];
}) {
  return (
    <figure class="plot">
      {children}
      <details>
        <summary>{label} as a table</summary>
        <div class="plot-table" role="region" aria-label={label}>
          <table>
            <thead>
              <tr>
                {head.map((name) => (
                  <th key={name} scope="col">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map((row, at) => (
                <tr key={at}>
                  {row.map((cell, column) => (
                    <td key={head[column]}>{cell}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </figure>
  );
}
