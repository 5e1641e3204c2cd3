import { useEffect, useRef, useState } from 'preact/hooks';
import { type Call, send } from '../../../api/call.ts';
import { useKeys } from '../../../app/keys.ts';
import { announce, say } from '../../../app/messages.tsx';
import { goTo, hrefTo } from '../../../app/router.ts';
import { CurlButton } from '../../../ui/curl.tsx';
import { PageHead } from '../../../ui/page-head.tsx';
import { Failed, Notice } from '../../../ui/states.tsx';
import { toDefinition, validate, type Workflow } from '../api.ts';
import { useSend } from '../use-send.ts';
import { Behind } from './behind.tsx';
import { CodeField, goToLine } from './code-field.tsx';
import { type Draft, dropDraft, keepDraft, keptDraft, newText, toText } from './draft.ts';
import { DraftSide } from './draft-side.tsx';
import { useValidation } from './use-validation.ts';

/** A place to write a new workflow. */
export function NewWorkflow() {
  return (
    <>
      <PageHead title="New workflow" crumbs={[{ label: 'Workflows', href: '#/workflows' }]} />
      <DraftEditor stored={undefined} start={{ text: newText, base: null }} reload={() => undefined} />
    </>
  );
}

interface EditorProps {
  /** The newest version. */
  readonly workflow: Workflow;
  readonly query: URLSearchParams;
  readonly reload: () => void;
}

/** An editor for the next version of a workflow; `from` of the query names an older version to begin with. */
export function Editor({ workflow, query, reload }: EditorProps) {
  const { id, version } = workflow;
  const from = query.get('from');
  const [start, setStart] = useState<Draft | undefined>(
    from === null || Number(from) === version ? { text: toText(workflow), base: version } : undefined,
  );
  useEffect(() => {
    if (start !== undefined || from === null) return;
    send((api) => api.workflows[':id'].versions[':n'].$get({ param: { id, n: from } })).then(
      (older) => setStart({ text: toText(older), base: version }),
      () => {
        say(`Version ${from} cannot be read: this is the newest one.`, { tone: 'bad' });
        setStart({ text: toText(workflow), base: version });
      },
    );
  }, [from]);
  if (start === undefined) return <p class="faint">Reading version {from} …</p>;
  return <DraftEditor stored={workflow} start={start} reload={reload} />;
}

interface DraftEditorProps {
  /** The newest version; undefined for a new workflow. */
  readonly stored: Workflow | undefined;
  readonly start: Draft;
  readonly reload: () => void;
}

function DraftEditor({ stored, start, reload }: DraftEditorProps) {
  const id = stored?.id;
  const [kept] = useState(() => keptDraft(id));
  const [origin, setOrigin] = useState(start);
  const [draft, setDraft] = useState(kept ?? start);
  const [isKept, setIsKept] = useState(kept !== undefined && kept.text !== start.text);
  const field = useRef<HTMLTextAreaElement>(null);
  const checked = useValidation(draft.text);
  const sending = useSend<Awaited<ReturnType<ReturnType<typeof saveCall>>>>();
  const { error } = sending;
  const isJson = checked.definition !== undefined;
  const save = isJson ? saveCall(id, draft) : undefined;

  const change = (next: Draft): void => {
    setDraft(next);
    if (next.text === origin.text) dropDraft(id);
    else keepDraft(id, next);
  };
  const store = async (): Promise<void> => {
    if (save === undefined || sending.isBusy || sending.isRefused) return;
    const saved = await sending.send(save);
    if (saved === undefined) {
      reload();
      return;
    }
    dropDraft(id);
    say(`Version ${saved.version} of “${saved.name}” is stored.`, { tone: 'good' });
    goTo(hrefTo(['workflows', saved.id]));
  };
  const discard = (): void => {
    dropDraft(id);
    const next = stored === undefined ? start : { text: toText(stored), base: stored.version };
    setOrigin(next);
    setDraft(next);
    setIsKept(false);
    sending.clear();
  };
  useKeys('Editor', [{ key: 'i', label: 'into the text', run: () => field.current?.focus() }]);
  useEffect(() => {
    const errors = checked.problems.filter(({ tone }) => tone === 'bad').length;
    if (checked.isValid !== undefined) announce(errors === 0 ? 'The draft is valid' : `${errors} errors`);
  }, [checked.isValid, checked.problems.length]);

  const wrongLines = new Set(checked.problems.map(({ line }) => line));
  const isChanged = draft.text !== origin.text;
  return (
    <>
      {isKept && (
        <Notice tone="warn">
          <p>This is your text from before, which was not saved.</p>
        </Notice>
      )}
      {stored !== undefined && draft.base !== null && stored.version > draft.base && (
        <Behind
          stored={stored}
          draft={draft}
          definition={checked.definition}
          onGoOn={() => change({ ...draft, base: stored.version })}
          onDiscard={discard}
        />
      )}
      {error && <Failed error={error} />}
      <div class="workflows-editor">
        <section class="card stack" aria-label="Text">
          <CodeField
            label="Definition as JSON"
            value={draft.text}
            onChange={(text) => change({ ...draft, text })}
            wrongLines={wrongLines}
            field={field}
            onSave={() => void store()}
          />
          <div class="workflows-acts">
            <button
              type="button"
              class="button-main"
              disabled={sending.isBusy || sending.isRefused || checked.isValid !== true}
              onClick={() => void store()}
            >
              {stored === undefined ? 'Create' : `Save as version ${(draft.base ?? 0) + 1}`}
            </button>
            {save && isJson && (
              <CurlButton
                calls={[
                  { label: 'Save', call: save },
                  { label: 'Check', call: validate(toDefinition(draft.text)) },
                ]}
              />
            )}
            <button
              type="button"
              disabled={!isJson}
              onClick={() => change({ ...draft, text: `${JSON.stringify(checked.definition, null, 2)}\n` })}
            >
              Tidy
            </button>
            {(isChanged || isKept) && (
              <button type="button" class="quiet" onClick={discard}>
                Discard my changes
              </button>
            )}
            {sending.isRefused && <span class="faint">The console is read-only.</span>}
            {isChanged && <span class="faint">Kept in this tab until it is saved.</span>}
          </div>
        </section>
        <DraftSide
          checked={checked}
          draft={draft}
          stored={stored}
          onLine={(line) => goToLine(field.current, line)}
        />
      </div>
    </>
  );
}

/** Stores a draft: as a new workflow, or as the next version unless somebody else has stored one since. */
function saveCall(id: string | undefined, { text, base }: Draft) {
  const json = toDefinition(text);
  const call: Call<Awaited<ReturnType<typeof put>> | Awaited<ReturnType<typeof post>>> = (api) =>
    id === undefined ? post(api, json) : put(api, json, id, base);
  return call;
}

type Api = Parameters<Call>[0];
type Json = ReturnType<typeof toDefinition>;

const post = (api: Api, json: Json) => api.workflows.$post({ json });

const put = (api: Api, json: Json, id: string, base: number | null) =>
  api.workflows[':id'].$put(
    { param: { id }, json },
    base === null ? {} : { headers: { 'If-Match': `"${base}"` } },
  );
