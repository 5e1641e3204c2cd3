import type { ComponentChildren } from 'preact';
import type { Answered } from '../../api/call.ts';
import type { Client } from '../../api/client.ts';
import { liveState } from '../../api/live.ts';
import { useRead } from '../../api/use-read.ts';
import type { PageProps } from '../../app/place.ts';
import { settings } from '../../app/settings.ts';
import { formatNumber } from '../../ui/format.ts';
import { PageHead } from '../../ui/page-head.tsx';
import { Reading } from '../../ui/states.tsx';
import { Status } from '../../ui/status.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { Age } from '../../ui/time.tsx';
import { Events } from './events.tsx';
import { limitsOf } from './limits.ts';
import './system.css';

const readSystem = (api: Client) => api.system.$get();
const readHealth = (api: Client) => api.health.$get();

type SystemReport = Answered<typeof readSystem>;
type Health = Answered<typeof readHealth>;

/** The system: whether it is well, what it is made of, its limits, which settings are set, and all events. */
export default function System({ query }: PageProps) {
  const view = query.get('view') === 'events' ? 'events' : 'state';
  const system = useRead('system', readSystem, { stale: ({ type }) => type.startsWith('execution.') });
  const health = useRead('health', readHealth, { stale: () => true });
  return (
    <>
      <PageHead
        title="System"
        facts={health.value && <Status of={health.value.status} />}
        calls={[
          { label: 'The system', call: system.call },
          { label: 'Health', call: health.call },
        ]}
      />
      <Tabs
        label="Views of the system"
        current={view}
        tabs={[
          { name: 'state', label: 'State' },
          { name: 'events', label: 'Events' },
        ]}
      />
      {view === 'events' ? (
        <Events query={query} />
      ) : (
        <Reading read={system} what="Reading the system" rows={6}>
          {(value) => <State system={value} health={health.value} />}
        </Reading>
      )}
    </>
  );
}

function State({ system, health }: { readonly system: SystemReport; readonly health: Health | undefined }) {
  const { storage, model, playbook, authentication, queue, version, node, started_at, inbox } = system;
  const { upstream, read_only } = settings.value;
  const recordCheck =
    storage === null || storage.backend === 'memory' ? undefined : health?.checks[storage.backend];
  return (
    <div class="columns">
      <section class="card">
        <h2>Service</h2>
        <dl class="pairs">
          <Pair name="Version">{version}</Pair>
          <Pair name="Node">{node}</Pair>
          <Pair name="Started">
            <Age at={started_at} />
          </Pair>
          <Pair name="Store">
            {storage === null ? 'own' : storageWords[storage.backend]}{' '}
            {recordCheck && <Status of={recordCheck} />}
          </Pair>
          {(['kvstore', 'postgres'] as const).map((name) => {
            const check = health?.checks[name];
            const isUsed = check !== undefined && check !== 'not_configured' && storage?.backend !== name;
            return (
              isUsed && (
                <Pair name={`${storageWords[name]} of the rate limit`}>
                  <Status of={check} />
                </Pair>
              )
            );
          })}
          <Pair name="Runs that lose their process">
            {storage?.run_recovery === 'resume' ? 'are continued' : 'end as interrupted'}
          </Pair>
          <Pair name="Queue">{formatNumber(queue.waiting_runs)} runs wait for a place</Pair>
          <Pair name="Model">
            {model.configured ? (model.name ?? 'set up') : 'none: rules decide'}{' '}
            {model.configured && health && <Status of={health.checks.llm} />}
          </Pair>
          <Pair name="Playbook">
            {playbook.name ?? 'the built-in one'}, {formatNumber(playbook.intents)} intents,{' '}
            {playbook.mode === 'draft' ? 'people see each reply first' : 'replies are sent'}, version{' '}
            <code>{playbook.version}</code>
          </Pair>
          <Pair name="Inbox">{inbox ? 'on' : 'off'}</Pair>
          <Pair name="API keys">
            {authentication.enabled ? `${formatNumber(authentication.keys)} accepted` : 'not asked for'}
          </Pair>
        </dl>
      </section>
      <section class="card">
        <h2>Limits</h2>
        <dl class="pairs">
          {limitsOf(system.limits).map(([name, value]) => (
            <Pair key={name} name={name}>
              <span class="number">{value}</span>
            </Pair>
          ))}
        </dl>
      </section>
      <section class="card">
        <h2>This console</h2>
        <dl class="pairs">
          <Pair name="Served by">
            {upstream === null ? 'the service' : `a proxy on this machine, for ${upstream}`}
          </Pair>
          <Pair name="May change things">{read_only ? 'no: it is read-only' : 'yes'}</Pair>
          <Pair name="Changes arrive">
            {liveState.value === 'live' ? 'as they happen' : 'by reading every 5 s'}
          </Pair>
        </dl>
        <h2 class="system-next">Settings that are set</h2>
        {system.settings.length === 0 ? (
          <p class="faint">None: everything has its default.</p>
        ) : (
          <ul class="system-settings">
            {system.settings.map((name) => (
              <li key={name} class="mono">
                {name}
              </li>
            ))}
          </ul>
        )}
        <p class="faint">Their values are never shown.</p>
      </section>
    </div>
  );
}

const storageWords = {
  memory: 'memory of the process',
  sqlite: 'SQLite',
  kvstore: 'Redis',
  postgres: 'PostgreSQL',
} as const;

function Pair({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}
