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
type SchemaEpoch = {
  epoch: number
  /** The oldest epoch that may use it. */
  least: number
}

type JudgedEpoch = { ok: true; isNewer: boolean } | { ok: false; problem: string }

/** null: no version with epochs has ever used it. */
export const readSchemaEpoch = async (db: Connection): Promise<SchemaEpoch | null> => {
  const [table] = await db<{ there: boolean }[]>`
    select to_regclass('public.schema_epoch') is not null as there`
  if (table?.there !== true) return null
  const [row] = await db<SchemaEpoch[]>`select epoch, least from schema_epoch`
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
        problem: `The database was upgraded by a newer version: it has epoch ${schema.epoch} and accepts control planes of epoch ${schema.least} or later, but this version has epoch ${own}. Start the newer version. To return to this version, restore a backup from before the upgrade into new databases. Nothing was changed.`,
      }

/** From now on no control plane of an earlier epoch owns a partition while one of this epoch runs. */
export const raiseFence = async (db: Connection, epoch: number): Promise<void> => {
  await db`update schema_epoch set fence = ${epoch} where fence < ${epoch}`
}
