import type { Incident } from '@probe-mesh/contracts/incident/incident'
import { refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { RouteInput } from '@probe-mesh/contracts/api/routes'
import { inAccount } from '../stores/postgres/in-account.ts'
import { findIncident } from './incidents-store.ts'
import type { AccountContext, Caller } from '../operations/context.ts'
import { readIncident } from './read-incident.ts'

/** One incident with its timeline, newest first. */
export const getIncident = (
  context: Pick<AccountContext, 'sql'>,
  { accountId }: Pick<Caller, 'accountId'>,
  { params: { id } }: RouteInput<'getIncident'>,
): Promise<Incident | Refusal> =>
  inAccount(context.sql, accountId, async (tx) => {
    const incident = await findIncident(tx, accountId, id)
    return incident === null ? refuse('SV-3001') : readIncident(tx, incident)
  })
