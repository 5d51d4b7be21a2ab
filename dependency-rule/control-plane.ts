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
      'Starts and stops everything; the table of all routes; the loop that turns changes of status into alerts',
      'overview telemetry account-metrics mesh status-pages objectives error-tracking incidents login checks alerts on-call subscribers notifications heartbeats agents imports public-answers maintenance targets readings http secrets catalog accounts records status stores documents',
    ),
    room(
      'overview',
      'What the dashboard shows of a whole account: overview, counts, palette, every outage',
      'mesh error-tracking checks alerts heartbeats maintenance readings accounts records status stores',
    ),
    room(
      'telemetry',
      'The push of metrics and traces of an account by OTLP',
      'account-metrics objectives notifications targets readings secrets accounts stores',
    ),
    room(
      'account-metrics',
      'The metrics of an account, for its own Prometheus',
      'objectives checks maintenance accounts records status stores',
    ),
    room(
      'mesh',
      'How readings are received, stored and judged, and shared among control planes',
      'checks alerts notifications agents public-answers readings http secrets accounts records status stores',
    ),
    room(
      'status-pages',
      'Status pages, components and what visitors see',
      'incidents checks subscribers heartbeats maintenance http accounts records status stores',
    ),
    room(
      'objectives',
      'Service level objectives, error budgets and burn rates',
      'alerts notifications accounts records status stores',
    ),
    room(
      'error-tracking',
      'Error events from clients to issues and alerts',
      'alerts notifications readings http accounts status stores',
    ),
    room(
      'incidents',
      'Incidents, opened by hand or by an alert',
      'alerts public-answers maintenance accounts records status stores',
    ),
    room(
      'login',
      'Sign-up, sign-in, sessions, passwords, members',
      'alerts subscribers notifications heartbeats http accounts records stores',
    ),
    room(
      'checks',
      'Operations on checks, runs on demand, expiry of certificates and domains',
      'alerts notifications heartbeats agents public-answers maintenance targets readings secrets accounts records status stores',
    ),
    room(
      'alerts',
      'Alert rules, when an alert fires, what it says, and what failing checks have in common',
      'on-call subscribers notifications public-answers maintenance accounts records status stores',
    ),
    room(
      'on-call',
      'Who is on call: schedules, their hand-overs and calendars',
      'notifications accounts status stores',
    ),
    room(
      'subscribers',
      'Subscribers of status pages and their mails',
      'notifications accounts records stores',
    ),
    room('notifications', 'Deliveries to channels and by mail', 'targets secrets accounts status stores'),
    room(
      'heartbeats',
      'Pings, deadlines and runs of heartbeat checks',
      'http accounts records status stores',
    ),
    room('agents', 'Private agents and their tokens', 'secrets accounts records stores'),
    room('imports', 'Drafts of checks from curl, OpenAPI and HAR', 'secrets accounts stores'),
    room(
      'public-answers',
      'Keyless answers: is a service down, from where, is the cause shared; the weather',
      'http catalog accounts records status stores',
    ),
    room('maintenance', 'Maintenance windows', 'accounts records stores'),
    room(
      'targets',
      'Limits of requests to a host, and hosts that are never probed',
      'accounts records stores',
    ),
    room('readings', 'Readings, series and trends of a check', 'accounts records status stores'),
    room('http', 'The server, the gate and refusals of requests', 'accounts stores'),
    room(
      'secrets',
      'Secrets of an account, their encryption at rest and for agents',
      'accounts records stores',
    ),
    room('catalog', 'The services that have public answers', 'accounts stores'),
    room(
      'accounts',
      'Accounts, keys, plans, rate limits; what an operation of an account gets, and its transaction',
      'status stores',
    ),
    room(
      'records',
      'A check with its revisions, and a status page with its components, as they are stored',
      'status stores',
    ),
    room('status', 'Status from readings: majority, freshness, quarantine', 'stores'),
    room('stores', 'Postgres, ClickHouse and leases: connections and migrations'),
    room('documents', 'Documents that are written from tables: OpenAPI, llms.txt, errors, plans, pools'),
  ],
})
