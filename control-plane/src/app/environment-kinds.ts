import { Region } from '@probe-mesh/contracts/reading/regions'
import { Tier, tiersDefault, type TierLimits } from '@probe-mesh/contracts/account/tiers'
import { list, right, wrong, type Kind } from '@probe-mesh/runtime/setting'
import { z } from 'zod'
import { parseSender, type Sender } from '../notifications/mail/mail.ts'
import { urlsOfHosts } from '../stores/postgres/hosts.ts'

/** The kinds of variables of a control plane that are not plain numbers or URLs. */

/** The number of NATS servers that store each message. */
export type NatsReplicas = 1 | 3 | 5

export const databaseUrl: Kind<string> = {
  form: 'URL, postgres:// or postgresql://, hosts separated by commas',
  parse: (text) =>
    urlsOfHosts(text).every((each) => /^postgres(?:ql)?:$/.test(URL.parse(each)?.protocol ?? ''))
      ? right(text)
      : wrong(
          'must be a URL that starts with postgres:// or postgresql://, with one host or several, such as postgres://user:password@one:5432,two:5432/database',
        ),
}

export const natsServers: Kind<readonly string[]> = list('URLs, nats:// or tls://', (servers) =>
  servers.length > 0 && servers.every((server) => /^(?:nats|tls):$/.test(URL.parse(server)?.protocol ?? ''))
    ? right(servers)
    : wrong('must be URLs that start with nats:// or tls://, separated by commas'),
)

export const natsReplicas: Kind<NatsReplicas> = {
  form: '1, 3 or 5',
  parse: (text) => {
    const replicas = Number(text)
    return replicas === 1 || replicas === 3 || replicas === 5
      ? right(replicas)
      : wrong(`must be 1, 3 or 5, not ${text}`)
  },
}

const regionsMax = 50

export const regions: Kind<readonly Region[]> = list('codes of three lower-case letters', (codes) => {
  const unknown = codes.filter((code) => !Region.safeParse(code).success)
  const problems = [
    unknown.length > 0 && `must be codes of three lower-case letters, not ${unknown.join(', ')}`,
    new Set(codes).size !== codes.length && 'names a region twice',
    (codes.length === 0 || codes.length > regionsMax) && `must name 1 to ${regionsMax} regions`,
  ].filter((problem) => problem !== false)
  return problems.length > 0 ? wrong(...problems) : right(Object.freeze(codes))
})

export const rdapBootstrapDefault = 'https://data.iana.org/rdap/dns.json'

/** null: no registry is queried. */
export const rdapBootstrap: Kind<string | null> = {
  form: 'URL, https:// or http://, or none',
  parse: (text) => {
    if (text === 'none') return right(null)
    return /^https?:$/.test(URL.parse(text)?.protocol ?? '')
      ? right(text)
      : wrong('must be a URL that starts with https:// or http://, or none')
  },
}

const budgetScaleMax = 100_000

export const budgetScale: Kind<number> = {
  form: `number, above 0 and at most ${budgetScaleMax}`,
  parse: (text) => {
    const scale = Number(text)
    return scale > 0 && scale <= budgetScaleMax
      ? right(scale)
      : wrong(`must be a number above 0 and at most ${budgetScaleMax}, not ${text}`)
  },
}

export const mailFrom: Kind<Sender> = {
  form: 'mail address, with or without a name',
  parse: (text) => {
    const sender = parseSender(text)
    return sender === null ? wrong('must be an address, such as Status <status@example.org>') : right(sender)
  },
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

type Tiers = Readonly<Record<Tier, TierLimits>>

/** `{"growth":{"monitors":500}}` changes one limit of one plan. */
export const tiers: Kind<Tiers> = {
  form: 'JSON',
  parse: (text) => {
    const parsed = TierOverrides.safeParse(parseJson(text))
    if (!parsed.success) {
      return wrong(
        ...parsed.error.issues.map(
          ({ path, message }) => `is wrong at ${path.join('.') || 'the root'}: ${message}`,
        ),
      )
    }
    const override = (tier: Tier): TierLimits =>
      Object.freeze({ ...tiersDefault[tier], ...definedOf(parsed.data[tier] ?? {}) })
    return right(
      Object.freeze({
        free: override('free'),
        growth: override('growth'),
        scale: override('scale'),
      }),
    )
  },
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
