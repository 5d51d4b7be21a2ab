import type { AskedAlready, Asking } from '../checks/target-budget.ts'
import { countAsked, countByHand } from '../postgres/asked-hosts.ts'
import type { Sql } from '../postgres/connect.ts'

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
  askByHand(hosts: readonly string[], perMinute: number): Promise<boolean>
}

/** @param sql sees every account */
export const targetCountsOf = (sql: Sql): TargetCounts => ({
  asked: (asking, besides) => countAsked(sql, asking, besides),
  askByHand: (hosts, perMinute) => countByHand(sql, hosts, perMinute),
})
