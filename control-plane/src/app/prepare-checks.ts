import type { Logger } from 'pino'
import type { CatalogIndex } from '../catalog/catalog-index.ts'
import { reconcileCatalog } from '../public-answers/answers/reconcile-catalog.ts'
import { fillRequestedHosts } from '../targets/target-counts.ts'
import { bindSecrets } from '../secrets/bind-secrets.ts'
import { movePrivateKeys } from '../checks/requests/move-private-keys.ts'
import { untilAccepted } from '../stores/retry.ts'
import type { Sql } from '../stores/postgres/connect.ts'
import type { Vault } from '../secrets/vault.ts'
import type { Config } from './config.ts'

/** Updates the catalog's checks, the requested hosts and the readers of secrets before any loop reads the checks. */
export const prepareChecks = async (
  { config, catalog, log, now }: { config: Config; catalog: CatalogIndex; log: Logger; now: () => number },
  sql: Sql,
  vault: Vault,
): Promise<void> => {
  const { regions, catalogIntervalSeconds: intervalSeconds } = config
  const steps = [
    () => reconcileCatalog({ sql, catalog, regions, intervalSeconds, log, now }),
    // for checks written by an older version, and for the catalog's
    () => fillRequestedHosts(sql),
    () => bindSecrets({ sql, now, log }),
    () => movePrivateKeys({ sql, vault, log, now }),
  ]
  for (const step of steps) await untilAccepted<unknown>(log, 'the checks cannot be prepared', step)
}
