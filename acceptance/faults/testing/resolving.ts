import type { AnnouncedAgent } from '@probe-mesh/bus/port'
import type { Reading } from '@probe-mesh/contracts/reading/reading'

/** A small internet with real name servers: its hosts, and what is wrong with some of their names. */

const network = '93.184.215'
export const resolvingNetwork = {
  /** The agents' end of the way there. */
  own: `${network}.1`,
  /** All targets are one server. */
  target: `${network}.14`,
  targetPort: 8_080,
  /** The root and `net`. */
  parents: `${network}.53`,
  /** The zones of all hosts that work. */
  zones: `${network}.54`,
  /** Listens for questions and never answers. */
  silent: `${network}.55`,
  /** No server has this address. */
  nobody: `${network}.99`,
} as const

export const canaryHost = 'canary.probe-canaries.net'
export const resolvingRegions = ['fra', 'nrt'] as const
export const resolvingIntervalSeconds = 10

/** How a zone is broken: what its delegation leads to, and what the servers there make of it. */
export type Broken = {
  zone: string
  servedBy: 'zones' | 'silent' | 'nobody'
  /** `unloaded`: its server knows the zone and cannot read it. `unsigned`: without the signatures promised. */
  as: 'good' | 'absent' | 'unloaded' | 'unsigned'
  cause: string
}

export const brokenZones: readonly Broken[] = [
  { zone: 'shop-servfail.net', servedBy: 'zones', as: 'unloaded', cause: 'dns_lame_delegation' },
  { zone: 'shop-lame.net', servedBy: 'zones', as: 'absent', cause: 'dns_lame_delegation' },
  { zone: 'shop-silent.net', servedBy: 'silent', as: 'good', cause: 'dns_servers_unreachable' },
  { zone: 'shop-dead.net', servedBy: 'nobody', as: 'good', cause: 'dns_servers_unreachable' },
  { zone: 'shop-dnssec.net', servedBy: 'zones', as: 'unsigned', cause: 'dnssec_failed' },
]

const hosts = 40
export const workingZones: readonly string[] = Array.from(
  { length: hosts - brokenZones.length },
  (_, n) => `shop-${n}.net`,
)
export const hostOf = (zone: string): string => `www.${zone}`

/** What agents of two regions measured, in the order in which it came. */
export type ResolvingReport = {
  /** While all that works works. */
  before: { host: string; reading: Reading }[]
  /** After the resolver of one region ended. */
  after: { host: string; reading: Reading }[]
  /** Unix ms */
  resolverEndedAt: number
  /** What the agent of that region has logged by the end. */
  logged: { time: number; msg: string }[]
  /** What the agents of that region told last of themselves on the bus. */
  announced: AnnouncedAgent[]
}
