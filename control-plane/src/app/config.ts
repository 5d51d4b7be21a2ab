import type { AllowList } from '@probe-mesh/contracts/target/address'
import type { DenyList } from '@probe-mesh/contracts/target/deny-list'
import { gatewayKeyRule, isGatewayKey } from '@probe-mesh/contracts/outage/gateway'
import { hostInUrl } from '@probe-mesh/contracts/target/host-in-url'
import { LogLevel } from '@probe-mesh/runtime/log-level'
import { Region, regionsDefault } from '@probe-mesh/contracts/reading/regions'
import { Tier, tiersDefault } from '@probe-mesh/contracts/account/tiers'
import type { TierLimits } from '@probe-mesh/contracts/account/tiers'
import { isMetricsToken, metricsTokenRule } from '@probe-mesh/runtime/metrics-page'
import { parseTrustProxy, trustProxyRule } from '@probe-mesh/contracts/target/trust-proxy'
import type { TrustProxy } from '@probe-mesh/contracts/target/trust-proxy'
import { partsOf } from '@probe-mesh/runtime/parts-of'
import { allowedHostsOf } from '@probe-mesh/runtime/allowed-hosts'
import { z } from 'zod'
import { parseClickHouse } from '../stores/clickhouse/cluster-address.ts'
import type { ClusterAddress } from '../stores/clickhouse/cluster-address.ts'
import {
  parseDatabaseUrl,
  parseMailFrom,
  parseNatsReplicas,
  parseNatsUrl,
  parseTlsPaths,
} from './config-servers.ts'
import type { NatsReplicas, Problem, TlsPaths } from './config-servers.ts'
import { targetRequestsPerMinuteDefault } from '../targets/target-budget.ts'
import {
  parseBlockedTargets,
  parseBudgetScale,
  parseCatalogInterval,
  parseChannelAllow,
  parseRdapBootstrap,
  parseTargetAllow,
  parseTargetRequests,
} from './config-targets.ts'
import type { Sender } from '../notifications/mail/mail.ts'

/** The environment, parsed once at start; nothing else reads it (S-3204). */
export type Config = {
  readonly host: string
  readonly port: number
  /** Without a slash at its end; the REST API is `<publicUrl>/v1`. */
  readonly publicUrl: string
  /** Host names that a request may be for. */
  readonly allowedHosts: readonly string[]
  /** Where the gateway's endpoints are, for links; null: nobody said where. */
  readonly mcpUrl: string | null
  readonly dataDir: string
  /** null: the embedded server. */
  readonly databaseUrl: string | null
  readonly clickhouseUrl: string | null
  /** null: `clickhouseUrl` is a server by itself; else it is the first of these. */
  readonly clickhouseCluster: ClusterAddress | null
  /** null: the bus is in the process. */
  readonly natsServers: readonly string[] | null
  /** A file with the control plane's nkey seed or creds; null: NATS asks for none. */
  readonly natsCredentials: string | null
  /** How many servers of a cluster keep each message; null: as it is, which is one where it is new. */
  readonly natsReplicas: NatsReplicas | null
  /** null: it answers without TLS, as on the loopback or behind a proxy on its machine. */
  readonly tls: TlsPaths | null
  readonly regions: readonly Region[]
  /** Where measurements come from: `local` when all agents are on one machine; null: as it is run. */
  readonly vantage: 'local' | 'regional' | null
  readonly targetAllow: AllowList
  /** What notification channels may reach although it is not public; null: as `channelAllowOf` says. */
  readonly channelAllow: AllowList | null
  /** What does not want to be probed. */
  readonly blockedTargets: DenyList
  /** What the checks of all accounts may ask of one host: in bulk as much more as keys may. */
  readonly targetRequestsPerMinute: number
  /** IANA's list of the registries of domains; null: none is asked. */
  readonly rdapBootstrap: string | null
  /** Where operators of targets reach whoever runs the mesh; null: nobody said where. */
  readonly contactUrl: string | null
  /** The file of the services that everybody may ask about; null: the built-in catalog. */
  readonly catalogFile: string | null
  /** How often each of them is measured from each region. */
  readonly catalogIntervalSeconds: number
  /** false, or the addresses and CIDRs whose `X-Forwarded-For` counts. */
  readonly trustProxy: TrustProxy
  readonly budgetScale: number
  /** Encrypts the credentials of notification channels; null: none was given. */
  readonly secretsKey: string | null
  /** What gateways prove themselves by; null: none is trusted. */
  readonly gatewayKey: string | null
  /** What readers of `/metrics` send; null: it answers this machine only. */
  readonly metricsToken: string | null
  /** null: mail is kept and not sent. */
  readonly smtpUrl: string | null
  /** Who mail is from; set where `smtpUrl` is. */
  readonly mailFrom: Sender | null
  /** Whether people open accounts by themselves. */
  readonly signUp: 'open' | 'closed'
  readonly logLevel: LogLevel
  readonly tiers: Readonly<Record<Tier, TierLimits>>
}

