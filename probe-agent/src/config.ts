import { hostname } from 'node:os'
import { parseAccountAllow } from '@probe-mesh/contracts/target/account-allow'
import type { AllowList } from '@probe-mesh/contracts/target/address'
import { parseDenyList } from '@probe-mesh/contracts/target/deny-list'
import type { DenyList } from '@probe-mesh/contracts/target/deny-list'
import { LogLevel } from '@probe-mesh/runtime/log-level'
import { probePageUrl } from '@probe-mesh/contracts/agent/probe-identity'
import { Region } from '@probe-mesh/contracts/reading/regions'
import { partsOf } from '@probe-mesh/runtime/parts-of'
import { isMetricsToken, metricsTokenRule } from '@probe-mesh/runtime/metrics-page'
import { z } from 'zod'
import { parsePublicAddresses } from '@probe-mesh/contracts/target/public-addresses'
import { targetRequestsPerSecondDefault } from './request/target-rate.ts'
import { withoutSandboxRule } from './probes/browser/find-chromium.ts'
import { parseCanaries } from './canaries.ts'
import type { Canary } from './run/connectivity.ts'

/** What an agent is told by its environment; the composition of several agents makes one for each. */
export type AgentConfig = {
  readonly region: Region
  /** Its name: one running agent each, and the same after a restart, since its spool is named so. */
  readonly agent: string
  readonly dataDirectory: string
  readonly spoolBytesMax: number
  /** CIDR blocks that probes may reach although they are not public. */
  readonly targetAllow: readonly string[]
  /** Where to write the ids of readings for an audit; null: nowhere. */
  readonly journalPath: string | null
}

/** How an agent reaches the mesh. */
export type WayToMesh =
  | {
      readonly kind: 'nats'
      /** `nats://` or `tls://`, at least one; may hold a password. */
      readonly urls: readonly string[]
      /** A file with an nkey seed or NATS credentials; null: the server asks for none. */
      readonly credentialsPath: string | null
    }
  /** A private agent asks a control plane, at a URL without a slash at its end, with its own token. */
  | { readonly kind: 'relay'; readonly url: string }

/** What a process that runs one agent needs besides. */
export type AgentProcessConfig = {
  readonly agent: AgentConfig
  readonly targetAllow: AllowList
  /** Where its requests come from, as targets see them; empty: nobody said so. */
  readonly publicAddresses: readonly string[]
  readonly blockedTargets: DenyList
  /** Connections to one address that the region's agents together may make in a second. */
  readonly targetRequestsPerSecond: number
  /** Where targets read who probes them; null: nowhere. */
  readonly probesUrl: string | null
  readonly canaries: readonly Canary[]
  /** Chromium's path, or `off`; null: where it usually is. */
  readonly chromium: string | null
  /** Whether it may run without its sandbox where that does not work. */
  readonly mayGoWithoutSandbox: boolean
  readonly way: WayToMesh
  /** Where health and metrics are answered. */
  readonly host: string
  readonly port: number
  /** What readers of `/metrics` send; null: it answers this machine only. */
  readonly metricsToken: string | null
  readonly logLevel: LogLevel
}

export const portDefault = 9464

export const spoolBytesDefault = 256 * 1024 * 1024
export const spoolBytesMin = 16 * 1024 * 1024

export const Name = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,63}$/, 'must be 1 to 63 letters, digits, hyphens or underscores')

/** A parser that lists its problems, as a step of a schema. */
export const listed = <T>(
  parse: (text: string) => { ok: true; value: T } | { ok: false; problems: string[] },
) =>
  z.string().transform((text, context) => {
    const parsed = parse(text)
    if (parsed.ok) return parsed.value
    for (const message of parsed.problems) context.addIssue({ code: 'custom', message })
    return z.NEVER
  })

const TargetAllow = listed((text) => {
  const parsed = parseAccountAllow(partsOf(text))
  return parsed.ok ? { ok: true, value: parsed.allow } : parsed
})

const BlockedTargets = listed((text) => {
  const parsed = parseDenyList(partsOf(text))
  return parsed.ok ? { ok: true, value: parsed.deny } : parsed
})

const PublicAddresses = listed((text) => parsePublicAddresses(partsOf(text)))

export const targetRequestsPerSecondMax = 100_000

/** @returns null where it is no such number */
export const parseTargetRequestsPerSecond = (text: string): number | null => {
  const number = /^\d{1,6}$/.test(text) ? Number(text) : 0
  return number >= 1 && number <= targetRequestsPerSecondMax ? number : null
}
export const targetRequestsPerSecondRule = `must be a whole number from 1 to ${targetRequestsPerSecondMax}`

const TargetRequestsPerSecond = listed((text) => {
  const value = parseTargetRequestsPerSecond(text)
  return value === null
    ? { ok: false, problems: [targetRequestsPerSecondRule] }
    : { ok: true, value }
})

const PublicUrl = z
  .string()
  .refine((url) => /^https?:$/.test(URL.parse(url)?.protocol ?? ''), {
    error: 'must be a URL that starts with http:// or https://',
  })
  .transform(probePageUrl)

const Canaries = listed((text) => {
  const parsed = parseCanaries(text)
  return parsed.ok ? { ok: true, value: parsed.canaries } : parsed
})

const natsUrlsMax = 16

const isNatsUrl = (url: string): boolean =>
  URL.canParse(url) && ['nats:', 'tls:'].includes(new URL(url).protocol)

