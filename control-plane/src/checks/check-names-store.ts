import type { CheckName } from '@probe-mesh/contracts/check/check-list'
import type { Transaction } from '../stores/postgres/connect.ts'

/** What is looked for among an account's checks. */
export type Sought = {
  /** Some of the name, the URL or the target has to have it, in any case. */
  text: string
  /** These are counted where they have the text, and not given. */
  except: readonly string[]
  most: number
}

export type FoundChecks = {
  checks: CheckName[]
  /** Others that have the text and are neither excepted nor given. */
  left: number
  /** Checks that have the text, excepted ones too. */
  count: number
  /** Checks with the text or without it. */
  all: number
}

/** Which of an account's checks can be chosen: all, or for a status page those that it may publish. */
const choosable = (transaction: Transaction, publishableOn: string | null) =>
  publishableOn === null
    ? transaction`true`
    : transaction`not checks.private and not exists (
        select from components
        where components.check_id = checks.id and components.status_page_id = ${publishableOn})`

/** These checks of an account, by name; what is gone, or cannot be chosen, is left out. */
export const findCheckNames = async (
  transaction: Transaction,
  accountId: string,
  ids: readonly string[],
  publishableOn: string | null,
): Promise<CheckName[]> => {
  const rows = await transaction<CheckName[]>`
    select id, name, type, url, target, regions from checks
    where account_id = ${accountId} and id = any(${[...ids]}::uuid[])
      and ${choosable(transaction, publishableOn)}
    order by name collate "C", id`
  return [...rows]
}

/**
 * Checks that have a text, by name. Every check of the account is looked at and only what is given is
 * brought here, so that a choice among ten thousand costs what it shows.
 */
export const seekChecks = async (
  transaction: Transaction,
  accountId: string,
  { text, except, most }: Sought,
  publishableOn: string | null,
): Promise<FoundChecks> => {
  const sought = text.trim().toLowerCase()
  const [row] = await transaction<{ ids: string[]; others: number; count: number; all: number }[]>`
    with candidates as materialized (
      select id, name, id = any(${[...except]}::uuid[]) as excepted,
        ${sought} = '' or position(${sought} in lower(concat_ws(E'\n', name, url, target))) > 0
          as has_text
      from checks
      where account_id = ${accountId} and ${choosable(transaction, publishableOn)}
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
  const checks = await findCheckNames(transaction, accountId, ids, publishableOn)
  return { checks, left: others - ids.length, count, all }
}
