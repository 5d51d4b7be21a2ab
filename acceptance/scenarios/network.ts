import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import type { ZoneResolver } from '@probe-mesh/probe-agent/evidence/query-zone'
import type { Resolver } from '@probe-mesh/probe-agent/request/resolve'
import type { Canary } from '@probe-mesh/probe-agent/run/connectivity'
import type { Target } from './target.ts'

/**
 * The state of a region's connection to the internet. Without it the resolver denies every name, like that of
 * a captive portal, or does not answer; in both cases no canary responds.
 */
type Passage = 'open' | 'denying' | 'silent'

/** The network that the agents of each region measure through. */
export type Network = {
  turn(region: string, passage: Passage): void
  resolverOf(region: string): Resolver
  /** Sets the name servers of a host's zone. */
  serve(host: string, nameServers: readonly string[]): void
  zoneResolver(): ZoneResolver
  readonly canaries: readonly Canary[]
  close(): Promise<void>
}

const canaryHost = 'canary.example.net'
const own = '127.0.0.1'

export const startNetwork = async (target: Pick<Target, 'addressOf'>): Promise<Network> => {
  const passages = new Map<string, Passage>()
  const zones = new Map<string, readonly string[]>()
  const canary = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.end()
  })
  canary.listen(0, own)
  await once(canary, 'listening')
  const { port } = canary.address() as AddressInfo

  const resolve = (region: string, name: string): string[] => {
    const passage = passages.get(region) ?? 'open'
    if (passage === 'silent') throw failureNamed('ETIMEOUT')
    if (passage === 'denying') throw failureNamed('ENOTFOUND')
    const address = name === canaryHost ? own : target.addressOf(name, region)
    if (address === null) throw failureNamed('ENOTFOUND')
    return [address]
  }
  return {
    turn: (region, passage) => void passages.set(region, passage),
    resolverOf: (region) => ({
      resolve4: async (name) => resolve(region, name),
      resolve6: async (name) => {
        resolve(region, name)
        return []
      },
    }),
    serve: (host, nameServers) => void zones.set(host, nameServers),
    zoneResolver: () => ({
      resolveNs: async (name) => {
        const nameServers = zones.get(name)
        if (nameServers === undefined) throw failureNamed('ENODATA')
        return [...nameServers]
      },
      resolveCname: async () => {
        throw failureNamed('ENODATA')
      },
      cancel: () => undefined,
    }),
    canaries: [{ host: canaryHost, port }],
    close: async () => {
      canary.close()
      await once(canary, 'close')
    },
  }
}

/** A failure like that of Node's resolver. */
const failureNamed = (code: string): Error => Object.assign(new Error(code), { code })
