import { codeOf } from '@probe-mesh/runtime/errors'
import type { AllowList } from '@probe-mesh/contracts/target/address'
import { isAbsentInside, type ZoneResolver } from '@probe-mesh/contracts/target/internal-zone'
import type { Absences, Family } from '../dns/absences.ts'
import { createOwnResolver, type OwnResolver } from '../dns/resolver.ts'
import type { Said } from '../dns/said.ts'
import type { ReadServers } from '../dns/servers.ts'
import { failureOf } from './failure.ts'
import type { Failure } from './outcome.ts'

export type Resolver = ZoneResolver & {
  /** Its servers, in the format of `dns.getServers()`; absent: those of this machine. */
  getServers?(): string[]
} & Partial<Pick<OwnResolver, 'say' | 'absences'>>

/** The addresses that a check wants to reach its target by. */
export type AddressFamily = Family

/** Causes for names that do not exist, or have no address. */
const absent: ReadonlySet<string> = new Set(['dns_not_found', 'dns_no_address'])

/**
 * Whether an unresolved name is in a zone that only the agent's network knows. It is then refused
 * like an existing internal name, so that failures do not reveal which names exist.
 */
export const isRefusedAbsent = async (
  name: string,
  failure: Failure,
  { resolver, allow, isOwnNetwork = false }: { resolver: Resolver; allow: AllowList; isOwnNetwork?: boolean },
): Promise<boolean> =>
  !isOwnNetwork && absent.has(failure.cause) && (await isAbsentInside(name, resolver, allow))

/** How long IPv4 addresses wait for IPv6 ones (RFC 8305's resolution delay). */
const otherFamilyWaitMs = 50

/**
 * One resolver for all look-ups: it neither caches nor merges, so that each is measured.
 * @param read absent: the resolvers of this machine
 */
export const createResolver = (read?: ReadServers): OwnResolver =>
  createOwnResolver(read === undefined ? {} : { read })

type Resolved = { ok: true; addresses: string[] } | { ok: false; failure: Failure }

/**
 * All addresses of a name, IPv4 first. A family without an answer is skipped if the other has one.
 * If neither has, an uncertain answer overrides "no address", so that a fault of the resolver never
 * counts against the target. A family that the name lately did not have is asked for only where the
 * other has no address, or the check needs it (S-885).
 * @param family must be known; absent: either
 */
export const resolveName = async (
  name: string,
  resolver: Resolver,
  family?: AddressFamily,
): Promise<Resolved> => {
  const absent = resolver.absences?.of(name) ?? null
  if (absent === null || absent === family) return resolveBoth(name, resolver, family)
  const other = otherFamily[absent]
  const known = await ask(name, other, resolver)
  if (known.addresses.length > 0) return { ok: true, addresses: known.addresses }
  resolver.absences?.forget(name)
  // a resolver that is silent about one family is not asked for the other
  if (unreachable.has(known.code)) return failed(known.code)
  const rest = await ask(name, absent, resolver)
  return absent === 'ipv4' ? decide(rest, known, family) : decide(known, rest, family)
}

const resolveBoth = async (
  name: string,
  resolver: Resolver,
  family: AddressFamily | undefined,
): Promise<Resolved> => {
  const ipv4Answer = ask(name, 'ipv4', resolver)
  const ipv6Answer = ask(name, 'ipv6', resolver)
  const ipv4 = await ipv4Answer
  const needsIpv6 = ipv4.addresses.length === 0 || family === 'ipv6'
  const ipv6 = needsIpv6 ? await ipv6Answer : await shortly(ipv6Answer)
  const { absences } = resolver
  if (absences !== undefined) keepAbsence(absences, name, ipv4, ipv6)
  return decide(ipv4, ipv6, family)
}

const keepAbsence = (absences: Absences, name: string, ipv4: Settled, ipv6: Settled): void => {
  if (ipv4.addresses.length > 0) absences.keep(name, 'ipv6', ipv6.absentSeconds)
  else if (ipv6.addresses.length > 0) absences.keep(name, 'ipv4', ipv4.absentSeconds)
}

const decide = (ipv4: Settled, ipv6: Settled, family: AddressFamily | undefined): Resolved => {
  const addresses = [...ipv4.addresses, ...ipv6.addresses]
  const wanted = family === undefined ? null : { ipv4, ipv6 }[family]
  const isUnknown = wanted !== null && wanted.addresses.length === 0 && !isAbsence(wanted.code)
  if (isUnknown) return failed(wanted.code)
  if (addresses.length > 0) return { ok: true, addresses }
  const codes = [ipv4.code, ipv6.code]
  return failed(
    codes.includes('ENOTFOUND') ? 'ENOTFOUND' : (codes.find((each) => each !== 'ENODATA') ?? 'ENODATA'),
  )
}

const failed = (code: string): Resolved => ({
  ok: false,
  failure: failureOf('dns', code, { local: false }),
})

const otherFamily = { ipv4: 'ipv6', ipv6: 'ipv4' } as const
const unreachable: ReadonlySet<string> = new Set(['ETIMEOUT', 'ECONNREFUSED', 'ECANCELLED'])

const isAbsence = (code: string): boolean => code === 'ENODATA' || code === 'ENOTFOUND'

type Settled = {
  addresses: string[]
  /** `ENODATA` with addresses. */
  code: string
  absentSeconds: number
}

const ask = (name: string, family: AddressFamily, resolver: Resolver): Promise<Settled> => {
  const isIpv4 = family === 'ipv4'
  if (resolver.say !== undefined) return resolver.say(name, isIpv4 ? 'A' : 'AAAA').then(settledOf)
  const asked = isIpv4 ? resolver.resolve4(name) : resolver.resolve6(name)
  return asked.then(
    (addresses) => ({ addresses, code: 'ENODATA', absentSeconds: 0 }),
    (error: unknown) => ({ addresses: [], code: codeOf(error), absentSeconds: 0 }),
  )
}

const settledOf = ({ code, values, absentSeconds }: Said): Settled => ({
  addresses: values as string[],
  code: code === 'OK' ? 'ENODATA' : code,
  absentSeconds,
})

const shortly = async (answer: Promise<Settled>): Promise<Settled> => {
  const { promise, resolve } = Promise.withResolvers<Settled>()
  const timer = setTimeout(resolve, otherFamilyWaitMs, { addresses: [], code: 'ETIMEOUT', absentSeconds: 0 })
  void answer.then(resolve)
  const first = await promise
  clearTimeout(timer)
  return first
}
