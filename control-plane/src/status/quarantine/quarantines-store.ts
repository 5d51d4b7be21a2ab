import type { Region } from '@probe-mesh/contracts/reading/regions'
import type { Evidence } from './sources.ts'
import type { Connection } from '../../stores/postgres/connect.ts'

/** How long an ended quarantine is kept, days. */
const keptDays = 90

/** A region's quarantine as it was when it began, and when it ended. Unix ms. */
export type QuarantineRecord = Evidence & {
  id: string
  region: Region
  /** When the first of the failures was measured. */
  sinceAtMs: number
  /** null while it lasts */
  endedAtMs: number | null
}

type QuarantineRow = {
  id: string
  region: string
  since: Date
  ended_at: Date | null
  hosts: number
  failing: number
  evidence: StoredEvidence
}

/** The numbers are columns; who holds the hosts is absent in what was stored before it was kept. */
type StoredEvidence = Pick<Evidence, 'examples'> & Partial<Pick<Evidence, 'refused' | 'sources'>>
const noShares = { named: [], otherHosts: 0, distinct: 0 }
const noSources = { accounts: noShares, domains: noShares, networks: noShares }

const toRecord = (row: QuarantineRow): QuarantineRecord => ({
  id: row.id,
  region: row.region,
  sinceAtMs: row.since.getTime(),
  endedAtMs: row.ended_at?.getTime() ?? null,
  hosts: row.hosts,
  failing: row.failing,
  refused: row.evidence.refused ?? 0,
  examples: row.evidence.examples,
  sources: row.evidence.sources ?? noSources,
})

/** Begins a region's quarantine. @returns false when one is open already: somebody was first */
export const openQuarantine = async (
  sql: Connection,
  quarantine: Omit<QuarantineRecord, 'endedAtMs'>,
): Promise<boolean> => {
  const { id, region, sinceAtMs, hosts, failing, refused, examples, sources } = quarantine
  const rows = await sql`
    insert into region_quarantines (id, region, since, hosts, failing, evidence)
    values (${id}, ${region}, ${new Date(sinceAtMs)}, ${hosts}, ${failing}, ${sql.json({ refused, examples, sources })})
    on conflict (region) where ended_at is null do nothing`
  return rows.count === 1
}

/**
 * Ends a region's quarantine, and forgets those that ended long ago.
 * @returns false when none is open: somebody was first
 */
export const closeQuarantine = async (
  sql: Connection,
  region: Region,
  endedAtMs: number,
): Promise<boolean> => {
  const endedAt = new Date(endedAtMs)
  const rows = await sql`
    with forgotten as (
      delete from region_quarantines
      where ended_at < ${endedAt}::timestamptz - make_interval(days => ${keptDays})
    )
    update region_quarantines set ended_at = greatest(since, ${endedAt})
    where region = ${region} and ended_at is null`
  return rows.count === 1
}

/** The quarantines that last. */
export const findOpenQuarantines = async (sql: Connection): Promise<QuarantineRecord[]> => {
  const rows = await sql<QuarantineRow[]>`
    select * from region_quarantines where ended_at is null order by region`
  return rows.map(toRecord)
}

/** The newest quarantines of all regions, those that last first. */
export const findNewestQuarantines = async (
  sql: Connection,
  limit: number,
): Promise<QuarantineRecord[]> => {
  const rows = await sql<QuarantineRow[]>`
    select * from region_quarantines order by ended_at is not null, since desc, id limit ${limit}`
  return rows.map(toRecord)
}
