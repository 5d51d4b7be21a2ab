/** The folders that may import a technology's packages. */

export type Technology = {
  name: string
  /** Packages; one that ends in `/` is a prefix. */
  packages: readonly string[]
  /** Folders, including their subfolders. */
  folders: readonly string[]
  /** What to do instead. */
  instead: string
}

const outer = ['infra', 'acceptance', 'bench']
const technology = (
  name: string,
  packages: string,
  folders: readonly string[],
  instead: string,
): Technology => ({ name, packages: packages.split(' '), folders: [...folders, ...outer], instead })

const routes = ['app', 'http', 'heartbeats', 'login', 'mesh', 'public-answers/answers']

export const technologies: readonly Technology[] = [
  technology(
    'Fastify',
    'fastify fastify/ @fastify/',
    [
      ...[...routes, 'status-pages/public'].map((folder) => `control-plane/src/${folder}`),
      'error-tracking/accept',
      'error-tracking/source-maps',
      'mcp-gateway/src',
      'web/src',
    ],
    'Write an operation, and let a route call it.',
  ),
  technology(
    'Postgres',
    'postgres pg',
    ['control-plane/src/stores'],
    'Write a store function that gets its connection as an argument.',
  ),
  technology(
    'ClickHouse',
    '@clickhouse/',
    ['control-plane/src/stores/clickhouse'],
    'Write a query function that gets its client as an argument.',
  ),
  technology('NATS', '@nats-io/', ['bus/src/nats'], 'Use the port of the bus.'),
  technology(
    'SMTP',
    'nodemailer',
    ['control-plane/src/notifications/mail'],
    'Write a delivery, and let the mailer send it.',
  ),
  technology(
    'sharp',
    'sharp',
    ['control-plane/src/status-pages/logo'],
    'Let the encoder of logos decode images: it bounds them.',
  ),
  technology(
    'OpenTelemetry',
    '@opentelemetry/',
    ['control-plane/src/telemetry'],
    'Describe it as a run or a metric.',
  ),
  technology('Commander', 'commander', ['cli/src/command-line'], 'Describe the command as data.'),
  technology('Ink', 'ink react react/', ['cli/src/top'], 'Print text instead.'),
  technology('MCP', '@modelcontextprotocol/', ['mcp-gateway/src'], 'Describe the tool as data.'),
]

/** Pure folders: their files decide from arguments, without input, output or logs. */
export const pure: readonly string[] = [
  'probe-agent/src/judge',
  'cli/src/plan',
  'cli/src/show',
  'cli/src/completion',
  'cli/src/docs',
  'cli/src/top/model',
  'control-plane/src/catalog',
  'control-plane/src/records/check',
  'error-tracking/events',
  'control-plane/src/incidents',
  'control-plane/src/maintenance',
  'control-plane/src/records/status-page',
  'control-plane/src/status',
  'terraform/src/data-sources',
  'terraform/src/protocol/plan',
  'terraform/src/resources',
  'web/src/charts',
  'web/src/html',
  'web/src/pages',
  'web/src/style',
]

/** Modules that a pure file may not import. */
export const effects: readonly string[] = [
  'node:fs',
  'node:fs/promises',
  'node:net',
  'node:http',
  'node:https',
  'node:dns',
  'node:dns/promises',
  'node:child_process',
  'pino',
  'prom-client',
]

/**
 * Folders that are independent of the product, which they judge. Each may import itself and the folders
 * listed.
 */
export const independent: Readonly<Record<string, readonly string[]>> = {
  'acceptance/oracle/judging': [],
  'acceptance/oracle/outside': ['acceptance/oracle/judging'],
  'terraform/src/protocol': [],
}
