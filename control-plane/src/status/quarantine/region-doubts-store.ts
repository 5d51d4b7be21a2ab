import type { Region } from '@probe-mesh/contracts/reading/regions'
import type { Evidence } from './sources.ts'
import type { Connection } from '../../stores/postgres/connect.ts'

/** How long a doubt is kept after it was seen last, days, and how many are kept. */
const keptDays = 90
const keptMax = 1_000
/** Seen again within so long it is the same one, ms. */
const sameWithinMs = 120_000

/** A region that many hosts accused and that kept its vote. Unix ms. */
export type DoubtRecord = Evidence & {
  id: string
  region: Region
  /** Only accounts' checks said so; or half of the regions had lost their votes. */
  why: 'unconfirmed' | 'majority'
  sinceAtMs: number
  lastAtMs: number
}

/**
 * Notes that a doubt lasts, with what it rests on now. Control planes that see the same write one row, but
 * for one that both begin at once.
 * @returns whether it is a new one
 */
export const keepDoubt = async (
  sql: Connection,
  doubt: Omit<DoubtRecord, 'sinceAtMs' | 'lastAtMs'> & { atMs: number },
): Promise<boolean> => {
  const { id, region, why, atMs, hosts, failing, refused, examples, sources } = doubt
  const [at, sameFrom] = [new Date(atMs), new Date(atMs - sameWithinMs)]
  const rows = await sql`
    with known as (
      update region_doubts set last_at = greatest(last_at, ${at}), hosts = ${hosts},
        failing = ${failing}, evidence = ${sql.json({ refused, examples, sources })}
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
      ${failing}::integer, ${sql.json({ refused, examples, sources })}::jsonb
    where not exists (select from known)`
  return rows.count === 1
}

/** Those seen last first. */
export const findNewestDoubts = async (sql: Connection, limit: number): Promise<DoubtRecord[]> => {
  const rows = await sql<
    {
      id: string
      region: string
      why: DoubtRecord['why']
      since: Date
      last_at: Date
      hosts: number
      failing: number
      evidence: Pick<Evidence, 'refused' | 'examples' | 'sources'>
    }[]
  >`select * from region_doubts order by last_at desc, id limit ${limit}`
  return rows.map((row) => ({
    ...row.evidence,
    id: row.id,
    region: row.region,
    why: row.why,
    sinceAtMs: row.since.getTime(),
    lastAtMs: row.last_at.getTime(),
    hosts: row.hosts,
    failing: row.failing,
  }))
}
