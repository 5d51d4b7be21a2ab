import { getServers } from 'node:dns'
import { classifyAddress, type AllowList } from '@probe-mesh/contracts/target/address'
import type { SettingsAssignment } from '@probe-mesh/contracts/mesh/assignment'
import { parseDnsTarget, type DnsTarget } from '@probe-mesh/contracts/target/dns-target'
import { isInsideName, type ZoneLookup } from '@probe-mesh/contracts/target/internal-zone'
import { noTimings, type ReadingDetails } from '@probe-mesh/contracts/reading/reading-details'
import type { DnsRecordType } from '../record-type.ts'
import { judgeFailure, type Judgement } from '@probe-mesh/probe-agent/src/judge/judgement'
import { targetRateExceeded, deniedTarget, unsafeTarget } from '@probe-mesh/probe-agent/src/request/failure'
import type { Guard } from '@probe-mesh/probe-agent/src/request/guard'
import type { Failure } from '@probe-mesh/probe-agent/src/request/outcome'
import { roundMs } from '@probe-mesh/probe-agent/src/request/round'
import type { Probe, ProbeContext, UnresolvedName } from '@probe-mesh/probe-agent/src/probes/probe'
import { queryResolver, type Exchange } from './query-resolver.ts'
import { judgeAnswer } from './judge-answer.ts'
import type { Question } from '@probe-mesh/probe-agent/src/dns/message'
import type { Answer } from '@probe-mesh/probe-agent/src/dns/query'
import { queryOwnResolvers, ownResolversOf, unconfirmed } from './own-resolvers.ts'
import { limits } from '@probe-mesh/contracts/schema/limits'
import { parseHost } from '@probe-mesh/contracts/target/target'

/**
 * Whether the agent's own resolvers answered with internal data: a private address, or a host of an
 * internal domain. Such answers are neither shown nor compared, so that a check cannot explore the
 * network. Answers of a resolver that the check names are as public as that resolver.
 */
const isInternalAnswer = (recordType: DnsRecordType, values: readonly string[], allow: AllowList): boolean =>
  values.some((value) => isInternalValue(recordType, value, allow))

const isInternalValue = (recordType: DnsRecordType, value: string, allow: AllowList): boolean => {
  switch (recordType) {
    case 'A':
    case 'AAAA':
      return !classifyAddress(value, allow).allowed
    case 'CNAME':
    case 'NS':
    case 'PTR':
      return isInternalHost(value, allow)
    case 'SOA':
      return isInternalHost(value.split(' ')[0] ?? '', allow)
    case 'MX':
    case 'SRV':
      return isInternalHost(value.split(' ').at(-1) ?? '', allow)
    case 'TXT':
    case 'CAA':
      return false
    default:
      return recordType satisfies never
  }
}

const isInternalHost = (name: string, allow: AllowList): boolean => {
  const host = parseHost(name, { allow })
  return !host.ok && host.problem.rule === 'host_internal'
}

const valueCharactersMax = 300

/** An answer as details of a reading, within its limits. */
const detailsOf = ({ rcode, ttlSeconds, values }: Answer): ReadingDetails => ({
  type: 'dns',
  rcode,
  ttlSeconds,
  values: values.slice(0, limits.dnsValuesMax).map(shown),
})

/**
 * Escapes control characters, which only free text can contain, as `\010`; keeps surrogate pairs
 * whole.
 */
const shown = (value: string): string => {
  const escaped = value.replace(/\p{Cc}/gu, (control) => {
    return `\\${String(control.charCodeAt(0)).padStart(3, '0')}`
  })
  return escaped.slice(0, valueCharactersMax).replace(/[\uD800-\uDBFF]$/, '')
}

/** The observations and their judgement. */
type Measured = {
  answered: boolean
  dnsMs: number | null
  address: string | null
  details: ReadingDetails | null
  unresolved?: UnresolvedName
  judgement: Judgement
  /** When the answer came; later queries to judge it are not part of the latency. */
  endedAt?: number
}

/**
 * One dns check: a query to the resolver that the check names, whose failure is the target's, or to
 * the agent's own, whose failure never is (S-505).
 * @param ownServers in the format of `dns.getServers()`, read on every run
 */
export const createDnsProbe =
  (ownServers: (guard: Pick<Guard, 'resolver'>) => readonly string[]): Probe<SettingsAssignment<'dns'>> =>
  async ({ settings }, context, guard) => {
    const startedAt = performance.now()
    const parsed = parseDnsTarget(settings, guard)
    const leftMs = (): number => Math.max(0, context.deadlineMs - (performance.now() - startedAt))
    const seen = parsed.ok
      ? await measure(parsed.target, settings, { ...context, leftMs }, guard, () => ownServers(guard))
      : failed(unsafeTarget)
    context.onConnected()
    const { judgement, dnsMs, endedAt = performance.now(), ...observed } = seen
    return {
      trace: {
        httpStatus: null,
        latencyMs: roundMs(endedAt - startedAt),
        timings: { ...noTimings, dnsMs },
        certificateExpiresAt: null,
        ...observed,
      },
      judgement,
    }
  }

