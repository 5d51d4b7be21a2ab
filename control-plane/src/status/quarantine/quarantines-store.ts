import type { Region } from '@probe-mesh/contracts/reading/regions'
import type { Evidence } from './sources.ts'
import type { Connection } from '../../stores/postgres/connect.ts'
import { epochMs } from '../../stores/postgres/epoch-ms.ts'

/** Days that an ended quarantine is stored. */
const keptDays = 90

/** A quarantine with its evidence at the start, and its end. Unix ms. */
export type QuarantineRecord = Evidence & {
  id: string
  region: Region
  /** When the first of the failures was measured. */
  sinceAtMs: number
  /** null while it is open */
  endedAtMs: number | null
}

type QuarantineRow = Omit<QuarantineRecord, keyof StoredEvidence> & { evidence: StoredEvidence }

/** The numbers are columns; older rows have no sources. */
type StoredEvidence = Pick<Evidence, 'examples'> & Partial<Pick<Evidence, 'refused' | 'sources'>>
const noShares = { named: [], otherHosts: 0, distinct: 0 }
const noSources = { accounts: noShares, domains: noShares, networks: noShares }

const toRecord = ({ evidence, ...quarantine }: QuarantineRow): QuarantineRecord => ({
  ...quarantine,
  refused: evidence.refused ?? 0,
  examples: evidence.examples,
  sources: evidence.sources ?? noSources,
})

const quarantines = (db: Connection) => db`
  select id, region, ${epochMs(db, 'since')} as "sinceAtMs", ${epochMs(db, 'ended_at')} as "endedAtMs", hosts,
    failing, evidence
  from region_quarantines`

/** Opens a quarantine. @returns false if one is open already */
export const openQuarantine = async (
  db: Connection,
  quarantine: Omit<QuarantineRecord, 'endedAtMs'>,
): Promise<boolean> => {
  const { id, region, sinceAtMs, hosts, failing, refused, examples, sources } = quarantine
  const rows = await db`
    insert into region_quarantines (id, region, since, hosts, failing, evidence)
    values (${id}, ${region}, ${new Date(sinceAtMs)}, ${hosts}, ${failing}, ${db.json({ refused, examples, sources })})
    on conflict (region) where ended_at is null do nothing`
  return rows.count === 1
}

/**
 * Closes a quarantine, and deletes those that ended long ago.
 * @returns false if none is open
 */
export const closeQuarantine = async (
  db: Connection,
  region: Region,
  endedAtMs: number,
): Promise<boolean> => {
  const endedAt = new Date(endedAtMs)
  const rows = await db`
    with forgotten as (
      delete from region_quarantines
      where ended_at < ${endedAt}::timestamptz - make_interval(days => ${keptDays})
    )
    update region_quarantines set ended_at = greatest(since, ${endedAt})
    where region = ${region} and ended_at is null`
  return rows.count === 1
}

export const findOpenQuarantines = async (db: Connection): Promise<QuarantineRecord[]> => {
  const rows = await db<QuarantineRow[]>`
    ${quarantines(db)} where ended_at is null order by region`
  return rows.map(toRecord)
}

/** Quarantines read for one replay, the newest. */
const spansMax = 1_000

/** When regions had no vote since `fromMs`: from the decision, which the time in an id tells, to the end. */
export const findQuarantinedSpans = async (
  db: Connection,
  fromMs: number,
): Promise<{ region: Region; fromMs: number; toMs: number | null }[]> => {
  const rows = await db<{ id: string; region: Region; toMs: number | null }[]>`
    select id, region, ${epochMs(db, 'ended_at')} as "toMs" from region_quarantines
    where ended_at is null or ended_at > ${new Date(fromMs)}
    order by id desc limit ${spansMax}`
  return rows.map(({ id, region, toMs }) => ({
    region,
    fromMs: Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16),
    toMs,
  }))
}

/** The newest quarantines of all regions, open ones first. */
export const findNewestQuarantines = async (db: Connection, limit: number): Promise<QuarantineRecord[]> => {
  const rows = await db<QuarantineRow[]>`
    ${quarantines(db)} order by ended_at is not null, since desc, id limit ${limit}`
  return rows.map(toRecord)
}
