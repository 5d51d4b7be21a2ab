import { askedHosts } from '../checks/asked-hosts.ts'
import type { AskedAlready, Asking } from '../checks/target-budget.ts'
import { toCheckRecord } from './checks.ts'
import type { CheckRow } from './checks.ts'
import type { Sql, Transaction } from './connect.ts'
import { transact } from './transact.ts'

/**
 * What all checks but one ask of these hosts and sites, requests a minute, by `kind name`. Until the
 * transaction ends nobody else adds to it.
 */
export const countAsked = async (
  transaction: Transaction,
  asking: readonly Asking[],
  besidesCheckId: string,
): Promise<ReadonlyMap<string, AskedAlready>> => {
  const named = (kind: Asking['kind']): string[] =>
    asking.filter((one) => one.kind === kind).map(({ name }) => name)
  const rows = await transaction<
    { kind: string; name: string; by_all: number; by_account: number }[]
  >`
    select * from asked_per_minute(${named('host')}::text[], ${named('site')}::text[],
      ${besidesCheckId}::uuid)`
  return new Map(
    rows.map((row) => [
      `${row.kind} ${row.name}`,
      { byAll: row.by_all, byAccount: row.by_account },
    ]),
  )
}

/**
 * Counts requests that are asked for by hand, an entry each.
 * @returns false, and nothing is counted, where one host would be asked more than `perMinute`
 */
export const countByHand = async (
  transaction: Transaction,
  hosts: readonly string[],
  perMinute: number,
): Promise<boolean> => {
  const [row] = await transaction<{ counted: boolean }[]>`
    select ask_by_hand(${[...hosts]}::text[], ${perMinute}) as counted`
  return row?.counted ?? false
}

const batchMax = 1_000

/**
 * Notes what is asked by checks that were written by what knew nothing of it: an older version, and
 * the catalog's statements. A batch at a time; what others are writing is theirs to note.
 * @returns how many were noted
 */
export const fillAskedHosts = async (sql: Sql): Promise<number> => {
  let filled = 0
  for (;;) {
    const count = await transact(sql, fillBatch)
    if (count === 0) return filled
    filled += count
  }
}

const fillBatch = async (transaction: Transaction): Promise<number> => {
  const rows = await transaction<CheckRow[]>`
    select * from checks where asked_hosts is null limit ${batchMax} for update skip locked`
  const noted = rows.map((row) => {
    const asked = askedHosts(toCheckRecord(row))
    return {
      id: row.id,
      hosts: asked.map(({ host }) => host),
      sites: asked.map(({ site }) => site),
    }
  })
  if (noted.length > 0) {
    await transaction`
      update checks set asked_hosts = noted.hosts, asked_sites = noted.sites
      from jsonb_to_recordset(${transaction.json(noted)})
        as noted(id uuid, hosts text[], sites text[])
      where checks.id = noted.id`
  }
  return noted.length
}
