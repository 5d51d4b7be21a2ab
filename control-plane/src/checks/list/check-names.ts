import type { CheckNames, CheckName } from '@probe-mesh/contracts/check/check-list'
import type { DashboardRoutes } from '@probe-mesh/contracts/api/dashboard-routes'
import type { InputOf } from '@probe-mesh/contracts/schema/route'
import { inAccount } from '../../stores/postgres/in-account.ts'
import type { AccountContext, Caller } from '../../accounts/operations/context.ts'
import type { Transaction } from '../../stores/postgres/connect.ts'

/**
 * Names of the account's checks: by id, and by a text they contain. With `publishableOn`, only checks that
 * this status page can publish; a page of another account finds nothing.
 */
export const listCheckNames = (
  { sql }: Pick<AccountContext, 'sql'>,
  { accountId }: Pick<Caller, 'accountId'>,
  { query }: InputOf<DashboardRoutes['listCheckNames']>,
): Promise<CheckNames> => {
  const { ids = [], q, most } = query
  const publishableOn = query.publishableOn ?? null
  return inAccount(sql, accountId, async (tx) => ({
    named: ids.length === 0 ? [] : await findCheckNames(tx, accountId, ids, publishableOn),
    found:
      q === undefined
        ? null
        : await searchChecks(tx, accountId, { text: q, except: ids, most }, publishableOn),
  }))
}

/** A search among the checks of an account. */
type CheckSearch = {
  /** The name, URL or target must contain it, in any case. */
  text: string
  /** These are counted if they match, and not returned. */
  except: readonly string[]
  most: number
}

type FoundChecks = {
  checks: CheckName[]
  /** Other matching checks that are not returned. */
  left: number
  /** Matching checks, excepted ones included. */
  count: number
  /** All checks, matching or not. */
  all: number
}

/** The selectable checks of an account: all, or those that a status page can publish. */
const selectable = (tx: Transaction, publishableOn: string | null) =>
  publishableOn === null
    ? tx`true`
    : tx`not checks.private and not exists (
        select from components
        where components.check_id = checks.id and components.status_page_id = ${publishableOn})`

/** These checks of an account, by name; missing and unselectable ones are left out. */
export const findCheckNames = async (
  tx: Transaction,
  accountId: string,
  ids: readonly string[],
  publishableOn: string | null,
): Promise<CheckName[]> => {
  const rows = await tx<CheckName[]>`
    select id, name, type, url, target, regions from checks
    where account_id = ${accountId} and id = any(${[...ids]}::uuid[])
      and ${selectable(tx, publishableOn)}
    order by name collate "C", id`
  return [...rows]
}

/**
 * Checks that contain a text, by name. The database scans all checks of the account and returns only the
 * result, so that a choice among ten thousand stays cheap.
 */
export const searchChecks = async (
  tx: Transaction,
  accountId: string,
  { text, except, most }: CheckSearch,
  publishableOn: string | null,
): Promise<FoundChecks> => {
  const needle = text.trim().toLowerCase()
  const [row] = await tx<{ ids: string[]; others: number; count: number; all: number }[]>`
    with candidates as materialized (
      select id, name, id = any(${[...except]}::uuid[]) as excepted,
        ${needle} = '' or position(${needle} in lower(concat_ws(E'\n', name, url, target))) > 0
          as has_text
      from checks
      where account_id = ${accountId} and ${selectable(tx, publishableOn)}
    )
    select
      count(*)::int as all,
      (count(*) filter (where has_text))::int as count,
      (count(*) filter (where has_text and not excepted))::int as others,
      array(
        select id from candidates where has_text and not excepted
        order by name collate "C", id limit ${most}) as ids
    from candidates`
  const { ids, others, count, all } = row ?? { ids: [], others: 0, count: 0, all: 0 }
  const checks = await findCheckNames(tx, accountId, ids, publishableOn)
  return { checks, left: others - ids.length, count, all }
}
