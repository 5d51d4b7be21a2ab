import type { CheckRows, CheckSort } from '@probe-mesh/contracts/check/check-row'
import type { Check } from '@probe-mesh/contracts/check/check'
import type { CheckPart } from '@probe-mesh/contracts/check/check-list'
import type { DashboardRoutes } from '@probe-mesh/contracts/api/dashboard-routes'
import type { RouteInput } from '@probe-mesh/contracts/api/routes'
import { limits } from '@probe-mesh/contracts/schema/limits'
import { isRefusal, refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { InputOf } from '@probe-mesh/contracts/schema/route'
import type { CheckWithState } from '../../records/check/check-record.ts'
import { findChecks, findChecksOf } from '../../records/check/checks-store.ts'
import { inAccount } from '../../stores/postgres/in-account.ts'
import type { AccountContext, Caller } from '../../accounts/operations/context.ts'
import { describeCheck } from '../describe-check.ts'
import { describeRows, type RowContext } from './describe-rows.ts'
import { findCheckPart, findCheckPage } from './find-checks.ts'
import { formatCursor, parseCursor } from './cursor.ts'

/**
 * Every check of the account, oldest first (S-202); with parameters, those that match, in pages; with `include=state`,
 * with their state (S-223).
 */
export const listChecks = async (
  context: RowContext & Pick<AccountContext, 'rules'>,
  caller: Caller,
  { query }: RouteInput<'listChecks'>,
): Promise<CheckRows | { checks: Check[]; nextCursor?: string | null } | Refusal> => {
  const isPlain = Object.values(query).every((value) => value === undefined)
  if (isPlain) return listAllChecks(context, caller)
  const nowMs = context.now()
  const { include, limit = include === undefined ? Infinity : limits.checkRowsPageDefault } = query
  const { sort = include === undefined ? 'created' : 'status' } = query
  const page = await findListed(context, caller, { ...query, limit, sort }, nowMs)
  if (isRefusal(page)) return page
  const { checks, nextCursor } = page
  if (include === undefined) return { checks: checks.map((check) => describeCheck(check, nowMs)), nextCursor }
  const rows = await describeRows(context, caller, checks, nowMs)
  const { vantage, isNothingMeasured } = context.rules
  const silent = isNothingMeasured?.() === true && { nothingMeasured: true }
  return { ...rows, nextCursor, vantage, ...silent }
}

/** Every check of the account, oldest first. */
export const listAllChecks = async (
  context: Pick<AccountContext, 'sql' | 'now'>,
  caller: Pick<Caller, 'accountId'>,
): Promise<{ checks: Check[] }> => {
  const checks = await inAccount(context.sql, caller.accountId, (tx) => findChecks(tx, caller.accountId))
  const nowMs = context.now()
  return { checks: checks.map((check) => describeCheck(check, nowMs)) }
}

const findListed = async (
  { sql }: Pick<AccountContext, 'sql'>,
  { accountId }: Pick<Caller, 'accountId'>,
  query: RouteInput<'listChecks'>['query'] & { limit: number; sort: CheckSort },
  nowMs: number,
): Promise<{ checks: CheckWithState[]; nextCursor: string | null } | Refusal> => {
  const { status, type, name, tag, limit, cursor, sort } = query
  const after = cursor === undefined ? null : parseCursor(cursor, sort)
  if (after === undefined) {
    const message = 'is not a cursor of this list with this sort'
    return refuse('SV-2001', { errors: [{ path: 'cursor', message }] })
  }
  const filter = {
    text: '',
    name: name ?? '',
    status: status ?? null,
    type: type ?? null,
    tag: tag ?? null,
    owner: null,
    sort,
  }
  return inAccount(sql, accountId, async (tx) => {
    const { ids, next } = await findCheckPage(tx, accountId, filter, { after, limit }, nowMs)
    const checks = await findChecksOf(tx, accountId, ids)
    return { checks, nextCursor: next === null ? null : formatCursor(next) }
  })
}

/** One page of the account's checks with their state, and the number of checks per status. */
export const listCheckPart = async (
  context: RowContext & Pick<AccountContext, 'rules'>,
  { accountId }: Pick<Caller, 'accountId'>,
  {
    query: { q: text, page: part, status, type, tag, owner, sort },
  }: InputOf<DashboardRoutes['listCheckPart']>,
): Promise<CheckPart> => {
  const nowMs = context.now()
  const size = limits.checksPerPart
  const filter = {
    text,
    name: '',
    status: status ?? null,
    type: type ?? null,
    tag: tag ?? null,
    owner: owner ?? null,
    sort,
  }
  const found = await inAccount(context.sql, accountId, async (tx) => {
    const page = await findCheckPart(tx, accountId, filter, { part, size }, nowMs)
    return { ...page, checks: await findChecksOf(tx, accountId, page.ids) }
  })
  return {
    ...(await describeRows(context, { accountId }, found.checks, nowMs)),
    number: found.number,
    last: Math.max(1, Math.ceil(found.found / size)),
    total: found.found,
    counts: found.counts,
    matching: found.matching,
    vantage: context.rules.vantage,
  }
}
