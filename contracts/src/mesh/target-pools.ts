import { addressPools } from '../agent/agent-pools.ts'
import { inFigures as count } from '../schema/in-figures.ts'
import { type SharedPool } from '../schema/shared-pool.ts'

/** Limits of requests per minute to targets. */
export const targetBudget = {
  /** Requests to one host, from the checks of all accounts. */
  hostPerMinute: 6_000,
  /** The share of one account. */
  accountShare: 0.5,
  /** A site may get this multiple of a host's limit. Its hosts often share one machine. */
  siteFactor: 2,
  /** The floor of an account: one check at this interval from all live regions. */
  floorIntervalSeconds: 60,
  /** All floors together, in addition to the limit. Free accounts have less, since sign-up may be open. */
  floorsShare: { paid: 1, free: 0.5 },
  /** The share of manual runs, in addition to scheduled ones. */
  byHandShare: 0.1,
  /** Requests of one manual run: the longest journey, from all regions. */
  runRequestsMax: 50,
} as const

const percent = (share: number): string => `${share * 100} %`
const { hostPerMinute, byHandShare, floorsShare } = targetBudget

/** Pools of requests to targets. */
export const targetPools = {
  ...addressPools,
  targetRequests: {
    what: 'requests per minute to one host, from the checks of all accounts',
    bound: `${count(hostPerMinute)} (\`TARGET_REQUESTS_PER_MINUTE\`); ${targetBudget.siteFactor} times this to one site`,
    share: `${percent(targetBudget.accountShare)} of one account`,
    floor: `one check from all live regions every ${targetBudget.floorIntervalSeconds} s, or at the plan's shortest interval if that is longer; all floors together add at most ${percent(floorsShare.paid)} to the bound, those of free accounts ${percent(floorsShare.free)}`,
    refused: 'SV-5001 when a check is created, changed or resumed',
    figures: [],
  },
  targetRunsByHand: {
    what: 'requests per minute to one host, from manual runs',
    bound: `${percent(byHandShare)} of the row above: ${count(hostPerMinute * byHandShare)}`,
    share: `${percent(targetBudget.accountShare)} of one account`,
    floor: `${targetBudget.runRequestsMax} requests, enough for one run of any check; all floors together add at most the bound again`,
    refused: 'SV-5001 with status 429',
    figures: [],
  },
} as const satisfies Record<string, SharedPool>