/** Uses the system's resolvers when a check names none. */
export const probeDns: Probe<SettingsAssignment<'dns'>> = createDnsProbe(
  ({ resolver }) => resolver.getServers?.() ?? getServers(),
)

const measure = (
  { name, resolver }: DnsTarget,
  settings: SettingsAssignment<'dns'>['settings'],
  context: ProbeContext & { leftMs: () => number },
  guard: Guard,
  ownServers: () => readonly string[],
): Promise<Measured> => {
  const question = { name, type: settings.recordType }
  const ask = (
    asked: NonNullable<DnsTarget['resolver']>,
    left: number,
    of: Question = question,
  ): Promise<Exchange> => {
    const options = { msMax: context.leftMs() / left, local: guard.allow.covers(asked.address) }
    return queryResolver(of, asked, options, context)
  }
  if (guard.deny.coversHost(name)) return Promise.resolve(failed(deniedTarget))
  if (resolver !== null) return measureNamed(settings, resolver, () => ask(resolver, 1), guard)
  const askOwn = (of: Question) =>
    queryOwnResolvers(ownResolversOf(ownServers()), (asked, left) => ask(asked, left, of))
  return measureOwn(settings, question, askOwn, guard)
}

const measureNamed = async (
  settings: SettingsAssignment<'dns'>['settings'],
  { address }: NonNullable<DnsTarget['resolver']>,
  ask: () => Promise<Exchange>,
  { allow, ownAddresses, deny, spend }: Guard,
): Promise<Measured> => {
  if (ownAddresses().has(address) && !allow.coversOwn(address)) return failed(unsafeTarget)
  if (deny.coversAddress(address)) return failed(deniedTarget)
  if (!allow.covers(address) && !spend(address)) return failed(targetRateExceeded)
  const exchange = await ask()
  const { answered, dnsMs } = exchange
  if (!exchange.ok) return { ...failed(exchange.failure), answered, address }
  const { answer } = exchange
  const judgement = judgeAnswer(settings, answer)
  return { answered, dnsMs, address, details: detailsOf(answer), judgement }
}

/** The address of a private resolver belongs to our network and is not shown. */
const measureOwn = async (
  settings: SettingsAssignment<'dns'>['settings'],
  question: Question,
  ask: (of: Question) => ReturnType<typeof queryOwnResolvers>,
  { allow, isOwnNetwork = false }: Guard,
): Promise<Measured> => {
  const known = await ask(question)
  const endedAt = performance.now()
  // an own resolver may answer from its cache or by a rewrite while nothing else is reachable
  const answered = false
  const asked = known.resolver?.address ?? null
  const address = asked !== null && classifyAddress(asked, allow).allowed ? asked : null
  const { recordType } = settings
  // a resolver without an answer reveals nothing about the inside
  const said = known.ok || known.failure === unconfirmed
  const isPublic = known.ok && isPublicAnswer(recordType, known.answer)
  const isInside =
    (known.ok && isInternalAnswer(recordType, known.answer.values, allow)) ||
    (said && !isPublic && !isOwnNetwork && (await isInsideName(question.name, lookupBy(ask), allow)))
  if (isInside) return { ...failed(unsafeTarget), answered, address, endedAt }
  const unresolved = { ...question, where: '' }
  if (!known.ok) return { ...failed(known.failure), answered, address, unresolved, endedAt }
  const { answer, dnsMs } = known
  const judgement = judgeAnswer(settings, answer)
  const seen = { answered, dnsMs, address, details: detailsOf(answer), judgement, endedAt }
  // an answer with records is judged by them; a denial needs proof of the resolver
  return answer.values.length === 0 ? { ...seen, unresolved } : seen
}

/** Public addresses are public by themselves; for other records the zone is checked. */
const isPublicAnswer = (recordType: DnsRecordType, { values }: Answer): boolean =>
  (recordType === 'A' || recordType === 'AAAA') && values.length > 0

/** Further lookups by the agent's own resolvers; empty without an answer. */
const lookupBy = (ask: (of: Question) => ReturnType<typeof queryOwnResolvers>): ZoneLookup => {
  const valuesOf = async (name: string, type: DnsRecordType): Promise<readonly string[]> => {
    const known = await ask({ name, type })
    return known.ok ? known.answer.values : []
  }
  return {
    addresses: async (name) => (await Promise.all([valuesOf(name, 'A'), valuesOf(name, 'AAAA')])).flat(),
    nameServers: (name) => valuesOf(name, 'NS'),
    aliases: (name) => valuesOf(name, 'CNAME'),
  }
}

const failed = (failure: Failure): Measured => ({
  answered: false,
  dnsMs: null,
  address: null,
  details: { type: 'dns', rcode: null, ttlSeconds: null, values: [] },
  judgement: judgeFailure(failure),
})
