import type { Region } from '@probe-mesh/contracts/reading/regions'
import type { Evidence } from './sources.ts'
import type { Connection } from '../../stores/postgres/connect.ts'
import { epochMs } from '../../stores/postgres/epoch-ms.ts'

/** Days that a doubt is stored after it was last seen, and how many are stored. */
const keptDays = 90
const keptMax = 1_000
/** Seen again within this time, it is the same one, ms. */
const sameWithinMs = 120_000

/** A region that many hosts accused and that kept its vote. Unix ms. */
export type DoubtRecord = Evidence & {
  id: string
  region: Region
  /** Only checks of accounts accused it; or half of the regions had already lost their votes. */
  why: 'unconfirmed' | 'majority'
  sinceAtMs: number
  lastAtMs: number
}

/**
 * Stores that a doubt continues, with its current evidence. Control planes that see the same doubt write one
 * row, unless they start at the same moment.
 * @returns whether it is new
 */
export const keepDoubt = async (
  db: Connection,
  doubt: Omit<DoubtRecord, 'sinceAtMs' | 'lastAtMs'> & { atMs: number },
): Promise<boolean> => {
  const { id, region, why, atMs, hosts, failing, refused, examples, sources } = doubt
  const [at, sameFrom] = [new Date(atMs), new Date(atMs - sameWithinMs)]
  const rows = await db`
    with known as (
      update region_doubts set last_at = greatest(last_at, ${at}), hosts = ${hosts},
        failing = ${failing}, evidence = ${db.json({ refused, examples, sources })}
      where id = (select id from region_doubts
        where region = ${region} and why = ${why} and last_at >= ${sameFrom}
        order by last_at desc limit 1)
      returning id
    ),
    forgotten as (
      delete from region_doubts
      where last_at < ${at}::timestamptz - make_interval(days => ${keptDays})
        or id in (select id from region_doubts order by last_at desc offset ${keptMax})
    )
    insert into region_doubts (id, region, why, since, last_at, hosts, failing, evidence)
    select ${id}::uuid, ${region}, ${why}, ${at}::timestamptz, ${at}::timestamptz, ${hosts}::integer,
      ${failing}::integer, ${db.json({ refused, examples, sources })}::jsonb
    where not exists (select from known)`
  return rows.count === 1
}

type StoredEvidence = Pick<Evidence, 'refused' | 'examples' | 'sources'>

/** The newest doubts first. */
export const findNewestDoubts = async (db: Connection, limit: number): Promise<DoubtRecord[]> => {
  const rows = await db<(Omit<DoubtRecord, keyof StoredEvidence> & { evidence: StoredEvidence })[]>`
    select id, region, why, ${epochMs(db, 'since')} as "sinceAtMs", ${epochMs(db, 'last_at')} as "lastAtMs",
      hosts, failing, evidence
    from region_doubts order by last_at desc, id limit ${limit}`
  return rows.map(({ evidence, ...doubt }) => ({ ...evidence, ...doubt }))
}
