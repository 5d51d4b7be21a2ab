import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import type { Transaction } from '../stores/postgres/connect.ts'
import type { ReachedLevel } from './escalation.ts'

export type EscalationRecord = ReachedLevel & { accountId: string; checkId: string; policy: string }

/** Notes which levels were reached, for the timeline of the outage. */
export const insertEscalations = async (
  tx: Transaction,
  records: readonly EscalationRecord[],
  nowMs: number,
): Promise<void> => {
  if (records.length === 0) return
  const rows = records.map(({ accountId, checkId, policy, level, round, receiverIds, gaps }) => ({
    id: uuidv7(nowMs),
    account_id: accountId,
    check_id: checkId,
    policy,
    level: level + 1,
    round: round + 1,
    receivers: receiverIds.length,
    gaps,
  }))
  await tx`
    insert into alert_escalations (id, account_id, check_id, policy, level, round, receivers, gaps, at)
    select id, account_id, check_id, policy, level, round, receivers,
      array(select jsonb_array_elements_text(gaps)), ${new Date(nowMs)}
    from jsonb_to_recordset(${tx.json(rows)}) as r (id uuid, account_id uuid, check_id uuid, policy text,
      level integer, round integer, receivers integer, gaps jsonb)`
}
