/** What the dependency rule of ARCHITECTURE.md is made of: which files may not import what, and why. */

export type Ban = { group: string[]; message: string }

export const ban = (group: string[], message: string): Ban => ({ group, message })

export const restricted = (files: string[], bans: Ban[]) => ({
  files,
  rules: {
    'no-restricted-imports': ['error', { patterns: bans }] as ['error', { patterns: Ban[] }],
  },
})

export const programs = ['control-plane', 'probe-agent', 'mcp-gateway', 'cli', 'terraform', 'web']
export const outer = ['infra', 'acceptance', 'bench']

export const workspaces = (names: string[], message: string): Ban =>
  ban(
    names.flatMap((name) => [
      `@probe-mesh/${name}`,
      `@probe-mesh/${name}/*`,
      `@probe-mesh/${name}/**`,
    ]),
    message,
  )

export const otherPrograms = (own: string): Ban =>
  workspaces(
    [...programs.filter((name) => name !== own), ...outer],
    'Programs never import one another: they meet on the bus or over HTTP.',
  )

export const folders = (names: string[], message: string): Ban =>
  ban(
    names.flatMap((name) =>
      ['.', '..', '../..'].flatMap((from) => [`${from}/${name}/*`, `${from}/${name}/**`]),
    ),
    message,
  )

export const fastify = ban(['fastify', 'fastify/*', '@fastify/*'], 'Only http/ speaks HTTP.')
export const postgres = ban(
  ['postgres', 'pg'],
  'Only postgres/ speaks to Postgres: write a store function.',
)
export const clickhouse = ban(
  ['@clickhouse/*'],
  'Only clickhouse/ speaks to ClickHouse: write a store function.',
)
export const mail = ban(['nodemailer'], 'Only mail/ sends mail: write a delivery.')
export const nats = ban(
  ['@nats-io/*'],
  'Only bus/src/nats speaks NATS: everybody else uses the port.',
)
export const bus = ban(
  ['@probe-mesh/bus', '@probe-mesh/bus/*'],
  'The gateway meets the control plane over HTTP only.',
)
export const effects = ban(
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
