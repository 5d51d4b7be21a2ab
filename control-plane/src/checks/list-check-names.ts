import type { CheckNames } from '@probe-mesh/contracts/check/check-list'
import type { DashboardRoutes } from '@probe-mesh/contracts/api/dashboard-routes'
import type { InputOf } from '@probe-mesh/contracts/schema/route'
import { findCheckNames, seekChecks } from './check-names-store.ts'
import { inAccount } from '../stores/postgres/in-account.ts'
import type { AccountContext, Caller } from '../operations/context.ts'

/**
 * Names of the account's checks: those of some ids, and others that have a text. For a status page of
 * another account, as for one that publishes nothing: nothing is told of it.
 */
export const listCheckNames = (
  { sql }: Pick<AccountContext, 'sql'>,
  { accountId }: Pick<Caller, 'accountId'>,
  { query }: InputOf<DashboardRoutes['listCheckNames']>,
): Promise<CheckNames> => {
  const { ids = [], q, most } = query
  const publishableOn = query.publishableOn ?? null
  return inAccount(sql, accountId, async (tx) => ({
    named: ids.length === 0 ? [] : await findCheckNames(tx, accountId, ids, publishableOn),
    found:
      q === undefined
        ? null
        : await seekChecks(tx, accountId, { text: q, except: ids, most }, publishableOn),
  }))
}
