import type { Connection } from './connect.ts'

/**
 * The epoch of this version. A release that cannot run next to control planes of the previous version,
 * because it removes or changes consumers or columns, raises it here and, in a migration, in the database.
 */
export const ownEpoch = 1

/** The SQLSTATE with which the database refuses an outdated control plane. */
export const tooOld = 'PMOLD'

/** Which versions may use a database. */
type SchemaEpoch = {
  epoch: number
  /** The lowest epoch that may use it. */
  least: number
}

type JudgedEpoch = { ok: true; isNewer: boolean } | { ok: false; problem: string }

/** Returns null for a database that only versions without epochs have used. */
export const readSchemaEpoch = async (db: Connection): Promise<SchemaEpoch | null> => {
  const [table] = await db<{ present: boolean }[]>`
    select to_regclass('public.schema_epoch') is not null as present`
  if (table?.present !== true) return null
  const [row] = await db<SchemaEpoch[]>`select epoch, least from schema_epoch`
  return row ?? null
}

/** Decides whether a version may start on a database. A newer database can still accept an older version. */
export const judgeEpoch = (own: number, schema: SchemaEpoch | null): JudgedEpoch =>
  schema === null || own >= schema.least
    ? { ok: true, isNewer: schema !== null && schema.epoch > own }
    : {
        ok: false,
        problem: `The database was upgraded by a newer version: it has epoch ${schema.epoch} and accepts control planes of epoch ${schema.least} or later, but this version has epoch ${own}. Start the newer version. To return to this version, restore a backup from before the upgrade into new databases. Nothing was changed.`,
      }
