import { controlPlaneEnvironment } from '@probe-mesh/control-plane/app/environment'
import { gatewayEnvironment } from '@probe-mesh/mcp-gateway/config'
import { agentEnvironment, privateAgentEnvironment } from '@probe-mesh/probe-agent/environment'
import { environmentTable, secretsOf } from '@probe-mesh/runtime/env'
import { optional, text, url, wholeNumber, withDefault, type Settings } from '@probe-mesh/runtime/setting'
import { allInOneEnvironment } from '../all-in-one/flags.ts'
import { catalogEnvironment, operatorEnvironment } from './operator-environment.ts'
import { apiUrlDefault } from '@probe-mesh/cli/api/settings'
import { logLevel } from '@probe-mesh/runtime/log-level'
import { apiUrlDefault as providerUrlDefault } from '@probe-mesh/terraform/provider'

/** Variables of programs that also have an option with the same meaning. */

/** Followed by both tools, as curl does. */
const proxyEnvironment = {
  HTTPS_PROXY: optional(text, 'no proxy', 'The proxy for https URLs. Small letters count first.'),
  HTTP_PROXY: optional(text, 'no proxy', 'The proxy for http URLs. Small letters count first.'),
  NO_PROXY: optional(text, 'none', 'Hosts, domains and networks without a proxy, separated by commas.'),
}

/** Variables of the command line. Options override them. */
const cliEnvironment = {
  SERVICE_API_URL: withDefault(
    url('http', 'https'),
    apiUrlDefault,
    'Root of the REST API, unless `--api-url` names it.',
  ),
  SERVICE_API_KEY: optional(text, 'required by most commands', 'API key, unless `--api-key` is given.', {
    isSecret: true,
  }),
  NO_COLOR: optional(text, 'colours on a terminal', 'Any value: no colours.'),
  FORCE_COLOR: optional(text, 'colours on a terminal', 'Any value but `0`: colours in a pipe too.'),
  CLICOLOR_FORCE: optional(text, 'colours on a terminal', 'The same as `FORCE_COLOR`.'),
  COLUMNS: optional(text, 'the width of the terminal', 'The width of tables on a terminal.'),
  ...proxyEnvironment,
  INK_SCREEN_READER: optional(text, 'off', '`true`: `service top` writes lines for a screen reader.'),
}

/** Variables of the Terraform provider. Arguments of its block override them. */
const providerEnvironment = {
  SERVICE_API_URL: withDefault(
    url('http', 'https'),
    providerUrlDefault,
    'Root of the REST API, unless `base_url` names it.',
  ),
  SERVICE_API_KEY: optional(text, 'required', 'API key, unless `api_key` is set.', {
    isSecret: true,
  }),
  ...proxyEnvironment,
  TF_LOG_PROVIDER: optional(text, '`TF_LOG`, otherwise error', 'Lowest level that is logged.'),
}

const count = wholeNumber({ min: 1, max: 1e9 })

/** Variables of tests. */
const developmentEnvironment = {
  MESH_LOG: optional(logLevel, 'silent or error', 'Lowest level that the systems of tests log.'),
  FUZZ_ATTACKS: optional(
    count,
    'few; 100000 if the tests are run by name',
    'Number of inputs that `acceptance/fuzz` tries.',
  ),
  JUDGED_WORLDS: optional(
    count,
    '100; 2000 if the tests are run by name',
    'Number of worlds that `acceptance/judge` judges.',
  ),
  PROPERTY_SEED: optional(
    count,
    '1; new in each run of `npm run acceptance`',
    'Seed of generated cases. With it, properties try as many cases as each names, and at most 100 without it.',
  ),
}

type Program = {
  title: string
  about: string
  environment: Settings
  /** Secrets that may be in a file. */
  files: readonly string[]
}

const program = (
  title: string,
  about: string,
  environment: Settings,
  files: readonly string[] = secretsOf(environment),
): Program => ({ title, about, environment, files })

/** Every program with environment variables. */
export const programs: readonly Program[] = [
  program(
    'Everything in one process',
    '`npm start`. A flag of the command line overrides its variable.',
    allInOneEnvironment,
    ['METRICS_TOKEN'],
  ),
  program('Control plane', '`npm run control-plane`', controlPlaneEnvironment),
  program('Agent of a region', '`npm run agent`', agentEnvironment),
  program(
    'Private agent',
    '`npm run agent` with `MESH_URL`. `REGION`, `AGENT`, `NATS_URL` and `TARGET_ALLOW` are refused.',
    privateAgentEnvironment,
  ),
  program('MCP gateway', '`npm run mcp-gateway`', gatewayEnvironment),
  program(
    'Operator commands',
    '`npm run admin`, `npm run region`. They read the variables of the control plane, and these.',
    operatorEnvironment,
    [],
  ),
  program('Catalog commands', '`npm run catalog`', catalogEnvironment),
  program('Command line', '`service`', cliEnvironment, []),
  program(
    'Terraform provider',
    'Arguments of the provider block override their variables.',
    providerEnvironment,
    [],
  ),
  program('Development', 'Tests and the systems that they start.', developmentEnvironment),
]

/** `docs/reference/configuration.md` */
export const configurationReference = (): string =>
  [
    '# Configuration',
    '',
    'Every environment variable of every program, with its default, value, unit and meaning.',
    '',
    'Printed from the code by `npm run docs`. An empty variable counts as unset. A program reads its environment once, at its',
    'start. A program that finds wrong values lists all of them and does not start.',
    '',
    ...programs.flatMap(({ title, about, environment, files }, index) => {
      const [repeated, own] = parted(environment, programs.slice(0, index))
      return [
        `## ${title}`,
        '',
        about,
        '',
        ...(Object.keys(own).length === 0 ? [] : [environmentTable(own), '']),
        ...[...repeated].flatMap(([from, names]) => [
          `As in [${from}](#${from.toLowerCase().replaceAll(' ', '-')}): ${listed(names)}.`,
          '',
        ]),
        ...(files.length === 0 ? [] : [filesSentence(files), '']),
      ]
    }),
  ].join('\n')

const listed = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ')

/** The variables that an earlier program has with the same row, by its title, and all others. */
const parted = (
  environment: Settings,
  earlier: readonly Program[],
): [ReadonlyMap<string, readonly string[]>, Settings] => {
  const homeOf = (name: string): string | undefined =>
    earlier.find(({ environment: before }) => rowOf(before, name) === rowOf(environment, name))?.title
  const byHome = Map.groupBy(Object.keys(environment), homeOf)
  const own = new Set(byHome.get(undefined))
  const repeated = [...byHome].flatMap(([from, names]) =>
    from === undefined ? [] : ([[from, names]] as const),
  )
  return [
    new Map(repeated),
    Object.fromEntries(Object.entries(environment).filter(([name]) => own.has(name))),
  ]
}

const rowOf = (environment: Settings, name: string): string => {
  const setting = environment[name]
  return setting === undefined ? '' : environmentTable({ [name]: setting })
}

const filesSentence = (files: readonly string[]): string =>
  `A secret may be in a file: \`${files[0]}_FILE\` names the file with \`${files[0]}\`.${
    files.length > 1 ? ` The same works for ${listed(files.slice(1))}.` : ''
  }`
