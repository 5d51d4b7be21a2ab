import type { PoolBounds } from '@probe-mesh/runtime/fair-pool'
import { timeoutSecondsMax } from './check-timeout.ts'
import { limits } from './limits.ts'
import type { PlacedPool, SharedPool } from './shared-pool.ts'

type Kept = PoolBounds & { reserve: NonNullable<PoolBounds['reserve']> }

const seconds = (ms: number): string => `${ms / 1_000} s`
/** The longest that a work keeps its place: both attempts of a request check, or all of a journey. */
const own = `${2 * timeoutSecondsMax} s`
const runs = `${seconds(2 * limits.attemptMsMax)}, with a timeout of its own up to ${own}, a journey ${seconds(limits.journeyMsMax)}`

const boundOf = ({ places, waiting }: PoolBounds, more = ''): string =>
  `${places} at once${more}, ${waiting} waiting`
const shareOf = ({ placesOfOwner, waitingOfOwner }: PoolBounds): string =>
  `${placesOfOwner} at once, ${waitingOfOwner} waiting`
const floorOf = ({ reserve: { places, ofOwner } }: Kept, turn: string): string =>
  `${places} places are kept for accounts with fewer than ${ofOwner} under way; then the account with the fewest ` +
  `under way gets the next place that comes free, ${turn}`

const agentFigures = ['taken', 'waiting', 'refused_total', 'account_works'].map(
  (name) => `probe_mesh_agent_pool_${name}`,
)
const figures = ['taken', 'waiting', 'refused_total', 'account_works'].map((name) => `pool_${name}`)

const scheduled: Kept = {
  places: 1_100,
  placesOfOwner: 1_000,
  waiting: 10_000,
  waitingOfOwner: 10_000,
  reserve: { places: 100, ofOwner: 10 },
}
const asked: Kept = {
  places: 250,
  placesOfOwner: 100,
  waiting: 1_000,
  waitingOfOwner: 100,
  reserve: { places: 50, ofOwner: 1 },
}
const confirmed: Kept = { ...asked }
const handshakes: Kept = {
  places: 576,
  placesOfOwner: 512,
  waiting: 10_000,
  waitingOfOwner: 10_000,
  reserve: { places: 64, ofOwner: 4 },
}
const pages: Kept = {
  places: 2,
  placesOfOwner: 2,
  waiting: 64,
  waitingOfOwner: 32,
  // none is kept, since one costs some hundred MB: an account without a page has the next that comes free
  reserve: { places: 0, ofOwner: 0 },
}
const pagesAsked: Kept = { ...pages, places: 1, placesOfOwner: 1 }
const confirmations: Kept = {
  places: 192,
  placesOfOwner: 64,
  waiting: 2_000,
  waitingOfOwner: 1_000,
  reserve: { places: 64, ofOwner: 1 },
}
const firstReadings: Kept = {
  places: 320,
  placesOfOwner: 256,
  waiting: 0,
  waitingOfOwner: 0,
  reserve: { places: 64, ofOwner: limits.regionsPerCheckMax },
}
const trials: PoolBounds = { places: 500, placesOfOwner: 20, waiting: 0, waitingOfOwner: 0 }
/** Whatever number of sessions sends them. */
const freeTrials: PoolBounds = { ...trials, placesOfOwner: 2 }