/** A URL may hold a password: the problem does not repeat it. */
const NatsUrls = z
  .string('is missing: where the NATS server is, such as nats://127.0.0.1:4222')
  .transform((text) => partsOf(text))
  .refine((urls) => urls.length > 0 && urls.length <= natsUrlsMax && urls.every(isNatsUrl), {
    error: `must be 1 to ${natsUrlsMax} URLs that start with nats:// or tls://, commas between`,
  })

/** What agents of the mesh and private ones are told alike. */
export const SharedEnvironment = z.object({
  DATA_DIR: z.string().default('.data'),
  SPOOL_BYTES_MAX: z
    .string()
    .regex(/^\d{1,15}$/, 'must be a whole number of bytes')
    .transform(Number)
    .pipe(z.number().min(spoolBytesMin, `must be at least ${spoolBytesMin} bytes`))
    .default(spoolBytesDefault),
  BLOCKED_TARGETS: BlockedTargets.prefault(''),
  TARGET_REQUESTS_PER_SECOND: TargetRequestsPerSecond.prefault(`${targetRequestsPerSecondDefault}`),
  CANARIES: Canaries.prefault(''),
  CHROMIUM: z.string().optional(),
  CHROMIUM_WITHOUT_SANDBOX: z.enum(['yes', 'no'], withoutSandboxRule).default('no'),
  JOURNAL: z.string().optional(),
  HOST: z.string().default('127.0.0.1'),
  PORT: z
    .string()
    .regex(/^\d{1,5}$/, 'must be a number from 0 to 65535')
    .transform(Number)
    .pipe(z.number().max(65_535, 'must be a number from 0 to 65535'))
    .default(portDefault),
  METRICS_TOKEN: z.string().refine(isMetricsToken, { error: metricsTokenRule }).optional(),
  LOG_LEVEL: LogLevel.default('info'),
})

const Environment = SharedEnvironment.extend({
  REGION: Region,
  AGENT: Name.optional(),
  TARGET_ALLOW: TargetAllow.prefault(''),
  PUBLIC_ADDRESSES: PublicAddresses.prefault(''),
  PUBLIC_URL: PublicUrl.optional(),
  NATS_URL: NatsUrls,
  AGENT_CREDENTIALS: z.string().optional(),
})

/** What an agent of the mesh may be told. */
export const agentVariables: readonly string[] = Object.keys(Environment.shape)

/** The name of an agent that was given none: its region and its host. */
export const agentName = (region: Region, host: string): string =>
  `${region}-${host.replaceAll(/[^A-Za-z0-9_-]/g, '-')}`.slice(0, 63)

/**
 * Reads the environment of a process that runs one agent; every problem is listed at once. An
 * empty variable counts as absent.
 */
export const parseAgentConfig = (
  environment: Readonly<Record<string, string | undefined>>,
): { ok: true; config: AgentProcessConfig } | { ok: false; problems: string[] } => {
  const parsed = Environment.safeParse(givenIn(environment))
  if (!parsed.success) return { ok: false, problems: problemsIn(parsed.error) }
  const { REGION, AGENT, TARGET_ALLOW, PUBLIC_ADDRESSES, PUBLIC_URL, ...rest } = parsed.data
  const { NATS_URL, AGENT_CREDENTIALS, ...shared } = rest
  const config = toProcessConfig(shared, {
    region: REGION,
    agent: AGENT ?? agentName(REGION, hostname()),
    targetAllow: TARGET_ALLOW,
    publicAddresses: PUBLIC_ADDRESSES,
    probesUrl: PUBLIC_URL ?? null,
    chromium: shared.CHROMIUM ?? null,
    way: { kind: 'nats', urls: NATS_URL, credentialsPath: AGENT_CREDENTIALS ?? null },
  })
  return { ok: true, config }
}

/** What an environment says: an empty variable counts as absent. */
export const givenIn = (
  environment: Readonly<Record<string, string | undefined>>,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) => {
      const text = value?.trim() ?? ''
      return text === '' ? [] : [[name, text]]
    }),
  )

/** Every problem, each after the name of its variable. */
export const problemsIn = ({ issues }: z.ZodError): string[] =>
  issues.map(({ path, message }) => `${String(path[0])} ${message}`)

/** What both kinds of agents are told, with what each is told in its own way. */
export const toProcessConfig = (
  shared: z.output<typeof SharedEnvironment>,
  own: Pick<AgentConfig, 'region' | 'agent'> &
    Pick<AgentProcessConfig, 'targetAllow' | 'publicAddresses' | 'probesUrl' | 'chromium' | 'way'>,
): AgentProcessConfig =>
  Object.freeze({
    agent: Object.freeze({
      region: own.region,
      agent: own.agent,
      dataDirectory: shared.DATA_DIR,
      spoolBytesMax: shared.SPOOL_BYTES_MAX,
      targetAllow: own.targetAllow.cidrs,
      journalPath: shared.JOURNAL ?? null,
    }),
    targetAllow: own.targetAllow,
    publicAddresses: own.publicAddresses,
    blockedTargets: shared.BLOCKED_TARGETS,
    targetRequestsPerSecond: shared.TARGET_REQUESTS_PER_SECOND,
    probesUrl: own.probesUrl,
    canaries: shared.CANARIES,
    chromium: own.chromium,
    mayGoWithoutSandbox: shared.CHROMIUM_WITHOUT_SANDBOX === 'yes',
    way: own.way,
    host: shared.HOST,
    port: shared.PORT,
    metricsToken: shared.METRICS_TOKEN ?? null,
    logLevel: shared.LOG_LEVEL,
  })
