import { parseConfig } from '@probe-mesh/control-plane/app/config'
import { controlPlaneEnvironment } from '@probe-mesh/control-plane/app/environment'
import { gatewayEnvironment, parseGatewayConfig } from '@probe-mesh/mcp-gateway/config'
import { parseAgentConfig } from '@probe-mesh/probe-agent/config'
import { agentEnvironment } from '@probe-mesh/probe-agent/environment'
import { secretsOf } from '@probe-mesh/runtime/env'
import { withSecretFiles } from '@probe-mesh/runtime/secret-files'

const controlPlaneSecrets = secretsOf(controlPlaneEnvironment)
const gatewaySecrets = secretsOf(gatewayEnvironment)
const agentSecrets = secretsOf(agentEnvironment)

export type Environment = Readonly<Record<string, string>>

/** A program from the view of a deployment: its variables, and whether it would start. */
export type Program = {
  /** Every variable of the program. */
  knows: ReadonlySet<string>
  /** The secret variables, which may be files and must not be in clear in our files. */
  secrets: readonly string[]
  /** Its problems with an environment, assuming its secret files exist. */
  problems(environment: Environment): string[]
  /** The port where it listens. */
  port(environment: Environment): number
}

/** Variables of Node itself. */
const ofNode = ['MALLOC_ARENA_MAX', 'NODE_EXTRA_CA_CERTS', 'NODE_OPTIONS']

const sample = 'of-a-secret-file-with-32-characters-or-more'
const samples: Record<string, string> = {
  DATABASE_URL: 'postgres://u:p@one,two:5432/mesh?sslmode=verify-full&target_session_attrs=primary',
  CLICKHOUSE_URL: 'https://u:p@one:8443/mesh',
  SMTP_URL: 'smtps://u:p@one',
  MAIL_FROM: 'a@example.com',
}

/** The environment after the secret files are read, with valid samples as contents. */
const withSamples = (environment: Environment, secrets: readonly string[]): Environment => ({
  ...environment,
  ...Object.fromEntries(
    secrets
      .filter((name) => environment[`${name}_FILE`] !== undefined)
      .map((name) => [name, samples[name] ?? sample]),
  ),
})

const filesOf = (secrets: readonly string[]): string[] => secrets.map((name) => `${name}_FILE`)

const required = ['DATABASE_URL', 'CLICKHOUSE_URL', 'NATS_URL', 'SECRETS_KEY']

export const programs = {
  'control-plane': {
    knows: new Set([...Object.keys(controlPlaneEnvironment), ...filesOf(controlPlaneSecrets), ...ofNode]),
    secrets: controlPlaneSecrets,
    problems: (environment) => {
      const given = withSamples(environment, controlPlaneSecrets)
      const parsed = parseConfig(given)
      const missing = required.filter((name) => (given[name] ?? '') === '')
      return [...(parsed.ok ? [] : parsed.problems), ...missing]
    },
    port: (environment) => Number(environment['PORT'] ?? 8080),
  },
  'mcp-gateway': {
    knows: new Set([...Object.keys(gatewayEnvironment), ...filesOf(gatewaySecrets), ...ofNode]),
    secrets: gatewaySecrets,
    problems: (environment) => {
      const parsed = parseGatewayConfig(withSamples(environment, gatewaySecrets))
      return parsed.ok ? [] : parsed.problems
    },
    port: (environment) => Number(environment['MCP_PORT'] ?? 8081),
  },
  agent: {
    knows: new Set([...Object.keys(agentEnvironment), ...filesOf(agentSecrets), ...ofNode]),
    secrets: agentSecrets,
    problems: (environment) => {
      const parsed = parseAgentConfig(withSamples(environment, agentSecrets))
      return parsed.ok ? [] : parsed.problems
    },
    port: (environment) => Number(environment['PORT'] ?? 9464),
  },
} as const satisfies Record<string, Program>

export type ProgramName = keyof typeof programs

/** Variables that the program does not read: misspelt, or of another program. */
export const unknownVariables = (program: ProgramName, environment: Environment): string[] =>
  Object.keys(environment).filter((name) => !programs[program].knows.has(name))

/** Variables with a secret in clear, which must be in a file. */
export const secretsInClear = (program: ProgramName, environment: Environment): string[] =>
  Object.entries(environment).flatMap(([name, value]) =>
    (programs[program].secrets as readonly string[]).includes(name) || /\/\/[^/]*:[^/]*@/.test(value)
      ? [name]
      : [],
  )

/** Whether a variable names a secret file, by the rule of the processes. */
export const isSecretFile = (program: ProgramName, name: string): boolean =>
  withSecretFiles({ [name]: '/nowhere' }, programs[program].secrets).problems.length > 0