/** At the agents, and where the control plane asks them: works of checks. */
export const agentPools = {
  runs: {
    bounds: scheduled,
    what: 'Scheduled runs in progress at one agent',
    bound: boundOf(scheduled),
    share: shareOf(scheduled),
    floor: floorOf(scheduled, `at the latest when a run in progress ends (${runs})`),
    refused: 'the reading is `unmeasured`, cause `probe_overloaded`',
    figures: agentFigures,
  },
  runsAsked: {
    bounds: asked,
    what: 'Runs asked for by people (run now, trials, first readings) at one agent',
    bound: boundOf(asked, ', in places that neither scheduled runs nor confirmations use'),
    share: shareOf(asked),
    floor: floorOf(asked, `within ${seconds(limits.runTurnMsMax)} or not at all`),
    refused: 'the region is `unanswered`; the control plane logs and counts `busy`',
    figures: [...agentFigures, 'probe_mesh_agent_runs_refused_total'],
  },
  confirmations: {
    bounds: confirmed,
    what: 'Confirmations of first failures at one agent',
    bound: boundOf(confirmed, ', in places that runs asked for by people never use'),
    share: shareOf(confirmed),
    floor: floorOf(confirmed, `within ${seconds(limits.runTurnMsMax)} or not at all`),
    refused: 'asked again twice; then the region confirms at its next slot',
    figures: [...agentFigures, 'assess_confirmations_total'],
  },
  handshakes: {
    bounds: handshakes,
    what: 'Connections being made by one agent process',
    bound: boundOf(handshakes),
    share: shareOf(handshakes),
    floor: floorOf(handshakes, `at the latest after ${seconds(limits.handshakeHeldMsMax)}`),
    refused: `after ${seconds(limits.handshakeWaitMsMax)} the reading is \`unmeasured\`, cause \`probe_overloaded\``,
    figures: agentFigures,
  },
  pages: {
    bounds: pages,
    what: 'Pages open in Chromium at one agent process',
    bound: boundOf(pages),
    share: shareOf(pages),
    floor:
      `the account with the fewest pages open gets the next that comes free, within ${seconds(limits.pageTurnMsMax)}; ` +
      `runs asked for by people hold ${pagesAsked.places} at most`,
    refused: `after ${seconds(limits.pageTurnMsMax)} the reading is \`unmeasured\`, cause \`probe_overloaded\``,
    figures: agentFigures,
  },
  pagesAsked: {
    bounds: pagesAsked,
    what: 'Of the pages open in Chromium, those of runs asked for by people',
    bound: boundOf(pagesAsked),
    share: shareOf(pagesAsked),
    floor: `the account with the fewest pages open gets the next that comes free, within ${seconds(limits.pageTurnMsMax)}`,
    refused: `after ${seconds(limits.pageTurnMsMax)} the reading is \`unmeasured\`, cause \`probe_overloaded\``,
    figures: agentFigures,
  },
  confirmationsSent: {
    bounds: confirmations,
    what: 'Confirmations that one control plane asks agents for',
    bound: boundOf(confirmations),
    share: shareOf(confirmations),
    floor: floorOf(confirmations, `at the latest when an agent has answered (${runs})`),
    refused: 'counted as `dropped`; the region confirms at its next slot',
    figures: [...figures, 'assess_confirmations_total'],
  },
  firstReadings: {
    bounds: firstReadings,
    what: 'First readings of new checks that one control plane asks agents for, one for each region',
    bound: boundOf(firstReadings),
    share: shareOf(firstReadings),
    floor: `${firstReadings.reserve.places} places are kept for accounts with fewer than ${firstReadings.reserve.ofOwner} under way; no wait`,
    refused: 'the check is first measured at its first slot',
    figures: [...figures, 'http_first_readings_dropped_total'],
  },
  trials: {
    bounds: trials,
    what: 'Trials of checks that are not saved, of Growth and Scale accounts at one control plane',
    bound: boundOf(trials),
    share: `${trials.placesOfOwner} at once`,
    floor: 'no free account takes these places; the agents give each account its turn',
    refused: '429 `SV-6002` with `Retry-After`',
    figures,
  },
  freeTrials: {
    bounds: freeTrials,
    what: 'Trials of checks that are not saved, of free accounts at one control plane',
    bound: boundOf(freeTrials),
    share: `${freeTrials.placesOfOwner} at once, over all sessions`,
    floor: 'the agents give each account its turn',
    refused: '429 `SV-6002` with `Retry-After`',
    figures,
  },
} as const satisfies Record<string, PlacedPool>

/** The rate at one address, in one region: `TARGET_REQUESTS_PER_SECOND`, divided among its agents. */
export const addressRate = {
  /** Connections of all accounts, a second; the default of `TARGET_REQUESTS_PER_SECOND`. */
  perSecond: 100,
  /** So much may come at once, as seconds of the rate. */
  burstSeconds: 2,
  /** However many accounts are active at the address, one gets the rate divided by this. */
  accountsMax: 500,
  /** So many connections of one account come through at once, whatever others ask for. */
  burstOfAccount: 4,
} as const

/** How often one address is asked. */
export const addressPools = {
  addressRate: {
    what: 'Connections from one region to one address (IPv6: one /64)',
    bound:
      `${addressRate.perSecond} a second, ${addressRate.burstSeconds} s of it at once; a half more while hundreds ` +
      `of accounts ask it in the same seconds, and beyond ${addressRate.accountsMax} their floors together`,
    share: 'the whole rate while no other account asks the address',
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
