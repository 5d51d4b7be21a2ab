import { defineConfig } from 'oxlint'

/**
 * The dependency rule of ARCHITECTURE.md, executable. Programs never import one another; inside
 * the control plane imports go downward only, and each technology has one folder that knows it.
 */

type Ban = { group: string[]; message: string }

const ban = (group: string[], message: string): Ban => ({ group, message })

const restricted = (files: string[], bans: Ban[]) => ({
  files,
  rules: {
    'no-restricted-imports': ['error', { patterns: bans }] as ['error', { patterns: Ban[] }],
  },
})

const programs = ['control-plane', 'probe-agent', 'mcp-gateway', 'cli', 'terraform', 'web']
const outer = ['infra', 'bench']

const workspaces = (names: string[], message: string): Ban =>
  ban(
    names.flatMap((name) => [
      `@probe-mesh/${name}`,
      `@probe-mesh/${name}/*`,
      `@probe-mesh/${name}/**`,
    ]),
    message,
  )

const otherPrograms = (own: string): Ban =>
  workspaces(
    [...programs.filter((name) => name !== own), ...outer],
    'Programs never import one another: they meet on the bus or over HTTP.',
  )

const folders = (names: string[], message: string): Ban =>
  ban(
    names.flatMap((name) => [`../${name}/*`, `../${name}/**`, `./${name}/*`, `./${name}/**`]),
    message,
  )

const fastify = ban(['fastify', 'fastify/*', '@fastify/*'], 'Only http/ speaks HTTP.')
const postgres = ban(
  ['postgres', 'pg'],
  'Only postgres/ speaks to Postgres: write a store function.',
)
const clickhouse = ban(
  ['@clickhouse/*'],
  'Only clickhouse/ speaks to ClickHouse: write a store function.',
)
const mail = ban(['nodemailer'], 'Only mail/ sends mail: write a delivery.')
const nats = ban(['@nats-io/*'], 'Only bus/src/nats speaks NATS: everybody else uses the port.')
const bus = ban(
  ['@probe-mesh/bus', '@probe-mesh/bus/*'],
  'The gateway meets the control plane over HTTP only.',
)
const effects = ban(
  [
    'node:fs',
    'node:fs/*',
    'node:net',
    'node:http',
    'node:https',
    'node:dns',
    'node:child_process',
    'pino',
    'prom-client',
  ],
  'A noun decides from its arguments: it neither reads nor writes anything.',
)

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
  'observe',
]
const verbs = ['account', 'login', 'pings', 'public', 'budgets', 'answers', 'reports']
const control = otherPrograms('control-plane')
const src = 'control-plane/src'

const gateway = [otherPrograms('mcp-gateway'), bus, postgres, clickhouse, nats]
const sdk = ban(['@modelcontextprotocol/*'], 'Only protocol/ knows how tools are asked for.')
const cli = [otherPrograms('cli'), bus, fastify, postgres, clickhouse, nats]
const only = ['!./*', '!yaml', '!@probe-mesh', '!@probe-mesh/contracts', '!@probe-mesh/contracts/*']
const cliRules = [
  restricted(['cli/src/file/**/*.ts'], [ban(['*', ...only], 'It knows contracts and yaml only.')]),
  restricted(['cli/src/plan/**/*.ts'], [...cli, effects, folders(['apply'], 'A plan is pure.')]),
  restricted(['cli/src/apply/**/*.ts'], [...cli, folders(['file'], 'It knows the plan only.')]),
]
const gatewayRules = [
  restricted(['mcp-gateway/src/**/*.ts'], gateway),
  ...(
    [
      ['protocol', ['http'], []],
      ['tools', ['http', 'protocol'], [sdk]],
      ['upstream', ['http', 'protocol', 'tools'], [sdk]],
    ] as const
  ).map(([own, above, more]) =>
    restricted(
      [`mcp-gateway/src/${own}/**/*.ts`],
      [...gateway, fastify, ...more, folders([...above], 'http, protocol, tools, upstream: down.')],
    ),
  ),
]

export default defineConfig({
  plugins: ['typescript', 'unicorn', 'oxc', 'import', 'promise'],
  categories: { correctness: 'error', suspicious: 'error', perf: 'error' },
  ignorePatterns: ['**/node_modules/**', '.data/**', '**/dist/**'],
  rules: {
    'typescript/no-explicit-any': 'error',
    'typescript/no-non-null-assertion': 'error',
    'typescript/consistent-type-imports': 'error',
    'import/no-default-export': 'error',
    'import/no-cycle': 'error',
    'max-lines': ['error', { max: 300, skipBlankLines: false, skipComments: false }],
    'max-lines-per-function': ['error', { max: 150, skipBlankLines: true, skipComments: true }],
    'import/no-named-as-default-member': 'off',
    'import/no-named-as-default': 'off',
    'oxc/no-map-spread': 'off',
    'no-await-in-loop': 'off',
    'no-shadow': 'off',
    'unicorn/no-array-reduce': 'off',
    'unicorn/consistent-function-scoping': 'off',
    'promise/always-return': 'off',
    'no-console': 'error',
    eqeqeq: 'error',
  },
  overrides: [
    restricted(
      ['contracts/src/**/*.ts'],
      [
        workspaces(['bus', ...programs, ...outer], 'contracts imports nothing of ours.'),
        fastify,
        postgres,
        clickhouse,
      ],
    ),
    restricted(
      ['bus/src/**/*.ts'],
      [
        workspaces([...programs, ...outer], 'bus knows contracts only.'),
        fastify,
        postgres,
        clickhouse,
        nats,
      ],
    ),
    restricted(
      ['bus/src/nats/**/*.ts'],
      [
        workspaces([...programs, ...outer], 'bus knows contracts only.'),
        fastify,
        postgres,
        clickhouse,
      ],
    ),
    restricted(
      ['probe-agent/src/**/*.ts'],
      [otherPrograms('probe-agent'), fastify, postgres, clickhouse, nats],
    ),
    restricted(
      ['probe-agent/src/judge/**/*.ts'],
      [
        otherPrograms('probe-agent'),
        effects,
        ban(['@probe-mesh/bus', '@probe-mesh/bus/*'], 'Judging is pure.'),
      ],
    ),
    ...gatewayRules,
    ...cliRules,
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
        'answer-pages',
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
        folders(
          ['http', ...verbs, 'clickhouse', ...loops],
          'Stores know nouns and contracts only.',
        ),
      ],
    ),
    restricted(
      [`${src}/mail/**/*.ts`, `${src}/outgoing/**/*.ts`],
      [
        control,
        fastify,
        postgres,
        clickhouse,
        folders(
          ['http', ...verbs, 'postgres', 'clickhouse', ...loops],
          'What sends knows nouns and contracts only.',
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
    {
      files: [
        '**/*.test.ts',
        '**/testing.ts',
        '**/testing/**',
        'bus/src/contract-suite.ts',
        'bus/src/contract-suite/**',
      ],
      rules: {
        'no-restricted-imports': 'off',
        'max-lines-per-function': 'off',
        'max-lines': ['error', { max: 400 }],
      },
    },
    { files: ['infra/**', 'bench/**'], rules: { 'no-console': 'off' } },
    { files: ['*.config.ts', '*.config.mjs'], rules: { 'import/no-default-export': 'off' } },
  ],
})
