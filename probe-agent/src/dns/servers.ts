import { promises as dns } from 'node:dns'
import { readFileSync } from 'node:fs'
import { randomInt } from 'node:crypto'
import { isIPv6 } from 'node:net'
import { codeOf } from '@probe-mesh/runtime/errors'
import {
  canonicalIpv6,
  parseResolverAddress,
  type ResolverAddress,
} from '@probe-mesh/contracts/target/dns-target'
import { createLatency, type Latency } from './latency.ts'
import { createUdpSockets, type UdpCounts, type UdpSockets } from './udp-sockets.ts'

/** The resolvers of this machine and how they are asked. */
export type ServerList = {
  /** In the format of `dns.getServers()`. */
  servers: readonly string[]
  /** `options rotate`: each question begins at a random one. */
  rotate?: boolean
  /** `options use-vc`: over TCP only. */
  tcpOnly?: boolean
}

export type ReadServers = (before?: ServerList) => ServerList

export type Server = {
  address: ResolverAddress
  sockets: UdpSockets
  latency: Latency
  /** Tries in a row without an answer. */
  failures: number
  /** When it is asked again after failures, by the clock of `createServers`, ms. */
  retryAt: number
}

export type Servers = {
  readonly tcpOnly: boolean
  /** The best ones first: those with the fewest failures, in the configured order. */
  ordered(): readonly Server[]
  /** One that failed and whose time for another question has come; null: none. */
  toRetry(): Server | null
  failed(server: Server): void
  answered(server: Server): void
  texts(): string[]
  readonly counts: Readonly<UdpCounts>
  close(): void
}

/** A changed resolv.conf is read within this time. */
const rereadMs = 10_000
const retryDelayMs = 5_000
const firstTimeoutMs = 2_000

/**
 * @param read given what it returned before
 * @param now monotonic, ms
 */
export const createServers = ({ read, now }: { read: ReadServers; now: () => number }): Servers => {
  const counts = { sent: 0, stray: 0 }
  const openSockets = (address: ResolverAddress): UdpSockets => createUdpSockets(address, counts)
  let list = read()
  let readAt = now()
  let known = serversOf(list, [], openSockets)

  const refresh = (): void => {
    if (now() - readAt < rereadMs) return
    readAt = now()
    list = read(list)
    const before = known
    known = serversOf(list, before, openSockets)
    for (const server of before) if (!known.includes(server)) server.sockets.close()
  }
  return {
    counts,
    get tcpOnly() {
      return list.tcpOnly === true
    },
    ordered: () => {
      refresh()
      const [first, second] = known
      if (first === undefined || second === undefined) return known
      if (list.rotate === true) return rotated(known)
      return known.some(({ failures }) => failures > 0)
        ? known.toSorted((one, other) => one.failures - other.failures)
        : known
    },
    toRetry: () => known.find(({ failures, retryAt }) => failures > 0 && now() >= retryAt) ?? null,
    failed: (server) => {
      server.failures += 1
      server.retryAt = now() + retryDelayMs
    },
    answered: (server) => {
      server.failures = 0
    },
    texts: () => {
      refresh()
      return [...list.servers]
    },
    close: () => {
      for (const { sockets } of known) sockets.close()
    },
  }
}

/** Servers that stay keep what is known about them. */
const serversOf = (
  { servers }: ServerList,
  before: readonly Server[],
  openSockets: (address: ResolverAddress) => UdpSockets,
): readonly Server[] => {
  const found = new Map<string, Server>()
  for (const text of servers) {
    const address = parseResolverAddress(text)
    if (address === null) continue
    const key = `${address.address} ${address.port}`
    const isSame = (server: Server): boolean => `${server.address.address} ${server.address.port}` === key
    const server = found.get(key) ?? before.find(isSame) ?? newServer(address, openSockets)
    found.set(key, server)
  }
  return [...found.values()]
}

const newServer = (
  address: ResolverAddress,
  openSockets: (address: ResolverAddress) => UdpSockets,
): Server => ({
  address,
  sockets: openSockets(address),
  latency: createLatency(firstTimeoutMs),
  failures: 0,
  retryAt: 0,
})

const rotated = (servers: readonly Server[]): readonly Server[] => {
  const from = randomInt(servers.length)
  return [...servers.slice(from), ...servers.slice(0, from)]
}

/** Where options of the resolver are, beside `RES_OPTIONS`. */
const resolvConf = '/etc/resolv.conf'

/**
 * As Node reads them for a new `dns.Resolver`, with the options that it follows. A file that cannot be read, such as
 * without a free descriptor, or that names no server, such as while it is written, changes nothing: Node would ask
 * 127.0.0.1.
 */
export const readServers = (before?: ServerList, path = resolvConf): ServerList => {
  const text = textOf(path)
  if (before !== undefined && text !== null && wordsIn(text, 'nameserver').length === 0) return before
  const options = optionsIn(`${text ?? ''}\noptions ${process.env['RES_OPTIONS'] ?? ''}`)
  return {
    servers: withZones(new dns.Resolver().getServers(), text ?? ''),
    rotate: options.has('rotate'),
    tcpOnly: options.has('use-vc') || options.has('usevc'),
  }
}

/** Empty: it cannot be read; null: there is none. */
const textOf = (path: string): string | null => {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    return codeOf(error) === 'ENOENT' ? null : ''
  }
}

/** Node omits the zone of a link-local address (`fe80::1%eth0`), without which it cannot be asked. */
export const withZones = (servers: readonly string[], text: string): string[] => {
  const zoned = wordsIn(text, 'nameserver').flatMap(([address = '']) => {
    const [plain = '', zone] = address.split('%')
    return zone === undefined || !isIPv6(plain) ? [] : [{ plain: canonicalIpv6(plain), zone }]
  })
  return servers.map((server) => {
    const at = zoned.findIndex(({ plain }) => plain === server)
    return at < 0 ? server : `${server}%${zoned.splice(at, 1)[0]?.zone}`
  })
}

/** The words of the lines `options` of a resolv.conf. */
export const optionsIn = (text: string): ReadonlySet<string> => new Set(wordsIn(text, 'options').flat())

/** The other words of the lines that begin with one. */
const wordsIn = (text: string, word: string): string[][] =>
  text
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .flatMap(([first, ...rest]) => (first === word ? [rest] : []))
