/** A Markdown table; columns named in `text`, and the first, are text, the others figures that stand to the right. */
export function markdownTable(
  head: readonly string[],
  rows: readonly (readonly (string | number)[])[],
  text: readonly string[] = [],
): string {
  const rule = head.map((name, column) => (column === 0 || text.includes(name) ? '---' : '---:'));
  return [head, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** A whole number with its thousands set apart. */
export function integer(figure: number): string {
  return Number.isFinite(figure) ? Math.round(figure).toLocaleString('en') : 'n/a';
}

/** A figure with `digits` behind the point. */
export function decimal(figure: number, digits: number): string {
  return Number.isFinite(figure) ? figure.toFixed(digits) : 'n/a';
}
