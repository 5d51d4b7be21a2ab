import { paletteChecksMax, type Palette } from '@probe-mesh/contracts/overview/overview'
import { findStatuses } from '../checks/list/find-checks.ts'
import type { AccountContext, Caller } from '../accounts/operations/context.ts'
import { inAccount } from '../stores/postgres/in-account.ts'

/** Everything of the account that can be opened by its name, each kind by name. */
export const listPaletteEntries = (
  { sql, now }: Pick<AccountContext, 'sql' | 'now'>,
  { accountId }: Pick<Caller, 'accountId'>,
): Promise<Palette> =>
  inAccount(sql, accountId, async (tx) => {
    const [checks, [named]] = await Promise.all([
      findStatuses(tx, accountId, now(), paletteChecksMax),
      tx<Omit<Palette, 'checks'>[]>`
        select
          (select count(*)::int from checks where account_id = ${accountId}) as "checkCount",
          (select coalesce(jsonb_agg(jsonb_build_array(id, name, slug) order by name collate "C", id), '[]')
            from status_pages where account_id = ${accountId}) as "statusPages",
          (select coalesce(jsonb_agg(jsonb_build_array(id, name, type) order by name collate "C", id), '[]')
            from notification_channels where account_id = ${accountId}) as channels,
          (select coalesce(jsonb_agg(jsonb_build_array(id, name) order by name collate "C", id), '[]')
            from alert_rules where account_id = ${accountId}) as rules`,
    ])
    return {
      checks: checks.map(({ id, name, type, status }) => [id, name, type, status]),
      checkCount: named?.checkCount ?? checks.length,
      statusPages: named?.statusPages ?? [],
      channels: named?.channels ?? [],
      rules: named?.rules ?? [],
    }
  })
