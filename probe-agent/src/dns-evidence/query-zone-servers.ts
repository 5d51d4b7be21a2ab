import { codeOf } from '@probe-mesh/runtime/errors'
import { randomInt } from 'node:crypto'
import { isIPv4 } from 'node:net'
import { classifyAddress } from '@probe-mesh/contracts/target/address'
import { queryResolver } from '@probe-mesh/check-types/dns/probe/query-resolver'
import type { Delegation, ZoneServer } from '../dns/delegation.ts'
import type { Answer } from '../dns/query.ts'
import type { AddressGuard } from '../request/guard.ts'
import type { Failure } from '../request/outcome.ts'
import type { AskedServer, ZoneFacts, ZoneResult } from './name-facts.ts'

/** Questions left in an inquiry, including those to resolvers. */
type Questions = { left: number }

const directPort = 53
const questionMsMax = 1_200
/** Servers queried per zone. */
const serversOfZoneMax = 2

type Asking = {
  name: string
  questions: Questions
  guard: AddressGuard
  signal: AbortSignal
  /** Port of the zones' servers; only tests change it. */
  port?: number
}

/**
 * Queries the servers of a name's zone, without recursion, from the top-level zone downward. An answer from a
 * server above the zone proves that such queries leave this network: only then is the silence of servers
 * below it evidence. The guard checks and counts each address.
 */
export const queryZoneServers = async (asking: Asking): Promise<ZoneFacts> => {
  const servers: AskedServer[] = []
  const unknown: ZoneFacts = { result: 'unknown', zone: null, servers }
  let at = await topZone(asking)
  if (at === null) return unknown
  for (let level = 0; ; level += 1) {
    const found = await askServersOf(at, level === 0 ? 1 : serversOfZoneMax, asking)
    servers.push(...found.servers)
    if (typeof found.answer !== 'string') {
      at = found.answer
      continue
    }
    // the top-level zone itself counts only with an authoritative answer
    const isProven = level > 0 || isAuthoritative(found.answer)
    return isProven ? { result: found.answer, zone: at.zone, servers } : { ...unknown, servers }
  }
}

const isAuthoritative = (word: ZoneResult): boolean =>
  word === 'address' || word === 'no_name' || word === 'no_address'

/** The servers of the top-level zone, from the probe's resolver. */
const topZone = async ({ name, questions, guard, signal }: Asking): Promise<Delegation | null> => {
  const zone = name.split('.').at(-1) ?? ''
  const { resolver } = guard
  if (resolver.resolveNs === undefined || zone === name || !spendQuestion(questions)) return null
  const names = await unlessAborted(resolver.resolveNs(zone), signal)
  if (names === null || names.length === 0) return null
  return { zone, servers: names.map((server) => ({ name: hostOf(server), addresses: [] })) }
}

const hostOf = (server: string): string => server.toLowerCase().replace(/\.$/, '')

/** The combined answer of a zone's servers, or the delegation to a zone below. */
const askServersOf = async (
  { zone, servers }: Delegation,
  max: number,
  asking: Asking,
): Promise<{ answer: Delegation | ZoneResult; servers: AskedServer[] }> => {
  const queried: AskedServer[] = []
  const words: ZoneResult[] = []
  for (const server of rotated(servers)) {
    if (queried.length >= max || asking.questions.left <= 0 || asking.signal.aborted) break
    const address = await addressOf(server, asking)
    if (address === 'refused') continue
    const { answer, text } =
      address === null
        ? { answer: 'lame' as const, text: 'no address' }
        : await askServer(address, zone, asking)
    if (answer === null) continue
    queried.push({ name: server.name, address, answer: text })
    if (typeof answer !== 'string' || isAuthoritative(answer) || answer === 'unknown') {
      return { answer, servers: queried }
    }
    words.push(answer)
  }
  const silent = words.every((word) => word === 'silent') ? 'silent' : 'lame'
  return { answer: words.length === 0 ? 'unknown' : silent, servers: queried }
}

/** A random order, servers with a known IPv4 address first. */
const rotated = (servers: readonly ZoneServer[]): ZoneServer[] => {
  const from = randomInt(Math.max(1, servers.length))
  const hasNone = ({ addresses }: ZoneServer): number => (addresses.some(isIPv4) ? 0 : 1)
  return [...servers.slice(from), ...servers.slice(0, from)].toSorted(
    (one, other) => hasNone(one) - hasNone(other),
  )
}

