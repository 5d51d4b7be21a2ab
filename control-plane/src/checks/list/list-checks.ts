import type { CheckRows } from '@probe-mesh/contracts/check/check-row'
import type { Check } from '@probe-mesh/contracts/check/check'
import type { CheckPart } from '@probe-mesh/contracts/check/check-list'
import type { DashboardRoutes } from '@probe-mesh/contracts/api/dashboard-routes'
import type { RouteInput } from '@probe-mesh/contracts/api/routes'
import { limits } from '@probe-mesh/contracts/schema/limits'
import { refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { InputOf } from '@probe-mesh/contracts/schema/route'
import { findChecks, findChecksOf } from '../../check-record/checks-store.ts'
import { inAccount } from '../../stores/postgres/in-account.ts'
import type { AccountContext, Caller } from '../../operations/context.ts'
import { describeCheck } from '../describe-check.ts'
import { describeRows } from './describe-rows.ts'
import type { RowContext } from './describe-rows.ts'
import { findCheckPart, findCheckPage } from './find-checks.ts'
import { formatCursor, parseCursor } from './cursor.ts'

/** Every check of the account, oldest first; with `include=state`, one page with their state (S-202, S-223). */
export const listChecks = async (
  context: RowContext & Pick<AccountContext, 'rules'>,
  caller: Caller,
  { query }: RouteInput<'listChecks'>,
): Promise<CheckRows | { checks: Check[] } | Refusal> =>
  query.include === 'state' ? listCheckRows(context, caller, query) : listAllChecks(context, caller)

/** Every check of the account, oldest first. */
export const listAllChecks = async (
  context: Pick<AccountContext, 'sql' | 'now'>,
  caller: Pick<Caller, 'accountId'>,
): Promise<{ checks: Check[] }> => {
  const checks = await inAccount(context.sql, caller.accountId, (tx) => findChecks(tx, caller.accountId))
  const nowMs = context.now()
  return { checks: checks.map((check) => describeCheck(check, nowMs)) }
}

const listCheckRows = async (
  context: RowContext & Pick<AccountContext, 'rules'>,
  { accountId }: Pick<Caller, 'accountId'>,
  { status, type, name, tag, limit, cursor, sort }: RouteInput<'listChecks'>['query'],
): Promise<CheckRows | Refusal> => {
  const after = cursor === undefined ? null : parseCursor(cursor, sort)
  if (after === undefined) {
    const message = 'is not a cursor of this list with this sort'
    return refuse('SV-2001', { errors: [{ path: 'cursor', message }] })
  }
  const nowMs = context.now()
  const filter = {
    text: '',
    name: name ?? '',
    status: status ?? null,
    type: type ?? null,
    tag: tag ?? null,
    sort,
  }
  const { checks, next } = await inAccount(context.sql, accountId, async (tx) => {
    const page = await findCheckPage(tx, accountId, filter, { after, limit }, nowMs)
    return { checks: await findChecksOf(tx, accountId, page.ids), next: page.next }
  })
  const rows = await describeRows(context, { accountId }, checks, nowMs)
  const nextCursor = next === null ? null : formatCursor(next)
  return { ...rows, nextCursor, vantage: context.rules.vantage }
}

/** One page of the account's checks with their state, and the number of checks per status. */
export const listCheckPart = async (
  context: RowContext & Pick<AccountContext, 'rules'>,
  { accountId }: Pick<Caller, 'accountId'>,
  { query: { q: text, page: part, status, type, tag, sort } }: InputOf<DashboardRoutes['listCheckPart']>,
): Promise<CheckPart> => {
  const nowMs = context.now()
  const size = limits.checksPerPart
  const filter = { text, name: '', status: status ?? null, type: type ?? null, tag: tag ?? null, sort }
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
