import { z } from 'zod'
import { AgentReport } from '../agent/agent-report.ts'
import { CheckDetail } from '../check/check.ts'
import { Instant } from '../schema/text.ts'
import { AnyRegion, Region } from '../reading/regions.ts'
import { read, type Route } from '../schema/route.ts'

/** Listed agents, online ones first. */
export const meshAgentsMax = 200
/** Listed quarantines, active ones first. */
export const meshQuarantinesMax = 20

const MeshAgent = z.object({
  region: Region,
  agent: z.string(),
  /** `unknown`: no report could arrive, since NATS was unavailable. */
  state: z.enum(['there', 'gone', 'unknown']),
  version: z.string(),
  startedAt: Instant.nullable(),
  chromium: z.boolean(),
  heardAt: Instant,
  /** Its last report; null without one. */
  told: AgentReport.omit({ at: true, ownFault: true }).extend({ at: Instant }).nullable(),
})
export type MeshAgent = z.infer<typeof MeshAgent>

const MeshPartition = z.object({
  partition: z.int(),
  /** The control plane that stores and assesses it; null without an owner. */
  owner: z.string().nullable(),
  /** The number of changes of its owner. */
  epoch: z.int(),
  takenAt: Instant.nullable(),
  /** Messages that are not stored yet; null when this control plane cannot know. */
  waiting: z.int().nullable(),
})
export type MeshPartition = z.infer<typeof MeshPartition>

/** A current fault of the mesh for the operator: at most one of each kind, for all its regions together. */
const MeshNotice = z.object({
  /** The first of `regions`. */
  region: Region,
  regions: z.array(Region),
  /**
   * `names`: the resolver of a probe resolves no name. `network`: a probe reaches no canary. `quarantine`: the
   * region's own network seems to fail. `clock`: a probe's clock differs from the control plane's. `version`: a
   * probe is older than the control plane.
   */
  what: z.enum(['names', 'network', 'quarantine', 'clock', 'version']),
  /** Of the region that began first. */
  since: Instant,
  /** Without the time. */
  text: z.string(),
})
export type MeshNotice = z.infer<typeof MeshNotice>

/** The fault behind each kind of notice. A lost resolver, a lost network and a quarantine have one cause. */
export const faultOf: Readonly<Record<MeshNotice['what'], 'network' | 'clock' | 'version'>> = {
  names: 'network',
  network: 'network',
  quarantine: 'network',
  clock: 'clock',
  version: 'version',
}

/** A present fault of one region. */
export type RegionNotice = Omit<MeshNotice, 'regions'>

/** One notice of each fault, for all its regions, oldest first. */
export const joinNotices = (notices: readonly RegionNotice[]): MeshNotice[] =>
  [...Map.groupBy(notices, ({ what }) => faultOf[what]).values()].flatMap((of) => {
    const [first, ...others] = of.toSorted((a, b) => (a.since < b.since ? -1 : a.since > b.since ? 1 : 0))
    if (first === undefined) return []
    const regions = [...new Set([first, ...others].map(({ region }) => region))]
    const also = regions.length === 1 ? '' : `; also ${regions.slice(1).join(', ')}`
    return [{ ...first, regions, text: `${first.text}${also}` }]
  })

/** The meaning of each kind of notice, and the action to take. */
export const noticeAdvice: Readonly<Record<MeshNotice['what'], string>> = {
  names:
    'Failures measured there do not count against targets until the resolver works. Check the resolver of its machine.',
  network:
    'Failures measured there do not count against targets until the network works. Check the network of its machine and its CANARIES.',
  quarantine:
    'Its readings count as unmeasured until it has been clean for 2 min. Check the network of its agents.',
  clock:
    'Agents of this version use the clock of the control planes meanwhile. Times of older agents are wrong by this difference, and readings more than 1 min ahead are not stored. Run an NTP client (chrony, systemd-timesyncd) there and on the control planes.',
  version:
    'Checks that need newer features are not fully measured there. Upgrade its agents to the version of the control planes.',
}

/** All agents run, and none of them can measure. Every program says it with these words. */
export const nothingMeasured = {
  text: 'No region can measure: no agent resolves names or reaches its canaries',
  advice:
    'Check the resolver and the internet connection of the agents: "curl -sSI https://one.one.one.one" must answer there. Where agents may reach only some hosts, set CANARIES to some of those, as host:port, and restart the agents.',
} as const

