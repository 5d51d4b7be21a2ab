/** A small internet of one region: its addresses, zones and zone files. */

const network = '93.184'
export const internetNetwork = {
  /** The addresses of the region and of the internet on their link. */
  region: `${network}.215.1`,
  gateway: `${network}.215.2`,
  /** The root and the top-level zones. */
  parents: `${network}.215.53`,
  /** The port of the name server behind all zone servers. */
  zonesPort: 5_300,
  targetPort: 80,
} as const

export const canary = {
  slug: 'canary',
  host: 'canary.probe-canaries.net',
  zone: 'probe-canaries.net',
}

export type Planned = { slug: string; host: string; zone: string; cdn?: string | null }
export type PlannedTarget = { slug: string; host: string; cdn: string | null; address: string }
export type PlannedZone = { zone: string; address: string; hosts: readonly PlannedTarget[] }
export type InternetPlan = {
  targets: readonly PlannedTarget[]
  zones: readonly PlannedZone[]
  /** The files of the root and the top-level zones, by name with its dot. */
  parentFiles: Readonly<Record<string, string>>
  zoneFiles: Readonly<Record<string, string>>
}

/** The TTL of records: shorter than an interval, so that readings show the current state. */
const recordSeconds = 2
const delegationSeconds = 3_600
const targetsMax = 250

/** @param services each with its own host; several may share a zone */
export const planInternet = (services: readonly Planned[]): InternetPlan => {
  if (services.length > targetsMax) throw new Error(`at most ${targetsMax} services`)
  const targets = services.map(({ slug, host, cdn = null }, index) => ({
    slug,
    host,
    cdn,
    address: `${network}.216.${index + 1}`,
  }))
  const zones = [...new Set(services.map(({ zone }) => zone))].map((zone, index) => ({
    zone,
    address: `${network}.217.${index + 1}`,
    hosts: targets.filter((_, at) => services[at]?.zone === zone),
  }))
  const tops = Map.groupBy(zones, ({ zone }) => zone.split('.').at(-1) ?? zone)
  return {
    targets,
    zones,
    parentFiles: {
      '.': rootFile([...tops.keys()]),
      ...Object.fromEntries([...tops].map(([top, below]) => [`${top}.`, topFile(top, below)] as const)),
    },
    zoneFiles: Object.fromEntries(zones.map((zone) => [`${zone.zone}.`, zoneFile(zone)] as const)),
  }
}

const soa = (zone: string): string =>
  `${zone} ${recordSeconds} SOA ns.${zone === '.' ? '' : zone} admin. 1 60 60 600 ${recordSeconds}\n`

const rootFile = (tops: readonly string[]): string =>
  [
    soa('.'),
    `. ${delegationSeconds} NS ns.\n`,
    `ns. ${delegationSeconds} A ${internetNetwork.parents}\n`,
    ...tops.map((top) => `${top}. ${delegationSeconds} NS ns.\n`),
  ].join('')

const topFile = (top: string, zones: readonly PlannedZone[]): string =>
  [
    soa(`${top}.`),
    `${top}. ${delegationSeconds} NS ns.\n`,
    ...zones.flatMap(({ zone, address }) => [
      `${zone}. ${delegationSeconds} NS ns.${zone}.\n`,
      `ns.${zone}. ${delegationSeconds} A ${address}\n`,
    ]),
  ].join('')

const zoneFile = ({ zone, address, hosts }: PlannedZone): string =>
  [
    soa(`${zone}.`),
    `${zone}. ${delegationSeconds} NS ns.${zone}.\n`,
    `ns.${zone}. ${delegationSeconds} A ${address}\n`,
    ...hosts.map((target) => `${target.host}. ${recordSeconds} A ${target.address}\n`),
  ].join('')

/** The configuration of a name server (knot) with these zone files in its folder. */
export const knotConfig = (
  folder: string,
  listen: string,
  files: Readonly<Record<string, string>>,
): string => `server:
  rundir: "${folder}"
  pidfile: "${folder}/pid"
  listen: ["${listen}"]
  udp-workers: 1
  tcp-workers: 1
  background-workers: 1
database:
  storage: "${folder}/db"
log:
  - target: stderr
    any: error
template:
  - id: default
    storage: "${folder}"
zone:
${Object.keys(files)
  .map((zone) => `  - domain: "${zone}"\n    file: "${zone}zone"\n`)
  .join('')}`

/** The configuration of a validating resolver (unbound). @param signed zones that it expects to be signed */
export const unboundConfig = (folder: string, address: string, signed: readonly string[]): string => `server:
  interface: ${address}
  do-ip6: no
  do-daemonize: no
  username: ""
  chroot: ""
  directory: "${folder}"
  pidfile: ""
  use-syslog: no
  verbosity: 0
  num-threads: 1
  infra-host-ttl: 5
  root-hints: "${folder}/root.hints"
  module-config: "validator iterator"
${signed.map((zone) => `  trust-anchor: "${zone}. DS 12345 13 2 ${'ab'.repeat(32)}"\n`).join('')}remote-control:
  control-enable: no
`
export const rootHints = `. 3600 NS ns.\nns. 3600 A ${internetNetwork.parents}\n`