/**
 * The address of a server; null when its name has none, `refused` when asking it is not allowed.
 */
const addressOf = async (
  { name, addresses }: ZoneServer,
  { questions, guard, signal }: Asking,
): Promise<string | null | 'refused'> => {
  if (guard.deny.coversHost(name)) return 'refused'
  let known = addresses
  if (known.length === 0) {
    if (!spendQuestion(questions)) return 'refused'
    const found = await unlessAborted(guard.resolver.resolve4(name), signal)
    if (found === null) return 'refused'
    known = found
  }
  const address = known.find(isIPv4) ?? known[0]
  if (address === undefined) return null
  const { allow, deny, ownAddresses, spend } = guard
  if (!classifyAddress(address, allow).allowed || deny.coversAddress(address)) return 'refused'
  if (ownAddresses().has(address) && !allow.coversOwn(address)) return 'refused'
  return allow.covers(address) || spend(address) ? address : 'refused'
}

/**
 * @returns `answer` is null when this probe could not send the query, which is no evidence about the server
 */
const askServer = async (
  address: string,
  zone: string,
  { name, questions, guard, signal, port = directPort }: Asking,
): Promise<{ answer: Delegation | ZoneResult | null; text: string }> => {
  if (!spendQuestion(questions)) return { answer: null, text: '' }
  const options = { msMax: questionMsMax, local: guard.allow.covers(address) }
  const context = { signal, deadlineMs: questionMsMax, onConnected: () => undefined }
  const question = { name, type: 'A', how: 'direct' } as const
  const exchange = await queryResolver(question, { address, port }, options, context)
  if (!exchange.ok) return unansweredBy(exchange.failure, address)
  return { answer: resultOf(exchange.answer, zone), text: answerText(exchange.answer) }
}

const unansweredBy = (
  { cause, fault }: Failure,
  address: string,
): { answer: ZoneResult | null; text: string } => {
  if (cause === 'resolver_bad_answer') return { answer: 'lame', text: 'malformed' }
  // a missing route counts as silence, since servers above were reached; a probe may lack IPv6
  const isUnroutable = cause === 'no_route' && isIPv4(address)
  if (fault === 'probe' && !isUnroutable) return { answer: null, text: '' }
  return { answer: 'silent', text: 'silent' }
}

const answerText = ({ rcode, authority }: Answer): string => {
  if (rcode !== 'NOERROR' || authority === undefined || authority.authoritative) return rcode
  return authority.delegation === null ? 'not authoritative' : 'referral'
}

/** A server's answer about the name, or the delegation to a zone below. */
const resultOf = (
  { rcode, values, ttlSeconds, authority }: Answer,
  zone: string,
): Delegation | ZoneResult => {
  if (authority === undefined) return 'lame'
  const { authoritative, recursive, delegation } = authority
  if (!authoritative) {
    const isBelow = delegation !== null && delegation.zone !== zone && delegation.zone.endsWith(`.${zone}`)
    if (isBelow && rcode === 'NOERROR') return delegation
    // a recursive server without authority may not be the zone's server at all
    return recursive ? 'unknown' : 'lame'
  }
  if (rcode === 'NXDOMAIN') return 'no_name'
  if (values.length > 0) return 'address'
  // an alias leads to another zone
  return ttlSeconds === null ? 'no_address' : 'unknown'
}

const spendQuestion = (questions: Questions): boolean => {
  if (questions.left <= 0) return false
  questions.left -= 1
  return true
}

const absentCodes: ReadonlySet<string> = new Set(['ENOTFOUND', 'ENODATA'])

/** Resolves null when aborted or unknown. */
const unlessAborted = (queried: Promise<string[]>, signal: AbortSignal): Promise<string[] | null> =>
  new Promise((resolve) => {
    const onAbort = (): void => resolve(null)
    signal.addEventListener('abort', onAbort, { once: true })
    if (signal.aborted) onAbort()
    void queried
      .catch((error: unknown) => (absentCodes.has(codeOf(error)) ? [] : null))
      .then((known) => {
        signal.removeEventListener('abort', onAbort)
        resolve(known)
      })
  })
