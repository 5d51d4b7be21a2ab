import type { AnnouncedAgent } from '@probe-mesh/bus/port'
import type { Reading } from '@probe-mesh/contracts/reading/reading'

/** A small internet with real name servers: its hosts, and the faults of some of their names. */

const network = '93.184.215'
export const resolvingNetwork = {
  /** The agents' address on this network. */
  own: `${network}.1`,
  /** All targets are one server. */
  target: `${network}.14`,
  targetPort: 8_080,
  /** The root and `net`. */
  parents: `${network}.53`,
  /** The zones of all working hosts. */
  zones: `${network}.54`,
  /** Receives queries and never answers. */
  silent: `${network}.55`,
  /** An address without a server. */
  unused: `${network}.99`,
} as const

export const canaryHost = 'canary.probe-canaries.net'
export const resolvingRegions = ['fra', 'nrt'] as const
export const resolvingIntervalSeconds = 10

/** A broken zone: the servers of its delegation, and their state. */
export type Broken = {
  zone: string
  servedBy: 'zones' | 'silent' | 'unused'
  /** `unloaded`: its server cannot load the zone. `unsigned`: without the promised signatures. */
  as: 'good' | 'absent' | 'unloaded' | 'unsigned'
  cause: string
}

export const brokenZones: readonly Broken[] = [
  { zone: 'shop-servfail.net', servedBy: 'zones', as: 'unloaded', cause: 'dns_lame_delegation' },
  { zone: 'shop-lame.net', servedBy: 'zones', as: 'absent', cause: 'dns_lame_delegation' },
  { zone: 'shop-silent.net', servedBy: 'silent', as: 'good', cause: 'dns_servers_unreachable' },
  { zone: 'shop-dead.net', servedBy: 'unused', as: 'good', cause: 'dns_servers_unreachable' },
  { zone: 'shop-dnssec.net', servedBy: 'zones', as: 'unsigned', cause: 'dnssec_failed' },
]

const hosts = 40
export const workingZones: readonly string[] = Array.from(
  { length: hosts - brokenZones.length },
  (_, n) => `shop-${n}.net`,
)
export const hostOf = (zone: string): string => `www.${zone}`

/** The readings of agents of two regions, in the order of their arrival. */
export type ResolvingReport = {
  /** While both resolvers run. */
  before: { host: string; reading: Reading }[]
  /** After the resolver of one region ended. */
  after: { host: string; reading: Reading }[]
  /** Unix ms */
  resolverEndedAt: number
  /** The log of that region's agent. */
  logged: { time: number; msg: string }[]
  /** The last announcements of that region's agents on the bus. */
  announced: AnnouncedAgent[]
}
