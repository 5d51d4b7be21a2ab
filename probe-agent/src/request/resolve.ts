import { codeOf } from '@probe-mesh/runtime/errors'
import { promises as dns } from 'node:dns'
import type { AllowList } from '@probe-mesh/contracts/target/address'
import { isAbsentInside, type ZoneResolver } from '@probe-mesh/contracts/target/internal-zone'
import { failureOf } from './failure.ts'
import type { Failure } from './outcome.ts'

export type Resolver = ZoneResolver & {
  /** Its servers, in the format of `dns.getServers()`; absent: those of this machine. */
  getServers?(): string[]
}

/** The addresses that a check wants to reach its target by. */
export type AddressFamily = 'ipv4' | 'ipv6'

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

const queryTimeoutMs = 2_000

/** How long IPv4 addresses wait for IPv6 ones (RFC 8305's resolution delay). */
const otherFamilyWaitMs = 50

/**
 * One resolver for all lookups: it neither caches nor merges, so that each is measured. It tries
 * twice, since c-ares shortens the first try below `queryTimeoutMs` when answers have been fast.
 */
export const createResolver = (): Resolver => new dns.Resolver({ timeout: queryTimeoutMs, tries: 2 })

/**
 * All addresses of a name, IPv4 first. A family without an answer is skipped if the other has one.
 * If neither has, an uncertain answer overrides "no address", so that a fault of the resolver never
 * counts against the target.
 * @param family must be known; absent: either
 */
export const resolveName = async (
  name: string,
  resolver: Resolver,
  family?: AddressFamily,
): Promise<{ ok: true; addresses: string[] } | { ok: false; failure: Failure }> => {
  const ipv4Answer = settled(resolver.resolve4(name))
  const ipv6Answer = settled(resolver.resolve6(name))
  const ipv4 = await ipv4Answer
  const needsIpv6 = ipv4.addresses.length === 0 || family === 'ipv6'
  const ipv6 = needsIpv6 ? await ipv6Answer : await shortly(ipv6Answer)
  const addresses = [...ipv4.addresses, ...ipv6.addresses]
  const wanted = family === undefined ? null : { ipv4, ipv6 }[family]
  const isUnknown = wanted !== null && wanted.addresses.length === 0 && !isAbsence(wanted.code)
  if (isUnknown) return { ok: false, failure: failureOf('dns', wanted.code, { local: false }) }
  if (addresses.length > 0) return { ok: true, addresses }
  const codes = [ipv4.code, ipv6.code]
  const code = codes.includes('ENOTFOUND')
    ? 'ENOTFOUND'
    : (codes.find((each) => each !== 'ENODATA') ?? 'ENODATA')
  return { ok: false, failure: failureOf('dns', code, { local: false }) }
}

const isAbsence = (code: string): boolean => code === 'ENODATA' || code === 'ENOTFOUND'

type Settled = { addresses: string[]; code: string }

const settled = (answer: Promise<string[]>): Promise<Settled> =>
  answer.then(
    (addresses) => ({ addresses, code: 'ENODATA' }),
    (error: unknown) => ({ addresses: [], code: codeOf(error) }),
  )

const shortly = async (answer: Promise<Settled>): Promise<Settled> => {
  const { promise, resolve } = Promise.withResolvers<Settled>()
  const timer = setTimeout(resolve, otherFamilyWaitMs, { addresses: [], code: 'ETIMEOUT' })
  void answer.then(resolve)
  const first = await promise
  clearTimeout(timer)
  return first
}
