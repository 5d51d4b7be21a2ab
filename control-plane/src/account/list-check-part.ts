import type { CheckPart } from '@probe-mesh/contracts/check-list'
import { limits } from '@probe-mesh/contracts/limits'
import { findCheckPart } from '../postgres/check-list.ts'
import { inAccount } from '../postgres/in-account.ts'
import type { AccountContext, Caller } from './context.ts'
import { describeCheck } from './describe-check.ts'

/** One part of the account's checks, worst first, and how many there are of each status. */
export const listCheckPart = async (
  { sql, rules, now }: Pick<AccountContext, 'sql' | 'rules' | 'now'>,
  { accountId }: Pick<Caller, 'accountId'>,
  { query }: { query: { q: string; page: number } },
): Promise<CheckPart> => {
  const nowMs = now()
  const asked = { text: query.q, part: query.page, size: limits.checksPerPart }
  const part = await inAccount(sql, accountId, (tx) => findCheckPart(tx, accountId, asked, nowMs))
  return {
    checks: part.checks.map((check) => describeCheck(check, nowMs)),
    number: part.number,
    last: Math.max(1, Math.ceil(part.found / asked.size)),
    total: part.found,
    counts: part.counts,
    at: new Date(nowMs).toISOString(),
    vantage: rules.vantage,
  }
}
