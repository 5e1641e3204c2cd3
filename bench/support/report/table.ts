/** A Markdown table. The first column and those named in `text` are left-aligned, the others right-aligned. */
export function markdownTable(
  head: readonly string[],
  rows: readonly (readonly (string | number)[])[],
  text: readonly string[] = [],
): string {
  const rule = head.map((name, column) => (column === 0 || text.includes(name) ? '---' : '---:'));
  return [head, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** Formats an integer with thousands separators. */
export function integer(sample: number): string {
  return Number.isFinite(sample) ? Math.round(sample).toLocaleString('en') : 'n/a';
}

/** Formats a number with `digits` decimal places. */
export function decimal(sample: number, digits: number): string {
  return Number.isFinite(sample) ? sample.toFixed(digits) : 'n/a';
}
