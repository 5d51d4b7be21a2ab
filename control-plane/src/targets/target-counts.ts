import { takeTurn } from '../stores/account-turns.ts'
import type { Turns } from '../stores/account-turns.ts'
import type { AskedAlready, Asking, ByHandLimit } from './target-budget.ts'
import { countAsked, countByHand } from './asked-hosts-store.ts'
import type { Sql } from '../stores/postgres/connect.ts'

/**
 * How often targets are asked by everybody, which belongs to no account: an account sees its own
 * checks only, and of the others it is told two sums.
 */
export type TargetCounts = {
  /** What all checks but one ask, requests a minute, by `kind name`. */
  asked(
    asking: readonly Pick<Asking, 'kind' | 'name'>[],
    besides: { checkId: string; accountId: string },
  ): Promise<ReadonlyMap<string, AskedAlready>>
  /** Counts requests by hand, an entry each. @returns false where it would be too many of one host */
  askByHand(hosts: readonly string[], accountId: string, limit: ByHandLimit): Promise<boolean>
}

/**
 * @param sql sees every account
 * @param turns of accounts at asking; without them each asks at once
 */
export const targetCountsOf = (sql: Sql, turns: Turns | null = null): TargetCounts => {
  const inTurn = <T>(accountId: string, work: () => Promise<T>): Promise<T> =>
    turns === null ? work() : takeTurn(turns, accountId, work)
  return {
    asked: (asking, besides) => inTurn(besides.accountId, () => countAsked(sql, asking, besides)),
    askByHand: (hosts, accountId, limit) =>
      inTurn(accountId, () => countByHand(sql, hosts, accountId, limit)),
  }
}
