import { room, type Package } from './room.ts'

/** The rooms of the control plane, from the top down. @param shared packages that every program may import */
export const controlPlane = (shared: readonly string[]): Package => ({
  name: 'control-plane',
  folder: 'control-plane/src',
  about: 'Decides status, answers, alerts and pages from readings',
  imports: [...shared, 'bus'],
  rooms: [
    room(
      'app',
      'Starts and stops everything; the table of all routes with their operations',
      'alerter overview telemetry account-metrics objectives outage-log error-tracking mesh status-pages incidents login checks outage subscribers alerts on-call maintenance notifications targets readings heartbeats http agents imports secrets accounts catalog check-record operations status stores',
    ),
    room(
      'alerter',
      'The loop that turns changes of status into alerts and incidents',
      'error-tracking objectives incidents checks alerts on-call notifications heartbeats accounts status stores',
    ),
    room(
      'overview',
      'What the dashboard shows of a whole account: overview, counts, palette',
      'outage-log error-tracking mesh checks alerts maintenance heartbeats operations status stores',
    ),
    room(
      'telemetry',
      'The push of metrics and traces of an account by OTLP',
      'account-metrics objectives notifications targets readings secrets accounts operations stores',
    ),
    room(
      'account-metrics',
      'The metrics of an account, for its own Prometheus',
      'objectives checks check-record operations status stores',
    ),
    room(
      'objectives',
      'Service level objectives, error budgets and burn rates',
      'alerts notifications accounts check-record operations status stores',
    ),
    room(
      'error-tracking',
      'Error events from clients to issues and alerts',
      'mesh alerts notifications readings http accounts operations status stores',
    ),
    room(
      'mesh',
      'How readings are received, stored and judged, and shared among control planes',
      'status-pages checks shared-causes outage notifications readings http agents secrets accounts check-record operations status stores',
    ),
    room(
      'status-pages',
      'Status pages, components and what visitors see',
      'incidents checks subscribers maintenance page-record heartbeats http accounts check-record operations status stores',
    ),
    room(
      'outage-log',
      'Every time a check was down, published or not',
      'checks readings heartbeats check-record operations status stores',
    ),
    room(
      'incidents',
      'Incidents, opened by hand or by an alert',
      'alerts outage shared-causes maintenance page-record operations status stores',
    ),
    room(
      'login',
      'Sign-up, sign-in, sessions, passwords, members',
      'subscribers alerts notifications page-record heartbeats http accounts check-record operations stores',
    ),
    room(
      'checks',
      'Operations on checks, runs on demand, expiry of certificates and domains',
      'alerts outage shared-causes maintenance notifications targets page-record readings heartbeats agents secrets accounts check-record operations status stores',
    ),
    room(
      'alerts',
      'Alert rules, when an alert fires, and what it says',
      'on-call subscribers outage shared-causes maintenance notifications accounts check-record operations status stores',
    ),
    room(
      'on-call',
      'Who is on call: schedules, their hand-overs and calendars',
      'subscribers notifications accounts operations status stores',
    ),
    room(
      'subscribers',
      'Subscribers of status pages and their mails',
      'notifications page-record operations stores',
    ),
    room('shared-causes', 'What failing checks of an account have in common', 'outage status stores'),
    room(
      'outage',
      'Keyless answers: is a service down, from where, is the cause shared; the weather',
      'http accounts catalog check-record status stores',
    ),
    room('maintenance', 'Maintenance windows', 'page-record operations stores'),
    room(
      'notifications',
      'Deliveries to channels and by mail',
      'targets secrets accounts operations status stores',
    ),
    room(
      'targets',
      'Limits of requests to a host, and hosts that are never probed',
      'heartbeats accounts check-record operations stores',
    ),
    room('page-record', 'A status page and its components as they are stored', 'check-record status stores'),
    room('readings', 'Readings, series and trends of a check', 'check-record operations status stores'),
    room(
      'heartbeats',
      'Pings, deadlines and runs of heartbeat checks',
      'http check-record operations status stores',
    ),
    room('http', 'The server, the gate and refusals of requests', 'accounts operations stores'),
    room('agents', 'Private agents and their tokens', 'secrets accounts check-record operations stores'),
    room('imports', 'Drafts of checks from curl, OpenAPI and HAR', 'secrets accounts operations stores'),
    room(
      'secrets',
      'Secrets of an account, their encryption at rest and for agents',
      'accounts check-record operations stores',
    ),
    room('catalog', 'The services that have public answers', 'accounts stores'),
    room('accounts', 'Accounts, keys, plans, rate limits', 'operations stores'),
    room('check-record', 'A check and its revisions as they are stored', 'status stores'),
    room('operations', 'The context of operations, and their transactions', 'status stores'),
    room('status', 'Status from readings: majority, freshness, quarantine', 'stores'),
    room('stores', 'Postgres, ClickHouse and leases: connections and migrations'),
  ],
})
