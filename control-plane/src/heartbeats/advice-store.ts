import { toStoredConfig } from '../records/check/check-record.ts'
import type { Transaction } from '../stores/postgres/connect.ts'
import { epochMs } from '../stores/postgres/epoch-ms.ts'
import { startsMin, type PingedHeartbeat } from './advice.ts'

export type AdvisedHeartbeat = PingedHeartbeat & {
  checkId: string
  accountId: string
  name: string
  /** What was told already. */
  advised: string[]
}

/** Heartbeats that are due for a look, locked until the transaction ends, and looked at again at `nextMs`. */
export const claimAdviceLooks = async (
  tx: Transaction,
  { nowMs, nextMs, limit }: { nowMs: number; nextMs: number; limit: number },
): Promise<AdvisedHeartbeat[]> => {
  type Row = Omit<AdvisedHeartbeat, 'settings'> & { config: unknown; paused: boolean }
  const rows = await tx<Row[]>`
    with due as (
      select check_id from heartbeats where advice_look_at <= ${new Date(nowMs)}
      order by advice_look_at limit ${limit} for update skip locked
    ),
    looked as (
      update heartbeats set advice_look_at = ${new Date(nextMs)}
      where check_id in (select check_id from due)
      returning check_id, advised, state
    )
    select looked.check_id as "checkId", checks.account_id as "accountId", checks.name, checks.config,
      checks.paused, ${epochMs(tx, 'checks.valid_from')} as "validFromMs", advised,
      (state ->> 'lastPingAtMs')::float8 as "lastPingAtMs", array(
        select extract(epoch from runs.at) * 1000 from (
          select at from heartbeat_runs where check_id = looked.check_id and outcome <> 'missed'
          order by at desc, id desc limit ${startsMin}) as runs
        order by 1)::float8[] as "startsMs"
    from looked join checks on checks.id = looked.check_id`
  return rows.flatMap(({ config, paused, ...row }) => {
    const stored = toStoredConfig(config, 'heartbeat')
    return paused || stored.type !== 'heartbeat' ? [] : [{ ...row, settings: stored.settings }]
  })
}

/** Notes what was told, so that it is not told again. */
export const noteAdvised = async (tx: Transaction, checkId: string, told: string): Promise<void> => {
  await tx`update heartbeats set advised = array_append(advised, ${told}) where check_id = ${checkId}`
}
