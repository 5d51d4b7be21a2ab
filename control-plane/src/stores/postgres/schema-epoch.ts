import type { Connection } from './connect.ts'

/**
 * The epoch of this version. A release raises it, together with the epoch of the database in a migration,
 * when a control plane of the previous version cannot run beside it: when it removes consumers, columns or
 * meanings.
 */
export const ownEpoch = 1

/** The SQLSTATE with which the database refuses an outdated control plane. */
export const tooOld = 'PMOLD'

/** Which versions may use a database. */
export type SchemaEpoch = {
  epoch: number
  /** The oldest epoch that may use it. */
  least: number
}

export type JudgedEpoch = { ok: true; isNewer: boolean } | { ok: false; problem: string }

/** null: no version with epochs has ever used it. */
export const readSchemaEpoch = async (sql: Connection): Promise<SchemaEpoch | null> => {
  const [table] = await sql<{ there: boolean }[]>`
    select to_regclass('public.schema_epoch') is not null as there`
  if (table?.there !== true) return null
  const [row] = await sql<SchemaEpoch[]>`select epoch, least from schema_epoch`
  return row ?? null
}

/**
 * Whether a version may start on a database. A database of a newer version may still accept this one. Pure.
 */
export const judgeEpoch = (own: number, schema: SchemaEpoch | null): JudgedEpoch =>
  schema === null || own >= schema.least
    ? { ok: true, isNewer: schema !== null && schema.epoch > own }
    : {
        ok: false,
        problem: `The database was upgraded by a newer version: it is of epoch ${schema.epoch} and takes control planes of epoch ${schema.least} or later, and this version is of epoch ${own}. Start the newer version. To return to this version, restore a backup that was made before the upgrade into new stores. Nothing was changed.`,
      }

/** From now on no control plane of an earlier epoch owns a partition while one of this epoch runs. */
export const raiseFence = async (sql: Connection, epoch: number): Promise<void> => {
  await sql`update schema_epoch set fence = ${epoch} where fence < ${epoch}`
}
