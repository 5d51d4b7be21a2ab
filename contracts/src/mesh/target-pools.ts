import { addressPools } from '../agent/agent-pools.ts'
import { inFigures as count } from '../schema/shared-pool.ts'
import type { SharedPool } from '../schema/shared-pool.ts'

/** How often targets are asked, requests a minute. */
export const targetBudget = {
  /** Of one host by the checks of all accounts. */
  hostPerMinute: 6_000,
  /** Of that, by one account. */
  accountShare: 0.5,
  /** A site has many hosts, and often one machine for them. */
  siteFactor: 2,
  /** The floor of an account: one check at this interval from all live regions. */
  floorIntervalSeconds: 60,
  /** All floors together, beyond what all accounts may ask; sign-up is open, so free ones have less. */
  floorsShare: { paid: 1, free: 0.5 },
  /** By hand, beside what is scheduled. */
  byHandShare: 0.1,
  /** By hand: the longest journey, from all regions. */
  runRequestsMax: 50,
} as const

const percent = (share: number): string => `${share * 100} %`
const { hostPerMinute, byHandShare, floorsShare } = targetBudget

/** How often targets are asked. */
export const targetPools = {
  ...addressPools,
  targetRequests: {
    what: 'requests a minute of the checks of all accounts to one host',
    bound: `${count(hostPerMinute)} (\`TARGET_REQUESTS_PER_MINUTE\`); ${targetBudget.siteFactor} times as many to one site`,
    share: `${percent(targetBudget.accountShare)} of one account`,
    floor: `one check from all live regions each ${targetBudget.floorIntervalSeconds} s, or at the tier's shortest interval if that is longer; all floors together add at most ${percent(floorsShare.paid)} to the bound, those of free accounts ${percent(floorsShare.free)}`,
    refused: 'SV-5001 where a check is created, changed or resumed',
    figures: [],
  },
  targetRunsByHand: {
    what: 'requests a minute of runs by hand to one host',
    bound: `${percent(byHandShare)} of the row above: ${count(hostPerMinute * byHandShare)}`,
    share: `${percent(targetBudget.accountShare)} of one account`,
    floor: `${targetBudget.runRequestsMax} requests, as many as one run of any check makes; all floors together at most as many again as the bound`,
    refused: 'SV-5001 with status 429',
    figures: [],
  },
} as const satisfies Record<string, SharedPool>
