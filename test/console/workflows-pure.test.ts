import { describe, expect, it } from 'vitest';
import { toGraph } from '../../console/graph/to-graph.ts';
import { indent, toText } from '../../console/pages/workflows/editor/draft.ts';
import {
  jsonProblem,
  lineOf,
  placesOf,
  pointerOfWarning,
} from '../../console/pages/workflows/editor/json-places.ts';
import { effectsOf } from '../../console/pages/workflows/effects.ts';
import { draftGraph } from '../../console/pages/workflows/steps.ts';
import { diffLines, foldSame } from '../../console/pages/workflows/versions/line-diff.ts';
import { diffSteps } from '../../console/pages/workflows/versions/step-diff.ts';

const marked = (before: string, after: string): string =>
  diffLines(before, after)
    .map(({ sign, text }) => sign + text)
    .join('|');

describe('The difference of two texts', () => {
  it('has what was removed and added, with the numbers of the lines', () => {
    expect(marked('a\nb\nc', 'a\nx\nc')).toBe(' a|-b|+x| c');
    expect(marked('a', 'a')).toBe(' a');
    expect(diffLines('a\nb', 'b\nc')).toEqual([
      { sign: '-', before: 1, after: undefined, text: 'a' },
      { sign: ' ', before: 2, after: 1, text: 'b' },
      { sign: '+', before: undefined, after: 2, text: 'c' },
    ]);
  });

  it('finds equal lines that stand more than once', () => {
    expect(marked('{\n}\n{\n}', '{\n}\n{\nx\n}')).toBe(' {| }| {|+x| }');
    expect(marked('1\n2\n3\n4', '3\n4\n1\n2').match(/ \d/g)).toHaveLength(2);
  });

  it('tells both texts, whatever they are', () => {
    const random = (seed: number) => () => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed;
    };
    for (let seed = 1; seed < 200; seed++) {
      const next = random(seed);
      const text = () => Array.from({ length: next() % 30 }, () => String(next() % 9)).join('\n');
      const [before, after] = [text(), text()];
      const lines = diffLines(before, after);
      const of = (sign: string) =>
        lines.flatMap((line) => (line.sign === sign ? [] : [line.text])).join('\n');
      expect(of('+')).toBe(before);
      expect(of('-')).toBe(after);
    }
  });

  it('does not grow with the square of texts that have nothing in common', () => {
    const lines = (word: string) => Array.from({ length: 60_000 }, (_, at) => `${word}${at % 3}`).join('\n');
    expect(diffLines(lines('a'), lines('b'))).toHaveLength(120_000);
  });

  it('sets equal lines apart that are far from a change', () => {
    const text = (word: string) => `${'same\n'.repeat(10)}${word}${'\nsame'.repeat(10)}`;
    const blocks = foldSame(diffLines(text('a'), text('b')));
    expect(blocks.map(({ kind, lines }) => [kind, lines.length])).toEqual([
      ['same', 7],
      ['lines', 8],
      ['same', 7],
    ]);
  });
});

describe('The difference of two definitions', () => {
  it('tells which steps were added, removed and changed', () => {
    const before = { name: 'A', version: 1, steps: [{ id: 'a' }, { id: 'b', when: 'true' }] };
    const after = { name: 'B', version: 2, steps: [{ id: 'c' }, { id: 'b', when: 'false' }] };
    expect(diffSteps(before, after)).toEqual([
      { id: undefined, kind: 'changed', members: ['name'] },
      { id: 'c', kind: 'added', members: [] },
      { id: 'b', kind: 'changed', members: ['when'] },
      { id: 'a', kind: 'removed', members: [] },
    ]);
  });
});