/** The mesh as seen by one control plane. The same for all accounts, without account data. */
export const Mesh = z.object({
  at: Instant,
  /** The start of observation. Agents that left earlier are unknown. */
  watchedSince: Instant,
  vantage: CheckDetail.shape.vantage,
  regions: z.array(
    z.object({
      region: Region,
      /** The last successful read of its agents; null without one. */
      readAt: Instant.nullable(),
      there: z.int(),
      gone: z.int(),
      unknown: z.int(),
      /** The last report of any of its agents. */
      heardAt: Instant.nullable(),
      quarantined: z.boolean(),
    }),
  ),
  /** Current problems for the operator; empty when none are known. */
  notices: z.array(MeshNotice),
  agents: z.array(MeshAgent).max(meshAgentsMax),
  agentsInAll: z.int(),
  quarantines: z
    .array(
      z.object({
        region: Region,
        since: Instant,
        endedAt: Instant.nullable(),
        /** Measured hosts; `failing` counts those that failed only in this region. */
        hosts: z.int(),
        failing: z.int(),
      }),
    )
    .max(meshQuarantinesMax),
  partitions: z.array(MeshPartition),
})
export type Mesh = z.infer<typeof Mesh>

/** The time spans of a ledger, minutes. */
export const ledgerMinutes = [15, 60, 360, 1_440] as const
export type LedgerMinutes = (typeof ledgerMinutes)[number]
export const ledgerRowsPerPart = 100

const LedgerQuery = z.strictObject({
  minutes: z.coerce
    .number()
    .pipe(z.literal([...ledgerMinutes]))
    .default(15),
  /** From 1. A number above the last page gives the last page. */
  page: z.coerce.number().int().min(1).max(1_000_000).default(1),
})

const LedgerCount = z.object({
  due: z.int(),
  measured: z.int(),
  /** The agent reported that it could not measure. */
  unmeasured: z.int(),
  /** Missed probes: due slots without a stored reading. */
  missing: z.int(),
})

const LedgerRow = LedgerCount.extend({ checkId: z.string(), name: z.string(), region: AnyRegion })
export type LedgerRow = z.infer<typeof LedgerRow>
const RegionLedger = LedgerCount.extend({ region: AnyRegion })
export type RegionLedger = z.infer<typeof RegionLedger>

const Lateness = z.object({
  region: AnyRegion,
  readings: z.int(),
  /** Delay between the slot and the start of the run. */
  beganP95Ms: z.number(),
  beganMaxMs: z.number(),
  /** Delay from the measurement, by the agent's clock, to the stream. */
  arrivedP95Ms: z.number(),
  arrivedMaxMs: z.number(),
})
export type Lateness = z.infer<typeof Lateness>

/** Expected against stored readings of an account's checks, for slots in [from, to). */
export const Ledger = z.object({
  from: Instant,
  to: Instant,
  /** `lateness` covers slots from this time on. */
  latenessFrom: Instant,
  regions: z.array(RegionLedger),
  /** One row per check and region, most missing first. */
  rows: z.array(LedgerRow),
  /** Rows with missed probes, on all pages. */
  gaps: z.int(),
  number: z.int(),
  last: z.int(),
  /** Rows on all pages. */
  total: z.int(),
  /** Whether some checks are not counted, since there are too many. */
  isCut: z.boolean(),
  lateness: z.array(Lateness),
})
export type Ledger = z.infer<typeof Ledger>

/** Cells of a region's strip. Each is a whole hour of UTC, but the newest ends at the settled minute. */
export const ledgerHoursCount = 24
/** Those with the most missed probes are kept. */
export const ledgerHoursRegionsMax = 60

/** One hour of one region. `due` is the sum of the others: a reading that was not expected counts nowhere. */
export type LedgerHour = z.infer<typeof LedgerCount>

/** Expected against stored readings of an account's checks by region and hour, for slots in [from, to). */
export const LedgerHours = z.object({
  from: Instant,
  to: Instant,
  /** Hours are oldest first; regions are in order, without those that expected no probe. */
  regions: z
    .array(z.object({ region: AnyRegion, hours: z.array(LedgerCount).length(ledgerHoursCount) }))
    .max(ledgerHoursRegionsMax),
  /** Whether some checks or regions are left out, since there are too many. */
  isCut: z.boolean(),
})
export type LedgerHours = z.infer<typeof LedgerHours>

/** Dashboard routes: the state of the mesh, and the account's expected against stored readings. */
export const meshRoutes = {
  getMesh: read({
    path: '/mesh',
    summary: 'Regions, agents, quarantines and partitions, as seen by one control plane',
    output: Mesh,
  }),
  getLedger: read({
    path: '/ledger',
    summary: 'Expected against stored readings of the account, and their delay',
    query: LedgerQuery,
    output: Ledger,
    codes: ['SV-9002'],
  }),
  getLedgerHours: read({
    path: '/ledger/hours',
    summary: 'Expected against stored readings of the account by region and hour, last 24 hours',
    output: LedgerHours,
    codes: ['SV-9002'],
  }),
} as const satisfies Record<string, Route>
