import { hostname } from 'node:os'
import { parseAllowList } from '@probe-mesh/contracts/address'
import type { AllowList } from '@probe-mesh/contracts/address'
import { parseDenyList } from '@probe-mesh/contracts/deny-list'
import type { DenyList } from '@probe-mesh/contracts/deny-list'
import { LogLevel } from '@probe-mesh/contracts/log-level'
import { probePageUrl } from '@probe-mesh/contracts/probe-identity'
import { Region } from '@probe-mesh/contracts/regions'
import { z } from 'zod'
import { parsePublicAddresses } from '@probe-mesh/contracts/public-addresses'
import { targetRequestsPerSecondDefault } from './request/target-rate.ts'
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
  /** `nats://` or `tls://`, at least one; may hold a password. */
  readonly natsUrls: readonly string[]
  /** A file with an nkey seed or NATS credentials; null: the server asks for none. */
  readonly credentialsPath: string | null
  /** Where health and metrics are answered. */
  readonly host: string
  readonly port: number
  readonly logLevel: LogLevel
}

export const portDefault = 9464

export const spoolBytesDefault = 256 * 1024 * 1024
export const spoolBytesMin = 16 * 1024 * 1024

const Name = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,63}$/, 'must be 1 to 63 letters, digits, hyphens or underscores')

/** A parser that lists its problems, as a step of a schema. */
const listed = <T>(
  parse: (text: string) => { ok: true; value: T } | { ok: false; problems: string[] },
) =>
  z.string().transform((text, context) => {
    const parsed = parse(text)
    if (parsed.ok) return parsed.value
    for (const message of parsed.problems) context.addIssue({ code: 'custom', message })
    return z.NEVER
  })

const partsOf = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')

const TargetAllow = listed((text) => {
  const parsed = parseAllowList(partsOf(text))
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
  .transform(partsOf)
  .refine((urls) => urls.length > 0 && urls.length <= natsUrlsMax && urls.every(isNatsUrl), {
    error: `must be 1 to ${natsUrlsMax} URLs that start with nats:// or tls://, commas between`,
  })

const Environment = z.object({
  REGION: Region,
  AGENT: Name.optional(),
  DATA_DIR: z.string().default('.data'),
  SPOOL_BYTES_MAX: z
    .string()
    .regex(/^\d{1,15}$/, 'must be a whole number of bytes')
    .transform(Number)
    .pipe(z.number().min(spoolBytesMin, `must be at least ${spoolBytesMin} bytes`))
    .default(spoolBytesDefault),
  TARGET_ALLOW: TargetAllow.prefault(''),
  BLOCKED_TARGETS: BlockedTargets.prefault(''),
  TARGET_REQUESTS_PER_SECOND: TargetRequestsPerSecond.prefault(`${targetRequestsPerSecondDefault}`),
  PUBLIC_ADDRESSES: PublicAddresses.prefault(''),
  PUBLIC_URL: PublicUrl.optional(),
  CANARIES: Canaries.prefault(''),
  CHROMIUM: z.string().optional(),
  JOURNAL: z.string().optional(),
  NATS_URL: NatsUrls,
  AGENT_CREDENTIALS: z.string().optional(),
  HOST: z.string().default('127.0.0.1'),
  PORT: z
    .string()
    .regex(/^\d{1,5}$/, 'must be a number from 0 to 65535')
    .transform(Number)
    .pipe(z.number().max(65_535, 'must be a number from 0 to 65535'))
    .default(portDefault),
  LOG_LEVEL: LogLevel.default('info'),
})

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
  const given = Object.entries(environment).map(([name, value]) => [name, value?.trim()])
  const parsed = Environment.safeParse(
    Object.fromEntries(given.filter(([, value]) => value !== undefined && value !== '')),
  )
  if (!parsed.success) {
    const problems = parsed.error.issues.map(({ path, message }) => `${String(path[0])} ${message}`)
    return { ok: false, problems }
  }
  const { REGION, AGENT, DATA_DIR, SPOOL_BYTES_MAX, TARGET_ALLOW, JOURNAL, ...rest } = parsed.data
  const agent: AgentConfig = Object.freeze({
    region: REGION,
    agent: AGENT ?? agentName(REGION, hostname()),
    dataDirectory: DATA_DIR,
    spoolBytesMax: SPOOL_BYTES_MAX,
    targetAllow: TARGET_ALLOW.cidrs,
    journalPath: JOURNAL ?? null,
  })
  const config: AgentProcessConfig = Object.freeze({
    agent,
    targetAllow: TARGET_ALLOW,
    publicAddresses: rest.PUBLIC_ADDRESSES,
    blockedTargets: rest.BLOCKED_TARGETS,
    targetRequestsPerSecond: rest.TARGET_REQUESTS_PER_SECOND,
    probesUrl: rest.PUBLIC_URL ?? null,
    canaries: rest.CANARIES,
    chromium: rest.CHROMIUM ?? null,
    natsUrls: rest.NATS_URL,
    credentialsPath: rest.AGENT_CREDENTIALS ?? null,
    host: rest.HOST,
    port: rest.PORT,
    logLevel: rest.LOG_LEVEL,
  })
  return { ok: true, config }
}
