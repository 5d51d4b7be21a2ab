import type { ToldNotice } from './follow-notices.ts'
import type { Transaction } from '../stores/postgres/connect.ts'

type NoticeRow = {
  region: string
  what: ToldNotice['what']
  since: Date
  text: string
  gone_since: Date | null
}

/** What the operator was told of, locked against everybody else who tells until the transaction ends. */
export const lockMeshNotices = async (transaction: Transaction): Promise<ToldNotice[]> => {
  await transaction`select pg_advisory_xact_lock(hashtextextended('mesh notices', 0))`
  const rows = await transaction<NoticeRow[]>`select * from mesh_notices order by region, what`
  return rows.map(({ region, what, since, text, gone_since }) => ({
    region,
    what,
    text,
    sinceMs: since.getTime(),
    goneSinceMs: gone_since?.getTime() ?? null,
  }))
}

/** Remembers these and no others. */
export const writeMeshNotices = async (
  transaction: Transaction,
  notices: readonly ToldNotice[],
): Promise<void> => {
  await transaction`delete from mesh_notices`
  if (notices.length === 0) return
  const rows = notices.map(({ region, what, text, sinceMs, goneSinceMs }) => ({
    region,
    what,
    text,
    since: new Date(sinceMs).toISOString(),
    gone_since: goneSinceMs === null ? null : new Date(goneSinceMs).toISOString(),
  }))
  await transaction`
    insert into mesh_notices (region, what, text, since, gone_since)
    select * from jsonb_to_recordset(${transaction.json(rows)})
      as n (region text, what text, text text, since timestamptz, gone_since timestamptz)`
}
