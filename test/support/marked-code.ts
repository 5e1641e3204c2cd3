/** A fenced block of TypeScript in a text, and what the comment before it says is to be done with it. */
export interface MarkedCode {
  /** `runs` by itself, only `compiles`, or is an `extension`; null where no comment says. */
  readonly use: 'runs' | 'compiles' | 'extension' | null;
  /** The name of its file; the number of its line where it has none. */
  readonly name: string;
  readonly code: string;
}

const opening = /^```(?:ts|js|typescript|javascript)\b/;
const mark = /^<!-- (runs|compiles|extension) as ([\w-]+\.ts) -->$/;

/** All blocks of JavaScript and TypeScript in a Markdown text. A mark stands in the line before its block. */
export function markedCode(markdown: string): readonly MarkedCode[] {
  const lines = markdown.split('\n');
  return lines.flatMap((line, index) => {
    if (!opening.test(line)) return [];
    const end = lines.indexOf('```', index + 1);
    const [, use = null, name = `line ${index + 1}`] = mark.exec(lines[index - 1] ?? '') ?? [];
    return [{ use: use as MarkedCode['use'], name, code: lines.slice(index + 1, end).join('\n') }];
  });
}