export type ParsedConfig = { ok: true; config: Config } | { ok: false; problems: string[] }

type Environment = Readonly<Record<string, string | undefined>>

const ignore: Problem = () => undefined

const regionsMax = 50

/** Reads the environment; every wrong value is a problem, and all are listed at once. */
export const parseConfig = (environment: Environment): ParsedConfig => {
  const problems: string[] = []
  const problem: Problem = (name, message) => problems.push(`${name} ${message}`)
  const text = (name: string): string | null => {
    const value = environment[name]?.trim()
    return value === undefined || value === '' ? null : value
  }
  const host = text('HOST') ?? '127.0.0.1'
  const port = parsePort(text('PORT'), problem)
  const publicUrl =
    parseUrl('PUBLIC_URL', text('PUBLIC_URL'), ['http:', 'https:'], problem)?.replace(/\/+$/, '') ??
    `${text('TLS_CERT') === null ? 'http' : 'https'}://${hostInUrl(host)}:${port}`
  const config: Config = {
    host,
    port,
    publicUrl,
    allowedHosts: allowedHostsOf([publicUrl], partsOf(text('ALLOWED_HOSTS') ?? '')),
    mcpUrl:
      parseUrl('MCP_URL', text('MCP_URL'), ['http:', 'https:'], problem)?.replace(/\/+$/, '') ??
      null,
    dataDir: text('DATA_DIR') ?? '.data',
    databaseUrl: parseDatabaseUrl(text('DATABASE_URL'), problem),
    ...parseClickHouse(text('CLICKHOUSE_URL'), text('CLICKHOUSE_CLUSTER'), problem),
    natsServers: parseNatsUrl(text('NATS_URL'), problem),
    natsCredentials: text('NATS_CREDENTIALS'),
    natsReplicas: parseNatsReplicas(text('NATS_REPLICAS'), problem),
    tls: parseTlsPaths(text('TLS_CERT'), text('TLS_KEY'), problem),
    regions: parseRegions(text('REGIONS'), problem),
    vantage: parseVantage(text('VANTAGE'), problem),
    targetAllow: parseTargetAllow(text('TARGET_ALLOW'), problem),
    channelAllow: parseChannelAllow(text('CHANNEL_ALLOW'), problem),
    blockedTargets: parseBlockedTargets(text('BLOCKED_TARGETS'), problem),
    targetRequestsPerMinute:
      parseTargetRequests(text('TARGET_REQUESTS_PER_MINUTE'), problem) ??
      targetRequestsPerMinuteDefault * Math.max(1, parseBudgetScale(text('BUDGET_SCALE'), ignore)),
    rdapBootstrap: parseRdapBootstrap(text('RDAP_BOOTSTRAP'), problem),
    contactUrl: parseUrl(
      'CONTACT_URL',
      text('CONTACT_URL'),
      ['https:', 'http:', 'mailto:'],
      problem,
    ),
    catalogFile: text('CATALOG_FILE'),
    catalogIntervalSeconds: parseCatalogInterval(text('CATALOG_INTERVAL_SECONDS'), problem),
    trustProxy: trustProxyOf(text('TRUST_PROXY'), problem),
    budgetScale: parseBudgetScale(text('BUDGET_SCALE'), problem),
    secretsKey: parseSecretsKey(text('SECRETS_KEY'), problem),
    gatewayKey: parseGatewayKey(text('GATEWAY_KEY'), problem),
    metricsToken: parseMetricsToken(text('METRICS_TOKEN'), problem),
    smtpUrl: parseUrl('SMTP_URL', text('SMTP_URL'), ['smtp:', 'smtps:'], problem),
    mailFrom: parseMailFrom(text('MAIL_FROM'), text('SMTP_URL'), problem),
    signUp: parseSignUp(text('SIGN_UP'), problem),
    logLevel: parseLogLevel(text('LOG_LEVEL'), problem),
    tiers: parseTiers(text('TIER_OVERRIDES'), problem),
  }
  return problems.length > 0 ? { ok: false, problems } : { ok: true, config: Object.freeze(config) }
}

