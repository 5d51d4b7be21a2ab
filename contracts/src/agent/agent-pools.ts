import type { PoolBounds } from '@probe-mesh/runtime/fair-pool'
import { timeoutSecondsMax } from '../check/check-timeout.ts'
import { limits } from '../schema/limits.ts'
import { inSeconds as seconds, poolFigures, type PlacedPool, type SharedPool } from '../schema/shared-pool.ts'

type Reserved = PoolBounds & { reserve: NonNullable<PoolBounds['reserve']> }

/** The longest time that a work occupies its place: both attempts of a request check, or a whole journey. */
const own = `${2 * timeoutSecondsMax} s`
const runs = `${seconds(2 * limits.attemptMsMax)}, with a custom timeout up to ${own}, a journey ${seconds(limits.journeyMsMax)}`

const boundOf = ({ places, waiting }: PoolBounds, more = ''): string =>
  `${places} at once${more}, ${waiting} waiting`
const shareOf = ({ placesOfOwner, waitingOfOwner }: PoolBounds): string =>
  `${placesOfOwner} at once, ${waitingOfOwner} waiting`
const floorOf = ({ reserve: { places, ofOwner } }: Reserved, turn: string): string =>
  `${places} places are reserved for accounts with fewer than ${ofOwner} running; then the account with the fewest ` +
  `running gets the next free place, ${turn}`

const figures = poolFigures()
const agentFigures = figures.map((name) => `probe_mesh_agent_${name}`)

/** DNS queries for one unresolved name, including control names. */
export const nameQuestionsMax = 8

const scheduled: Reserved = {
  places: 1_100,
  placesOfOwner: 1_000,
  waiting: 10_000,
  waitingOfOwner: 10_000,
  reserve: { places: 100, ofOwner: 10 },
}
const manual: Reserved = {
  places: 250,
  placesOfOwner: 100,
  waiting: 2_000,
  waitingOfOwner: 100,
  reserve: { places: 50, ofOwner: 1 },
}
const confirmed: Reserved = { ...manual }
/** No reserved places: the account with fewer running is next. */
const freeRuns: Reserved = {
  places: 100,
  placesOfOwner: 2,
  waiting: 400,
  waitingOfOwner: 2,
  reserve: { places: 0, ofOwner: 0 },
}
const handshakes: Reserved = {
  places: 576,
  placesOfOwner: 512,
  waiting: 10_000,
  waitingOfOwner: 10_000,
  reserve: { places: 64, ofOwner: 4 },
}
const inquiries: Reserved = {
  places: 64,
  placesOfOwner: 32,
  waiting: 0,
  waitingOfOwner: 0,
  reserve: { places: 16, ofOwner: 1 },
}
const largeHeads: Reserved = {
  places: 128,
  placesOfOwner: 96,
  waiting: 0,
  waitingOfOwner: 0,
  reserve: { places: 32, ofOwner: 4 },
}
const pages: Reserved = {
  places: 2,
  placesOfOwner: 2,
  waiting: 64,
  waitingOfOwner: 32,
  // no reserved pages, since one costs hundreds of MB: an account without a page gets the next free one
  reserve: { places: 0, ofOwner: 0 },
}
const pagesAsked: Reserved = { ...pages, places: 1, placesOfOwner: 1 }
const pagesTried: Reserved = { ...pagesAsked }
const confirmations: Reserved = {
  places: 192,
  placesOfOwner: 64,
  waiting: 2_000,
  waitingOfOwner: 1_000,
  reserve: { places: 64, ofOwner: 1 },
}
const firstReadings: Reserved = {
  places: 320,
  placesOfOwner: 256,
  waiting: 4_000,
  waitingOfOwner: 1_000,
  reserve: { places: 64, ofOwner: limits.regionsPerCheckMax },
}
const trials: PoolBounds = { places: 500, placesOfOwner: 20, waiting: 0, waitingOfOwner: 0 }
const freeTrials: PoolBounds = { ...trials, placesOfOwner: 2 }

/** For all free accounts together. A trial may use a page for its whole time, and agents have few pages. */
const freeBrowserTrials: PoolBounds = {
  places: 2,
  placesOfOwner: 1,
  waiting: 0,
  waitingOfOwner: 0,
}

