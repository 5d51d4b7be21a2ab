import type { EscalationLevel } from '@probe-mesh/contracts/on-call/escalation-policy'
import type { Connection, Transaction } from '../stores/postgres/connect.ts'

/** An escalation policy as it is stored. */
export type PolicyRecord = {
  id: string
  accountId: string
  name: string
  levels: EscalationLevel[]
  repeats: number
  repeatAfterMinutes: number
}

const columns = (db: Connection) => db`
  id, account_id as "accountId", name, levels, repeats, repeat_after_minutes as "repeatAfterMinutes"`

/** The policies of these accounts, by name. */
export const findPolicies = async (db: Connection, accountIds: readonly string[]): Promise<PolicyRecord[]> =>
  await db<PolicyRecord[]>`
    select ${columns(db)} from escalation_policies where account_id = any(${[...accountIds]}::uuid[])
    order by name, id`

/** The policy, locked until the transaction ends. Another account's is null like a missing one. */
export const lockPolicy = async (
  tx: Transaction,
  accountId: string,
  id: string,
): Promise<PolicyRecord | null> => {
  const [row] = await tx<PolicyRecord[]>`
    select ${columns(tx)} from escalation_policies where id = ${id} and account_id = ${accountId} for update`
  return row ?? null
}

export const writePolicy = async (
  tx: Transaction,
  { id, accountId, name, levels, repeats, repeatAfterMinutes }: PolicyRecord,
  nowMs: number,
): Promise<void> => {
  await tx`
    insert into escalation_policies (id, account_id, name, levels, repeats, repeat_after_minutes, created_at)
    values (${id}, ${accountId}, ${name}, ${tx.json(levels)}, ${repeats}, ${repeatAfterMinutes},
      ${new Date(nowMs)})
    on conflict (id) do update set name = excluded.name, levels = excluded.levels,
      repeats = excluded.repeats, repeat_after_minutes = excluded.repeat_after_minutes`
}

/** The names of the alert rules that name a policy. */
export const findRulesOfPolicy = async (tx: Transaction, id: string): Promise<string[]> => {
  const rows = await tx<{ name: string }[]>`
    select name from alert_rules where escalation_id = ${id} order by name`
  return rows.map(({ name }) => name)
}

export const deletePolicy = async (tx: Transaction, id: string): Promise<void> => {
  await tx`delete from escalation_policies where id = ${id}`
}

/** The ids among these that are no members, schedules or channels of the account. */
export const findUnknownTargets = async (
  db: Connection,
  accountId: string,
  levels: readonly EscalationLevel[],
): Promise<Set<string>> => {
  const ids = (key: 'userIds' | 'scheduleIds' | 'channelIds') => levels.flatMap((level) => level[key])
  const rows = await db<{ id: string }[]>`
    (select id from unnest(${ids('userIds')}::uuid[]) as named (id)
      except select id from users where account_id = ${accountId})
    union all
    (select id from unnest(${ids('scheduleIds')}::uuid[]) as named (id)
      except select id from on_call_schedules where account_id = ${accountId})
    union all
    (select id from unnest(${ids('channelIds')}::uuid[]) as named (id)
      except select id from notification_channels where account_id = ${accountId})`
  return new Set(rows.map(({ id }) => id))
}