const parsePort = (value: string | null, problem: Problem): number => {
  if (value === null) return 8080
  if (/^\d{1,5}$/.test(value) && Number(value) <= 65_535) return Number(value)
  problem('PORT', `must be a number from 0 to 65535, not ${value}`)
  return 8080
}

/** Values may carry passwords: problems never repeat them. */
const parseUrl = (
  name: string,
  value: string | null,
  protocols: readonly string[],
  problem: Problem,
): string | null => {
  if (value === null) return null
  if (URL.canParse(value) && protocols.includes(new URL(value).protocol)) return value
  problem(name, `must be a URL that starts with ${protocols.map((p) => `${p}//`).join(' or ')}`)
  return null
}

const secretsKeyCharactersMin = 32

const parseSecretsKey = (value: string | null, problem: Problem): string | null => {
  if (value === null || value.length >= secretsKeyCharactersMin) return value
  problem('SECRETS_KEY', `must have at least ${secretsKeyCharactersMin} characters`)
  return null
}

const parseGatewayKey = (value: string | null, problem: Problem): string | null => {
  if (value === null || isGatewayKey(value)) return value
  problem('GATEWAY_KEY', gatewayKeyRule)
  return null
}

const parseMetricsToken = (value: string | null, problem: Problem): string | null => {
  if (value === null || isMetricsToken(value)) return value
  problem('METRICS_TOKEN', metricsTokenRule)
  return null
}

const parseVantage = (value: string | null, problem: Problem): Config['vantage'] => {
  if (value === null || value === 'local' || value === 'regional') return value
  problem('VANTAGE', `must be local or regional, not ${value}`)
  return null
}

const parseRegions = (value: string | null, problem: Problem): readonly Region[] => {
  if (value === null) return regionsDefault
  const regions = partsOf(value)
  const wrong = regions.filter((region) => !Region.safeParse(region).success)
  if (wrong.length > 0) {
    problem('REGIONS', `must be codes of three lower-case letters, not ${wrong.join(', ')}`)
  }
  if (new Set(regions).size !== regions.length) problem('REGIONS', 'names a region twice')
  if (regions.length === 0 || regions.length > regionsMax) {
    problem('REGIONS', `must name 1 to ${regionsMax} regions`)
  }
  return Object.freeze(regions)
}

const trustProxyOf = (value: string | null, problem: Problem): TrustProxy => {
  const trusted = parseTrustProxy(value)
  if (trusted === null) problem('TRUST_PROXY', trustProxyRule)
  return trusted ?? false
}

const parseSignUp = (value: string | null, problem: Problem): Config['signUp'] => {
  if (value === null || value === 'open' || value === 'closed') return value ?? 'open'
  problem('SIGN_UP', `must be open or closed, not ${value}`)
  return 'open'
}

const parseLogLevel = (value: string | null, problem: Problem): LogLevel => {
  const parsed = LogLevel.safeParse(value ?? 'info')
  if (parsed.success) return parsed.data
  problem('LOG_LEVEL', `must be one of ${LogLevel.options.join(', ')}, not ${value}`)
  return 'info'
}

const TierOverride = z
  .strictObject({
    monitors: z.int().min(0).max(10_000_000),
    intervalSecondsMin: z.int().min(1).max(86_400),
    statusPages: z.int().min(1).max(100_000),
    agents: z.int().min(0).max(10_000),
    rawDays: z.int().min(1).max(3_650),
    hourDays: z.int().min(1).max(3_650),
    errorEventsPerMonth: z.int().min(0).max(1_000_000_000),
    rest: z.boolean(),
  })
  .partial()
const TierOverrides = z.partialRecord(Tier, TierOverride)

/** `{"growth":{"monitors":500}}` changes one limit of one tier and leaves the rest. */
const parseTiers = (value: string | null, problem: Problem): Readonly<Record<Tier, TierLimits>> => {
  const parsed = TierOverrides.safeParse(value === null ? {} : parseJson(value))
  if (!parsed.success) {
    for (const issue of parsed.error.issues) {
      problem(
        'TIER_OVERRIDES',
        `is wrong at ${issue.path.join('.') || 'its root'}: ${issue.message}`,
      )
    }
    return tiersDefault
  }
  const override = (tier: Tier): TierLimits =>
    Object.freeze({ ...tiersDefault[tier], ...definedOf(parsed.data[tier] ?? {}) })
  return Object.freeze({
    free: override('free'),
    growth: override('growth'),
    scale: override('scale'),
  })
}

const definedOf = (fields: z.infer<typeof TierOverride>): Partial<TierLimits> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