/** A page may last as long as a journey. There is no guarantee for more accounts than can wait. */
const pageTurn =
  `with 1 other account the next free page, within ${seconds(limits.pageTurnMsMax)}; with at most ` +
  `${pages.waiting - 1} others an account whose wait timed out keeps its turn, and is next after each earlier ` +
  `account had one page`
const trialsFloor = ({ places, placesOfOwner }: PoolBounds): string =>
  `a place next to ${places / placesOfOwner - 1} other accounts at their share; the agents serve accounts in turn`

/** A pool whose texts follow from its bounds, unless its row has others. */
const pool = <B extends PoolBounds>(
  bounds: B,
  row: Pick<SharedPool, 'what' | 'floor' | 'refused'> & Partial<SharedPool>,
): SharedPool & { bounds: B } => ({ bound: boundOf(bounds), share: shareOf(bounds), figures, ...row, bounds })
/** The same, at an agent. */
const agentPool: typeof pool = (bounds, row) => pool(bounds, { figures: agentFigures, ...row })

/** Pools for checks, at agents and at the control plane. */
export const agentPools = {
  runs: agentPool(scheduled, {
    what: 'Scheduled runs at one agent',
    floor: floorOf(scheduled, `at the latest when a run in progress ends (${runs})`),
    refused: 'the reading is `unmeasured`, cause `probe_overloaded`',
  }),
  runsAsked: agentPool(manual, {
    what: 'Manual runs (run now, first readings, trials of paying accounts) at one agent',
    bound: boundOf(
      manual,
      ', in places that scheduled runs, confirmations and trials of free accounts never use',
    ),
    floor: floorOf(manual, `within ${seconds(limits.runTurnMsMax)} or not at all`),
    refused: 'the region is `unanswered`; the control plane logs and counts `busy`',
    figures: [...agentFigures, 'probe_mesh_agent_runs_refused_total'],
  }),
  runsTried: agentPool(freeRuns, {
    what: 'Trials of free accounts at one agent',
    floor:
      `a place at once next to ${freeRuns.places / freeRuns.placesOfOwner - 1} other accounts at their share; then the ` +
      `account with the fewest running gets the next free place, within ${seconds(limits.runTurnMsMax)} or not at all`,
    refused: 'the region is `unanswered`; the control plane logs and counts `busy`',
    figures: [...agentFigures, 'probe_mesh_agent_runs_refused_total'],
  }),
  confirmations: agentPool(confirmed, {
    what: 'Confirmations of first failures at one agent',
    bound: boundOf(confirmed, ', in places that manual runs never use'),
    floor: floorOf(confirmed, `within ${seconds(limits.runTurnMsMax)} or not at all`),
    refused: 'retried twice; then the region confirms at its next slot',
    figures: [...agentFigures, 'assess_confirmations_total'],
  }),
  handshakes: agentPool(handshakes, {
    what: 'Connections that one agent process is opening',
    floor: floorOf(handshakes, `at the latest after ${seconds(limits.handshakeHeldMsMax)}`),
    refused: `after ${seconds(limits.handshakeWaitMsMax)} the reading is \`unmeasured\`, cause \`probe_overloaded\``,
  }),
  nameInquiries: agentPool(inquiries, {
    what: 'Queries of authoritative name servers for unresolved names, at one agent process',
    bound: `${inquiries.places} names at once, at most ${nameQuestionsMax} queries each`,
    share: `${inquiries.placesOfOwner} at once`,
    floor: `${inquiries.reserve.places} places are reserved for accounts with none running; no wait`,
    refused: 'only the comparison with control names by the resolver decides',
  }),
  largeHeads: agentPool(largeHeads, {
    what: `Response headers of more than ${limits.headerBytesMax / 1024} KiB, up to ${limits.largeHeaderBytesMax / 1024} KiB, at one agent process`,
    bound: `${largeHeads.places} at once, ${(largeHeads.places * limits.largeHeaderBytesMax) / 2 ** 20} MiB`,
    share: `${largeHeads.placesOfOwner} at once`,
    floor: `${largeHeads.reserve.places} places are reserved for accounts with fewer than ${largeHeads.reserve.ofOwner} running; no wait`,
    refused: 'the reading is `unmeasured`, cause `probe_overloaded`',
  }),
  pages: agentPool(pages, {
    what: 'Open Chromium pages at one agent process, of scheduled runs and confirmations',
    bound: boundOf(pages, ', together with the pages of the two rows below'),
    floor: `${pageTurn}; manual runs use ${pagesAsked.places} at most, and trials of free accounts come last`,
    refused: `after ${seconds(limits.pageTurnMsMax)} the reading is \`unmeasured\`, cause \`probe_overloaded\``,
  }),
  pagesAsked: agentPool(pagesAsked, {
    what: 'Open Chromium pages of manual runs, without trials of free accounts',
    floor: `${pageTurn}; while none is open they get the next free page, before scheduled runs`,
    refused: `after ${seconds(limits.pageTurnMsMax)} the reading is \`unmeasured\`, cause \`probe_overloaded\``,
  }),
  pagesTried: agentPool(pagesTried, {
    what: 'Open Chromium pages of trials of free accounts',
    floor:
      'none while another run waits for a page or a manual run has one; the account with the longest wait is next',
    refused: `after ${seconds(limits.pageTurnMsMax)} the reading is \`unmeasured\`, cause \`probe_overloaded\``,
  }),
  confirmationsSent: pool(confirmations, {
    what: 'Confirmations that one control plane requests from agents',
    floor: floorOf(confirmations, `at the latest when an agent answers (${runs})`),
    refused: 'counted as `dropped`; the region confirms at its next slot',
    figures: [...figures, 'assess_confirmations_total'],
  }),
  firstReadings: pool(firstReadings, {
    what: 'First readings of new checks that one control plane requests from agents, one per region',
    floor: floorOf(firstReadings, `within ${seconds(limits.runTurnMsMax)} or not at all`),
    refused: 'the region first measures the check at its first slot',
    figures: [...figures, 'http_first_readings_dropped_total'],
  }),
  trials: pool(trials, {
    what: 'Trials of unsaved checks, of Growth and Scale accounts at one control plane',
    share: `${trials.placesOfOwner} at once`,
    floor: `${trialsFloor(trials)}; free accounts never use these places`,
    refused: '429 `SV-6002` with `Retry-After`',
  }),
  freeTrials: pool(freeTrials, {
    what: 'Trials of unsaved checks, of free accounts at one control plane',
    share: `${freeTrials.placesOfOwner} at once, over all sessions`,
    floor: trialsFloor(freeTrials),
    refused: '429 `SV-6002` with `Retry-After`',
  }),
  freeBrowserTrials: pool(freeBrowserTrials, {
    what: 'Trials of browser checks on shared agents, of free accounts',
    share: `${freeBrowserTrials.placesOfOwner} at once, over all sessions`,
    floor: `a place next to ${freeBrowserTrials.places / freeBrowserTrials.placesOfOwner - 1} other account at its share`,
    refused: '429 `SV-6002` with `Retry-After`',
  }),
} satisfies Record<string, PlacedPool>

