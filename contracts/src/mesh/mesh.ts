import { z } from 'zod'
import { AgentReport } from '../agent/agent-report.ts'
import { CheckDetail } from '../check/check.ts'
import { Instant } from '../schema/text.ts'
import { AnyRegion, Region } from '../reading/regions.ts'
import type { Route } from '../schema/route.ts'

/** Agents that one answer names; those that are there come first. */
export const meshAgentsMax = 200
/** Quarantines that one answer names, those that last first. */
export const meshQuarantinesMax = 20

const MeshAgent = z.object({
  region: Region,
  agent: z.string(),
  /** `unknown`: nobody could have heard it, since the bus was away. */
  state: z.enum(['there', 'gone', 'unknown']),
  version: z.string(),
  startedAt: Instant.nullable(),
  chromium: z.boolean(),
  heardAt: Instant,
  /** What it told last, which says nothing of what came after; null where it never told. */
  told: AgentReport.omit({ at: true, ownFault: true }).extend({ at: Instant }).nullable(),
})
export type MeshAgent = z.infer<typeof MeshAgent>

const MeshPartition = z.object({
  partition: z.int(),
  /** The control plane that stores and judges it; null where none does. */
  owner: z.string().nullable(),
  /** How often it changed hands. */
  epoch: z.int(),
  takenAt: Instant.nullable(),
  /** Messages that are not stored yet; null where the control plane that answers cannot know. */
  waiting: z.int().nullable(),
})
export type MeshPartition = z.infer<typeof MeshPartition>

/** What the operator has to look at in a region, until it is over; at most one of each kind in each. */
const MeshNotice = z.object({
  region: Region,
  /**
   * `names`: the resolver of a probe answers for no name. `network`: a probe reaches no canary. `quarantine`: the
   * region's own network seems to fail. `clock`: a probe's clock is far from the control plane's. `version`: a probe
   * runs an older build than the control plane.
   */
  what: z.enum(['names', 'network', 'quarantine', 'clock', 'version']),
  since: Instant,
  /** Without the time. */
  text: z.string(),
})
export type MeshNotice = z.infer<typeof MeshNotice>

/** What each kind of notice means, and what to do about it. */
export const noticeAdvice: Readonly<Record<MeshNotice['what'], string>> = {
  names:
    'What fails there is not counted against targets until it does again. Look at the resolver of its machine.',
  network:
    'What fails there is not counted against targets until it does again. Look at the network of its machine, and at its CANARIES.',
  quarantine:
    'Its readings count as unmeasured until it was clean for two minutes. Look at the network of its agents.',
  clock:
    'An agent of this version goes by the clock of the control planes meanwhile; times of an older one are wrong by that, and what is more than a minute ahead is not stored. Run an NTP client (chrony, systemd-timesyncd) there and where the control planes run.',
  version:
    'Checks that need what is newer are not measured there as they should be. Bring its agents to the version of the control planes.',
}

/** The mesh as one control plane sees it: the same for every account, and nothing of any. */
export const Mesh = z.object({
  at: Instant,
  /** Agents that were gone before are not known. */
  watchedSince: Instant,
  vantage: CheckDetail.shape.vantage,
  regions: z.array(
    z.object({
      region: Region,
      /** When it was last read who is there; null where it never could be. */
      readAt: Instant.nullable(),
      there: z.int(),
      gone: z.int(),
      unknown: z.int(),
      /** When any of its agents was heard last. */
      heardAt: Instant.nullable(),
      quarantined: z.boolean(),
    }),
  ),
  /** What the operator has to look at now; empty: nothing that is known of. */
  notices: z.array(MeshNotice),
  agents: z.array(MeshAgent).max(meshAgentsMax),
  agentsInAll: z.int(),
  quarantines: z
    .array(
      z.object({
        region: Region,
        since: Instant,
        endedAt: Instant.nullable(),
        /** Hosts that were measured, and how many of them failed in this region only. */
        hosts: z.int(),
        failing: z.int(),
      }),
    )
    .max(meshQuarantinesMax),
  partitions: z.array(MeshPartition),
})
export type Mesh = z.infer<typeof Mesh>

/** The lengths of time that a ledger may be of, minutes. */
export const ledgerMinutes = [15, 60, 360, 1_440] as const
export type LedgerMinutes = (typeof ledgerMinutes)[number]
export const ledgerRowsPerPart = 100

export const LedgerQuery = z.strictObject({
  minutes: z.coerce
    .number()
    .pipe(z.literal([...ledgerMinutes]))
    .default(15),
  /** From 1; beyond the last it is the last. */
  page: z.coerce.number().int().min(1).max(1_000_000).default(1),
})

const LedgerCount = z.object({
  due: z.int(),
  measured: z.int(),
  /** The agent said that it could not measure. */
  unmeasured: z.int(),
  /** Due, and nothing is stored. */
  missing: z.int(),
})

const LedgerRow = LedgerCount.extend({ checkId: z.string(), name: z.string(), region: AnyRegion })
export type LedgerRow = z.infer<typeof LedgerRow>
const RegionLedger = LedgerCount.extend({ region: AnyRegion })
export type RegionLedger = z.infer<typeof RegionLedger>

const Lateness = z.object({
  region: AnyRegion,
  readings: z.int(),
  /** How late runs began after their slot. */
  beganP95Ms: z.number(),
  beganMaxMs: z.number(),
  /** From the measurement, by the agent's clock, to the stream. */
  arrivedP95Ms: z.number(),
  arrivedMaxMs: z.number(),
})
export type Lateness = z.infer<typeof Lateness>

/** What was due of an account's checks against what is stored, for slots in [from, to). */
export const Ledger = z.object({
  from: Instant,
  to: Instant,
  /** Lateness is of slots from then on. */
  latenessFrom: Instant,
  regions: z.array(RegionLedger),
  /** Of checks and regions, those with most missing first. */
  rows: z.array(LedgerRow),
  /** Rows with something missing, in all parts. */
  gaps: z.int(),
  number: z.int(),
  last: z.int(),
  /** Rows in all parts. */
  total: z.int(),
  /** Whether there were more checks than are counted. */
  isCut: z.boolean(),
  lateness: z.array(Lateness),
})
export type Ledger = z.infer<typeof Ledger>

/** Of the dashboard alone: how what measures is doing, and what of it the account was owed. */
export const meshRoutes = {
  getMesh: {
    method: 'GET',
    path: '/mesh',
    scope: 'read',
    budget: 'reads',
    summary: 'Regions, agents, quarantines and partitions, as one control plane sees them',
    success: 200,
    output: Mesh,
  },
  getLedger: {
    method: 'GET',
    path: '/ledger',
    scope: 'read',
    budget: 'reads',
    summary: 'Slots of the account that were due against readings stored, and how late they came',
    success: 200,
    query: LedgerQuery,
    output: Ledger,
    codes: ['SV-9002'],
  },
} as const satisfies Record<string, Route>
