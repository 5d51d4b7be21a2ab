import {
  clickhouse,
  effects,
  fastify,
  folders,
  mail,
  otherPrograms,
  postgres,
  restricted,
} from './ban.ts'

const loops = [
  'lease',
  'ledger',
  'ingest',
  'assess',
  'assign',
  'notify',
  'purge',
  'watch',
  'alert',
  'domains',
  'observe',
  'error-persist',
]
const verbs = [
  'account',
  'login',
  'pings',
  'public',
  'budgets',
  'answers',
  'reports',
  'error-accept',
  'error-maps',
  'relay',
  'identity',
]
const control = otherPrograms('control-plane')
const src = 'control-plane/src'

/** Inside the control plane imports go downward only, and each technology has one folder that knows it. */
export const controlPlaneRules = [
  restricted([`${src}/*.ts`], [control, fastify, postgres, clickhouse]),
  restricted(
    [
      'catalog',
      'status',
      'readings',
      'checks',
      'heartbeat',
      'deliveries',
      'alerts',
      'channels',
      'secrets',
      'pages',
      'page-feeds',
      'subscribers',
      'markup',
      'outage',
      'quarantine',
      'error-tracking',
    ].map((noun) => `${src}/${noun}/**/*.ts`),
    [
      control,
      fastify,
      postgres,
      clickhouse,
      effects,
      folders(
        ['http', ...verbs, 'postgres', 'clickhouse', ...loops],
        'Nouns import nouns and contracts only.',
      ),
    ],
  ),
  restricted(
    [`${src}/postgres/**/*.ts`],
    [
      control,
      fastify,
      clickhouse,
      folders(['http', ...verbs, 'clickhouse', ...loops], 'Stores know nouns and contracts only.'),
    ],
  ),
  restricted(
    [`${src}/mail/**/*.ts`, `${src}/outgoing/**/*.ts`, `${src}/trial/**/*.ts`],
    [
      control,
      fastify,
      postgres,
      clickhouse,
      folders(
        ['http', ...verbs, 'postgres', 'clickhouse', ...loops],
        'What sends, and what reads on trial, knows nouns and contracts only.',
      ),
    ],
  ),
  restricted(
    [`${src}/clickhouse/**/*.ts`],
    [
      control,
      fastify,
      postgres,
      folders(['http', ...verbs, 'postgres', ...loops], 'Stores know nouns and contracts only.'),
    ],
  ),
  ...[...loops, ...verbs].map((own) =>
    restricted(
      [`${src}/${own}/**/*.ts`],
      [
        control,
        fastify,
        postgres,
        clickhouse,
        mail,
        folders(
          [
            'http',
            ...loops.filter((name) => name !== own),
            ...verbs.filter((name) => name !== own),
          ],
          'Verbs and loops stand side by side: what two need belongs to a noun or a store.',
        ),
      ],
    ),
  ),
  restricted(
    [`${src}/http/**/*.ts`],
    [
      control,
      postgres,
      clickhouse,
      mail,
      folders(
        ['postgres', 'clickhouse', ...loops],
        'http/ speaks a protocol and decides nothing: call a verb.',
      ),
    ],
  ),
]