describe('The places in a JSON text', () => {
  const text =
    '{\n  "name": "x, {",\n  "steps": [\n    {"id": "a"},\n    {"id": "b",\n     "a/b": 1}\n  ]\n}';
  const places = placesOf(text);

  it('are found by pointers, and by the closest value around what is missing', () => {
    expect(lineOf(text, places, '/name')).toBe(2);
    expect(lineOf(text, places, '/steps/1/a~1b')).toBe(6);
    expect(lineOf(text, places, '/steps/1/tool_name')).toBe(5);
    expect(lineOf(text, places, '')).toBe(1);
  });

  it('are found in the part before a mistake', () => {
    const broken = '{\n "a": [1,\n 2, ]]\n "b": }';
    expect(lineOf(broken, placesOf(broken), '/a/1')).toBe(3);
    expect(jsonProblem(broken)).toMatchObject({ line: 3 });
    expect(jsonProblem('{"a":\n ')?.line).toBe(1);
    expect(jsonProblem('{"a": 1,\n}')?.line).toBe(2);
    expect(jsonProblem('{\n"a" 1\n}')?.line).toBe(2);
    expect(jsonProblem('{\n"a": tru\n}')?.line).toBe(2);
    expect(jsonProblem('{\n"a": "b\n}')?.line).toBe(2);
    expect(jsonProblem('[1]\n]')?.line).toBe(2);
    expect(jsonProblem(text)).toBeUndefined();
  });

  it('take linear time for hostile texts', () => {
    expect(placesOf('['.repeat(100_000)).size).toBe(101);
    expect(placesOf(`"${'\\'.repeat(200_001)}`).size).toBeLessThan(2);
  });

  it('are told by warnings', () => {
    expect(pointerOfWarning('steps.1.tool_name: no tool')).toBe('/steps/1/tool_name');
    expect(pointerOfWarning('body: a definition has no member "x"')).toBe('');
    expect(pointerOfWarning('no path at all')).toBe('');
  });
});

describe('The graph of a draft', () => {
  it('leaves out what is no step, and edges to nowhere', () => {
    const { nodes, edges } = toGraph(
      draftGraph({
        steps: [{ id: 'a' }, 7, { id: 'a' }, { id: 'b', kind: 'wait', depends_on: ['a', 'x', 'a', 3] }],
      }),
    );
    expect(nodes.map(({ id, layer, detail }) => [id, layer, detail])).toEqual([
      ['a', 0, 'tool'],
      ['b', 1, 'wait'],
    ]);
    expect(edges).toEqual([{ from: 'a', to: 'b' }]);
    expect(draftGraph('no object').steps).toEqual([]);
  });

  it('puts a cycle after everything else', () => {
    const steps = [{ id: 'a', depends_on: ['b'] }, { id: 'b', depends_on: ['a'] }, { id: 'c' }];
    expect(draftGraph({ steps }).layers).toEqual([['c'], ['a', 'b']]);
  });
});

describe('A definition as text', () => {
  it('is without what the service adds, and without empty defaults', () => {
    const text = toText({
      id: '1',
      version: 2,
      name: 'A',
      description: '',
      output: {},
      steps: [{ id: 'a', kind: 'tool', depends_on: [], static_input: {} }],
    });
    expect(Object.entries(JSON.parse(text))).toEqual([
      ['name', 'A'],
      ['steps', [{ id: 'a', kind: 'tool' }]],
      ['output', {}],
    ]);
  });

  it('is indented by lines', () => {
    expect(indent('a\nb', 1, 1)).toEqual({ from: 1, insert: '  ' });
    expect(indent('a\nb', 0, 3)).toEqual({ from: 0, insert: '  a\n  b' });
  });
});

describe('The effects of steps', () => {
  it('are those of what they call', () => {
    const known = { tools: new Map([['pay', 'write']]), agents: new Map([['echo', 'read']]) };
    const steps = [
      { id: 'a', kind: 'tool', tool_name: 'pay' },
      { id: 'b', kind: 'agent', agent_name: 'gone' },
      { id: 'c', kind: 'approval' },
    ];
    expect(effectsOf(steps, known).map(({ effect, calls }) => `${calls}: ${effect}`)).toEqual([
      'tool pay: write',
      'agent gone: unknown',
      'approval: asks',
    ]);
  });
});
