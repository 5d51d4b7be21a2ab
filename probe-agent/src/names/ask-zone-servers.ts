import { randomInt } from 'node:crypto'
import { isIPv4 } from 'node:net'
import { classifyAddress } from '@probe-mesh/contracts/target/address'
import { askResolver } from '../probes/dns/ask-resolver.ts'
import type { Delegation, ZoneServer } from '../probes/dns/delegation.ts'
import type { Answer } from '../probes/dns/query.ts'
import { codeOf } from '../request/failure.ts'
import type { AddressGuard } from '../request/guard.ts'
import type { Failure } from '../request/outcome.ts'
import type { AskedServer, ZoneFacts, ZoneWord } from './name-facts.ts'

/** Questions that an inquiry has left, those to resolvers included. */
export type Questions = { left: number }

const directPort = 53
const questionMsMax = 1_200
/** Servers of one zone that are asked. */
const serversOfZoneMax = 2

type Asking = {
  name: string
  questions: Questions
  guard: AddressGuard
  signal: AbortSignal
  /** Of zones' servers; another one in tests alone. */
  port?: number
}

/**
 * Asks the servers of the zone that a name lies in, from the top-level zone downward, each about the name itself
 * and without recursion. What a server above the zone says shows that such questions leave this network: only
 * then does the silence of those below it say anything. Every address is judged by the guard, and counted.
 */
export const askZoneServers = async (asking: Asking): Promise<ZoneFacts> => {
  const servers: AskedServer[] = []
  const unknown: ZoneFacts = { word: 'unknown', zone: null, servers }
  let at = await topZone(asking)
  if (at === null) return unknown
  for (let level = 0; ; level += 1) {
    const found = await askServersOf(at, level === 0 ? 1 : serversOfZoneMax, asking)
    servers.push(...found.servers)
    if (typeof found.answer !== 'string') {
      at = found.answer
      continue
    }
    // of the top-level zone itself only an answer with authority says anything
    const isProven = level > 0 || isAuthoritative(found.answer)
    return isProven ? { word: found.answer, zone: at.zone, servers } : { ...unknown, servers }
  }
}

const isAuthoritative = (word: ZoneWord): boolean =>
  word === 'address' || word === 'no_name' || word === 'no_address'

/** The servers of the top-level zone, as the probe's resolver knows them. */
const topZone = async ({ name, questions, guard, signal }: Asking): Promise<Delegation | null> => {
  const zone = name.split('.').at(-1) ?? ''
  const { resolver } = guard
  if (resolver.resolveNs === undefined || zone === name || !take(questions)) return null
  const names = await unlessAborted(resolver.resolveNs(zone), signal)
  if (names === null || names.length === 0) return null
  return { zone, servers: names.map((server) => ({ name: hostOf(server), addresses: [] })) }
}

const hostOf = (server: string): string => server.toLowerCase().replace(/\.$/, '')

/** What a zone's servers say together, or the zone below that one of them leads to. */
const askServersOf = async (
  { zone, servers }: Delegation,
  max: number,
  asking: Asking,
): Promise<{ answer: Delegation | ZoneWord; servers: AskedServer[] }> => {
  const asked: AskedServer[] = []
  const words: ZoneWord[] = []
  for (const server of rotated(servers)) {
    if (asked.length >= max || asking.questions.left <= 0 || asking.signal.aborted) break
    const address = await addressOf(server, asking)
    if (address === 'refused') continue
    const { answer, said } =
      address === null
        ? { answer: 'lame' as const, said: 'no address' }
        : await askServer(address, zone, asking)
    if (answer === null) continue
    asked.push({ name: server.name, address, answer: said })
    if (typeof answer !== 'string' || isAuthoritative(answer) || answer === 'unknown') {
      return { answer, servers: asked }
    }
    words.push(answer)
  }
  const silent = words.every((word) => word === 'silent') ? 'silent' : 'lame'
  return { answer: words.length === 0 ? 'unknown' : silent, servers: asked }
}

