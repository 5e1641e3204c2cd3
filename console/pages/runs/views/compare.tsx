import { Fragment } from 'preact';
import { hrefTo, place } from '../../../app/router.ts';
import { formatDuration, shortId } from '../../../ui/format.ts';
import { Notice, Reading } from '../../../ui/states.tsx';
import { Status } from '../../../ui/status.tsx';
import { Lasting } from '../../../ui/time.tsx';
import { type ComparedStep, compareSteps, type Difference, differencesOf } from '../logic/differences.ts';
import type { Run, StepResult } from '../logic/reads.ts';
import { useRun } from '../use-run.ts';

/** Two runs side by side: what they got, what became of each step, and where outputs differ. */
export function Compare({ run, other }: { readonly run: Run; readonly other: string }) {
  const read = useRun(other);
  const isAll = place.value.query.get('steps') === 'all';
  const back = hrefTo(['runs', run.execution_id]);
  return (
    <div class="stack">
      <p>
        Compared with the run <a href={hrefTo(['runs', other])}>{shortId(other)}</a>.{' '}
        <a href={back}>End the comparison</a>
      </p>
      <Reading read={read} what="Reading the other run" rows={6}>
        {(right) => <Both left={run} right={right} isAll={isAll} />}
      </Reading>
    </div>
  );
}

interface RunsProps {
  readonly left: Run;
  readonly right: Run;
}

interface BothProps extends RunsProps {
  /** True where steps without a difference are shown too. */
  readonly isAll: boolean;
}

/** More steps than this are not shown. */
const MAX_STEPS = 500;

function Both({ left, right, isAll }: BothProps) {
  const steps = compareSteps(left, right);
  const shown = isAll ? steps : steps.filter(({ differs }) => differs);
  const { path, query } = place.value;
  const all = hrefTo(path, { ...Object.fromEntries(query), steps: isAll ? null : 'all' });
  return (
    <>
      {left.workflow_id !== right.workflow_id && (
        <Notice tone="warn">These are runs of two workflows.</Notice>
      )}
      <RunsTable left={left} right={right} />
      <h2>
        Steps{' '}
        <span class="count faint">
          {steps.filter(({ differs }) => differs).length} of {steps.length} differ
        </span>
      </h2>
      <p>
        <a href={all}>{isAll ? 'Only those that differ' : 'All steps'}</a>
      </p>
      {shown.length === 0 ? (
        <p class="faint">No step differs but in its times.</p>
      ) : (
        <StepTable steps={shown.slice(0, MAX_STEPS)} />
      )}
    </>
  );
}

/** The inputs and outcomes of both runs. */
function RunsTable({ left, right }: RunsProps) {
  return (
    <div class="runs-compare">
      <table>
        <caption class="only-read">The two runs</caption>
        <thead>
          <tr>
            <td />
            <th scope="col">This run, {shortId(left.execution_id)}</th>
            <th scope="col">The other, {shortId(right.execution_id)}</th>
          </tr>
        </thead>
        <tbody>
          <tr>
            <th scope="row">Status</th>
            {[left, right].map((run) => (
              <td key={run.execution_id}>
                <Status of={run.status} /> v{run.version}, attempt {run.attempt},{' '}
                <Lasting from={run.started_at} ms={run.duration_ms} />
                {run.error !== null && <div class="runs-error">{run.error}</div>}
              </td>
            ))}
          </tr>
          <Places name="Input" differences={differencesOf(left.input, right.input)} />
          <Places name="Output" differences={differencesOf(left.output, right.output)} />
        </tbody>
      </table>
    </div>
  );
}

function StepTable({ steps }: { readonly steps: readonly ComparedStep[] }) {
  return (
    <div class="runs-compare">
      <table>
        <caption class="only-read">The steps of both runs</caption>
        <thead>
          <tr>
            <th scope="col">Step</th>
            <th scope="col">This run</th>
            <th scope="col">The other</th>
          </tr>
        </thead>
        <tbody>
          {steps.map(({ id, left, right, outputs }) => (
            <Fragment key={id}>
              <tr>
                <th scope="row" class="mono">
                  {id}
                </th>
                <Side result={left} />
                <Side result={right} />
              </tr>
              <Places name="output" differences={outputs} />
            </Fragment>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Side({ result }: { readonly result: StepResult | undefined }) {
  if (result === undefined) return <td class="faint">it has no such step</td>;
  const { status, duration_ms, attempts, error } = result;
  return (
    <td>
      <Status of={status} />{' '}
      <span class="faint">
        {formatDuration(duration_ms)}
        {attempts > 1 && `, ${attempts} attempts`}
      </span>
      {error !== null && <div class="runs-error">{error}</div>}
    </td>
  );
}

/** The places where two values differ, as rows. */
function Places({
  name,
  differences,
}: {
  readonly name: string;
  readonly differences: readonly Difference[];
}) {
  return (
    <>
      {differences.map(({ path, left, right }) => (
        <tr key={path} class="runs-place">
          <th scope="row">
            {name} <span class="mono">{path}</span>
          </th>
          {[left, right].map((value, index) => (
            <td key={index}>
              {value === undefined || value === null ? (
                <span class="faint">–</span>
              ) : (
                <code>{cut(JSON.stringify(value))}</code>
              )}
            </td>
          ))}
        </tr>
      ))}
    </>
  );
}

const cut = (text: string): string => (text.length > 400 ? `${text.slice(0, 400)} …` : text);
