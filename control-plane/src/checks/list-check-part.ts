import type { CheckPart } from '@probe-mesh/contracts/check/check-list'
import type { DashboardRoutes } from '@probe-mesh/contracts/api/dashboard-routes'
import { limits } from '@probe-mesh/contracts/schema/limits'
import type { InputOf } from '@probe-mesh/contracts/schema/route'
import { findCheckPart } from './check-list-store.ts'
import { inAccount } from '../stores/postgres/in-account.ts'
import type { AccountContext, Caller } from '../operations/context.ts'
import { describeCheck } from './describe-check.ts'

/** One part of the account's checks, worst first, and how many there are of each status. */
export const listCheckPart = async (
  { sql, rules, now }: Pick<AccountContext, 'sql' | 'rules' | 'now'>,
  { accountId }: Pick<Caller, 'accountId'>,
  { query: { q: text, page: part, status, type } }: InputOf<DashboardRoutes['listCheckPart']>,
): Promise<CheckPart> => {
  const nowMs = now()
  const size = limits.checksPerPart
  const asked = { text, status: status ?? null, type: type ?? null, part, size }
  const found = await inAccount(sql, accountId, (tx) => findCheckPart(tx, accountId, asked, nowMs))
  return {
    checks: found.checks.map((check) => describeCheck(check, nowMs)),
    number: found.number,
    last: Math.max(1, Math.ceil(found.found / asked.size)),
    total: found.found,
    counts: found.counts,
    matching: found.matching,
    at: new Date(nowMs).toISOString(),
    vantage: rules.vantage,
  }
}