/** The rate to one address from one region: `TARGET_REQUESTS_PER_SECOND`, divided among its agents. */
export const addressRate = {
  /** Connections per second of all accounts; the default of `TARGET_REQUESTS_PER_SECOND`. */
  perSecond: 100,
  /** The burst, in seconds of the rate. */
  burstSeconds: 2,
  /** One account gets at least the rate divided by this, at any number of active accounts. */
  accountsMax: 500,
  /** Guaranteed burst of one account, in connections. */
  burstOfAccount: 4,
} as const

/** The request rate of one address. */
export const addressPools = {
  addressRate: {
    what: 'Connections from one region to one address (IPv6: one /64)',
    bound:
      `${addressRate.perSecond} a second, ${addressRate.burstSeconds} s of it at once; half more while hundreds ` +
      `of accounts use it in the same seconds, and above ${addressRate.accountsMax} accounts the sum of their floors`,
    share: 'the whole rate while no other account uses the address',
    floor:
      `the rate divided by the accounts active at the address in the last seconds, at least ` +
      `${addressRate.perSecond / addressRate.accountsMax} a second; ${addressRate.burstOfAccount} at once`,
    refused: 'the reading is `unmeasured`, cause `target_budget`',
    figures: [
      'probe_mesh_agent_target_budget_refused_total',
      'probe_mesh_agent_target_budget_forgotten_total',
    ],
  },
} as const satisfies Record<string, SharedPool>
