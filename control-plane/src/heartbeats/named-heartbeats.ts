import type { PingAnswer } from './ping-queue.ts'
import type { KeyedPing } from './record-pings.ts'
import type { Sql } from '../stores/postgres/connect.ts'

/** A heartbeat by the slug in its account, which is named by its id or by its ping key. */
export type SlugName = { account: string; slug: string }

/** Stands for the ping key of a heartbeat until it is looked up, with the other pings of a batch. */
export const nameOf = ({ account, slug }: SlugName): string => `${account}/${slug}`

/** The ping keys of heartbeats by name; several where a slug is not unique. */
const findKeysOfNames = async (
  sql: Sql,
  names: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> => {
  if (names.length === 0) return new Map()
  const rows = await sql<{ name: string; keys: string[] }[]>`
    select named.name, array_agg(heartbeats.ping_key::text) as keys from (
      select name, split_part(name, '/', 1) as account, split_part(name, '/', 2) as slug
      from unnest(${[...names]}::text[]) as named (name)
    ) named
      join accounts on accounts.ping_key = named.account
        or accounts.id = case when named.account like '%-%' then named.account::uuid end
      join checks on checks.account_id = accounts.id and checks.type = 'heartbeat'
        and checks.config #>> '{settings,slug}' = named.slug
      join heartbeats on heartbeats.check_id = checks.id
    group by named.name`
  return new Map(rows.map(({ name, keys }) => [name, keys]))
}

/**
 * Records pings of which some name a heartbeat by its slug.
 * @param record records pings by their keys, and returns those that exist
 * @returns the pings that were recorded, by key or name, and those whose slug several heartbeats have
 */
export const recordNamedPings = async (
  sql: Sql,
  pings: readonly KeyedPing[],
  record: (pings: readonly KeyedPing[]) => Promise<ReadonlySet<string>>,
): Promise<ReadonlyMap<string, PingAnswer>> => {
  const names = [...new Set(pings.map(({ pingKey }) => pingKey).filter((key) => key.includes('/')))]
  const keys = await findKeysOfNames(sql, names)
  const keyOf = (key: string): string | undefined => {
    const found = keys.get(key)
    return key.includes('/') ? (found?.length === 1 ? found[0] : undefined) : key
  }
  const known = await record(
    pings.flatMap((ping) => {
      const pingKey = keyOf(ping.pingKey)
      return pingKey === undefined ? [] : [{ ...ping, pingKey }]
    }),
  )
  return new Map(
    pings.map(({ pingKey }): [string, PingAnswer] => {
      if ((keys.get(pingKey)?.length ?? 0) > 1) return [pingKey, 'ambiguous']
      return [pingKey, known.has(keyOf(pingKey) ?? '') ? 'recorded' : 'unknown']
    }),
  )
}
