import type { PoolBounds } from '@probe-mesh/runtime/fair-pool'
import { timeoutSecondsMax } from '../check/check-timeout.ts'
import { limits } from '../schema/limits.ts'
import { inSeconds as seconds, poolFigures } from '../schema/shared-pool.ts'
import type { PlacedPool, SharedPool } from '../schema/shared-pool.ts'

type Kept = PoolBounds & { reserve: NonNullable<PoolBounds['reserve']> }

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

const figures = poolFigures()
const agentFigures = figures.map((name) => `probe_mesh_agent_${name}`)

/** Questions about one name that was not resolved, control names included. */
export const nameQuestionsMax = 8

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
  waiting: 2_000,
  waitingOfOwner: 100,
  reserve: { places: 50, ofOwner: 1 },
}
const confirmed: Kept = { ...asked }
/** None is kept: who has fewer under way is next. */
const tried: Kept = {
  places: 100,
  placesOfOwner: 2,
  waiting: 400,
  waitingOfOwner: 2,
  reserve: { places: 0, ofOwner: 0 },
}
const handshakes: Kept = {
  places: 576,
  placesOfOwner: 512,
  waiting: 10_000,
  waitingOfOwner: 10_000,
  reserve: { places: 64, ofOwner: 4 },
}
const inquiries: Kept = {
  places: 64,
  placesOfOwner: 32,
  waiting: 0,
  waitingOfOwner: 0,
  reserve: { places: 16, ofOwner: 1 },
}
const largeHeads: Kept = {
  places: 128,
  placesOfOwner: 96,
  waiting: 0,
  waitingOfOwner: 0,
  reserve: { places: 32, ofOwner: 4 },
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
const pagesTried: Kept = { ...pagesAsked }
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
  waiting: 4_000,
  waitingOfOwner: 1_000,
  reserve: { places: 64, ofOwner: limits.regionsPerCheckMax },
}
const trials: PoolBounds = { places: 500, placesOfOwner: 20, waiting: 0, waitingOfOwner: 0 }
/** Whatever number of sessions sends them. */
const freeTrials: PoolBounds = { ...trials, placesOfOwner: 2 }

/** Of all free accounts. A page of a trial may last its whole time, and agents have few. */
const freeBrowserTrials: PoolBounds = {
  places: 2,
  placesOfOwner: 1,
  waiting: 0,
  waitingOfOwner: 0,
}

/** A page lasts as long as a journey may: more accounts than can wait are not promised one. */
const pageTurn =
  `beside 1 other account the next page that comes free, within ${seconds(limits.pageTurnMsMax)}; beside at most ` +
  `${pages.waiting - 1} an account whose wait was too long keeps its turn, and is next once each that waited before ` +
  `it has had one page`
const trialsFloor = ({ places, placesOfOwner }: PoolBounds): string =>
  `a place beside ${places / placesOfOwner - 1} other accounts at their share; the agents give each account its turn`

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
    what: 'Runs asked for by people (run now, first readings, trials of paying accounts) at one agent',
    bound: boundOf(
      asked,
      ', in places that neither scheduled runs, confirmations nor trials of free accounts use',
    ),
    share: shareOf(asked),
    floor: floorOf(asked, `within ${seconds(limits.runTurnMsMax)} or not at all`),
    refused: 'the region is `unanswered`; the control plane logs and counts `busy`',
    figures: [...agentFigures, 'probe_mesh_agent_runs_refused_total'],
  },
  runsTried: {
    bounds: tried,
    what: 'Trials of free accounts at one agent',
    bound: boundOf(tried),
    share: shareOf(tried),
    floor:
      `a place at once beside ${tried.places / tried.placesOfOwner - 1} other accounts at their share; then the ` +
      `account with the fewest under way gets the next that comes free, within ${seconds(limits.runTurnMsMax)} or not at all`,
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
  nameInquiries: {
    bounds: inquiries,
    what: 'Names that were not resolved and are asked of their own name servers, at one agent process',
    bound: `${inquiries.places} at once, of at most ${nameQuestionsMax} questions each`,
    share: `${inquiries.placesOfOwner} at once`,
    floor: `${inquiries.reserve.places} places are kept for accounts with none under way; no wait`,
    refused: 'the comparison with control names by the resolver alone decides',
    figures: agentFigures,
  },
  largeHeads: {
    bounds: largeHeads,
    what: `Response headers of more than ${limits.headerBytesMax / 1024} KiB, up to ${limits.largeHeaderBytesMax / 1024} KiB, at one agent process`,
    bound: `${largeHeads.places} at once, ${(largeHeads.places * limits.largeHeaderBytesMax) / 2 ** 20} MiB`,
    share: `${largeHeads.placesOfOwner} at once`,
    floor: `${largeHeads.reserve.places} places are kept for accounts with fewer than ${largeHeads.reserve.ofOwner} under way; no wait`,
    refused: 'the reading is `unmeasured`, cause `probe_overloaded`',
    figures: agentFigures,
  },
  pages: {
    bounds: pages,
    what: 'Pages open in Chromium at one agent process, of scheduled runs and confirmations',
    bound: boundOf(pages, ', together with the pages of the two rows below'),
    share: shareOf(pages),
    floor: `${pageTurn}; runs asked for by people hold ${pagesAsked.places} at most, and trials of free accounts go after all others`,
    refused: `after ${seconds(limits.pageTurnMsMax)} the reading is \`unmeasured\`, cause \`probe_overloaded\``,
    figures: agentFigures,
  },
  pagesAsked: {
    bounds: pagesAsked,
    what: 'Of the pages open in Chromium, those of runs asked for by people but trials of free accounts',
    bound: boundOf(pagesAsked),
    share: shareOf(pagesAsked),
    floor: `${pageTurn}; while none is open the next page that comes free is theirs, before scheduled runs`,
    refused: `after ${seconds(limits.pageTurnMsMax)} the reading is \`unmeasured\`, cause \`probe_overloaded\``,
    figures: agentFigures,
  },
  pagesTried: {
    bounds: pagesTried,
    what: 'Of the pages open in Chromium, those of trials of free accounts',
    bound: boundOf(pagesTried),
    share: shareOf(pagesTried),
    floor:
      'none while any other run waits for a page, or one that was asked for has one; the account that waited ' +
      'longest is next',
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
    floor: floorOf(firstReadings, `within ${seconds(limits.runTurnMsMax)} or not at all`),
    refused: 'the region first measures the check at its first slot',
    figures: [...figures, 'http_first_readings_dropped_total'],
  },
  trials: {
    bounds: trials,
    what: 'Trials of checks that are not saved, of Growth and Scale accounts at one control plane',
    bound: boundOf(trials),
    share: `${trials.placesOfOwner} at once`,
    floor: `${trialsFloor(trials)}; no free account takes these places`,
    refused: '429 `SV-6002` with `Retry-After`',
    figures,
  },
  freeTrials: {
    bounds: freeTrials,
    what: 'Trials of checks that are not saved, of free accounts at one control plane',
    bound: boundOf(freeTrials),
    share: `${freeTrials.placesOfOwner} at once, over all sessions`,
    floor: trialsFloor(freeTrials),
    refused: '429 `SV-6002` with `Retry-After`',
    figures,
  },
  freeBrowserTrials: {
    bounds: freeBrowserTrials,
    what: 'Of them, trials of browser checks on agents that accounts share',
    bound: boundOf(freeBrowserTrials),
    share: `${freeBrowserTrials.placesOfOwner} at once, over all sessions`,
    floor: `a place beside ${freeBrowserTrials.places / freeBrowserTrials.placesOfOwner - 1} other account at its share`,
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