/** Others every time, those whose IPv4 address came along first. */
const rotated = (servers: readonly ZoneServer[]): ZoneServer[] => {
  const from = randomInt(Math.max(1, servers.length))
  const hasNone = ({ addresses }: ZoneServer): number => (addresses.some(isIPv4) ? 0 : 1)
  return [...servers.slice(from), ...servers.slice(0, from)].toSorted(
    (one, other) => hasNone(one) - hasNone(other),
  )
}

/** Where a server may be asked; null where its name has no address, `refused` where it may not be asked. */
const addressOf = async (
  { name, addresses }: ZoneServer,
  { questions, guard, signal }: Asking,
): Promise<string | null | 'refused'> => {
  if (guard.deny.coversHost(name)) return 'refused'
  let known = addresses
  if (known.length === 0) {
    if (!take(questions)) return 'refused'
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

/** @returns `answer` is null where this probe could not ask: that says nothing of the server */
const askServer = async (
  address: string,
  zone: string,
  { name, questions, guard, signal, port = directPort }: Asking,
): Promise<{ answer: Delegation | ZoneWord | null; said: string }> => {
  if (!take(questions)) return { answer: null, said: '' }
  const options = { msMax: questionMsMax, local: guard.allow.covers(address) }
  const context = { signal, deadlineMs: questionMsMax, onConnected: () => undefined }
  const question = { name, type: 'A', how: 'direct' } as const
  const exchange = await askResolver(question, { address, port }, options, context)
  if (!exchange.ok) return unansweredBy(exchange.failure, address)
  return { answer: wordOf(exchange.answer, zone), said: saidIn(exchange.answer) }
}

const unansweredBy = (
  { cause, fault }: Failure,
  address: string,
): { answer: ZoneWord | null; said: string } => {
  if (cause === 'resolver_bad_answer') return { answer: 'lame', said: 'malformed' }
  // a missing route counts like silence, since servers above were reached; a probe may have no IPv6
  const isUnroutable = cause === 'no_route' && isIPv4(address)
  if (fault === 'probe' && !isUnroutable) return { answer: null, said: '' }
  return { answer: 'silent', said: 'silent' }
}

const saidIn = ({ rcode, authority }: Answer): string => {
  if (rcode !== 'NOERROR' || authority === undefined || authority.authoritative) return rcode
  return authority.delegation === null ? 'not authoritative' : 'referral'
}

/** What a server of a zone says of the name: its own word, or a zone further down. */
const wordOf = (
  { rcode, values, ttlSeconds, authority }: Answer,
  zone: string,
): Delegation | ZoneWord => {
  if (authority === undefined) return 'lame'
  const { authoritative, recursive, delegation } = authority
  if (!authoritative) {
    const isBelow =
      delegation !== null && delegation.zone !== zone && delegation.zone.endsWith(`.${zone}`)
    if (isBelow && rcode === 'NOERROR') return delegation
    // whoever resolves for others without having authority may not be the server at all
    return recursive ? 'unknown' : 'lame'
  }
  if (rcode === 'NXDOMAIN') return 'no_name'
  if (values.length > 0) return 'address'
  // an alias leads to another zone
  return ttlSeconds === null ? 'no_address' : 'unknown'
}

const take = (questions: Questions): boolean => {
  if (questions.left <= 0) return false
  questions.left -= 1
  return true
}

const absentCodes: ReadonlySet<string> = new Set(['ENOTFOUND', 'ENODATA'])

/** What is known in time; null where it is not. */
const unlessAborted = (asked: Promise<string[]>, signal: AbortSignal): Promise<string[] | null> =>
  new Promise((resolve) => {
    const onAbort = (): void => resolve(null)
    signal.addEventListener('abort', onAbort, { once: true })
    if (signal.aborted) onAbort()
    void asked
      .catch((error: unknown) => (absentCodes.has(codeOf(error)) ? [] : null))
      .then((known) => {
        signal.removeEventListener('abort', onAbort)
        resolve(known)
      })
  })
