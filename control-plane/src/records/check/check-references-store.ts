import type { Transaction } from '../../stores/postgres/connect.ts'

/**
 * The tables with a reference to a check that follow it to the check that replaces it: what is published, and what
 * people were told and wait for. An open alert and an open incident end when the new check is up.
 */
export const movedWithCheck = [
  'components',
  'incidents',
  'incident_components',
  'incident_members',
  'alerts',
  'alerted_checks',
  'alert_messages',
  'carried_messages',
  'check_notes',
  'check_parents',
  'objectives',
] as const

/** The tables that go with the old check: its configuration, state and history. */
export const lostWithCheck = [
  'alert_acts',
  'alert_cursors',
  'alert_escalations',
  'check_certificates',
  'check_domains',
  'check_providers',
  'check_revisions',
  'check_states',
  'deleted_checks',
  'expiry_alerts',
  'flips',
  'heartbeat_runs',
  'heartbeats',
  'held_failures',
  'outages',
  'private_agent_runs',
] as const

/** Lets all that refers to a check of an account refer to the one that replaces it. */
export const moveReferences = async (
  tx: Transaction,
  { accountId, from, to }: { accountId: string; from: string; to: string },
): Promise<void> => {
  for (const table of movedWithCheck) {
    await tx`update ${tx(table)} set check_id = ${to} where check_id = ${from} and account_id = ${accountId}`
  }
  await tx`update check_parents set parent_id = ${to} where parent_id = ${from} and account_id = ${accountId}`
  await tx`
    update alert_rules set check_ids = array_replace(check_ids, ${from}::uuid, ${to}::uuid)
    where account_id = ${accountId} and ${from}::uuid = any(check_ids)`
}
