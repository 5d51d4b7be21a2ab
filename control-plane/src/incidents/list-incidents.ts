import { incidentsPageDefault } from '@probe-mesh/contracts/incident/incident'
import type { Incident } from '@probe-mesh/contracts/incident/incident'
import type { RouteInput } from '@probe-mesh/contracts/api/routes'
import { describeIncident } from './incident.ts'
import { inAccount } from '../stores/postgres/in-account.ts'
import { findMembers } from './incident-members-store.ts'
import { findIncidentUpdates } from './incident-updates-store.ts'
import { findIncidents } from './incidents-store.ts'
import type { AccountContext, Caller } from '../operations/context.ts'

/** Incidents of every check, newest first (S-1511). */
export const listIncidents = (
  context: Pick<AccountContext, 'sql'>,
  { accountId }: Pick<Caller, 'accountId'>,
  { query: { limit = incidentsPageDefault } }: RouteInput<'listIncidents'>,
): Promise<{ incidents: Incident[] }> =>
  inAccount(context.sql, accountId, async (tx) => {
    const found = await findIncidents(tx, accountId, limit)
    const ids = found.map(({ id }) => id)
    const updates = await findIncidentUpdates(tx, ids)
    const members = await findMembers(tx, ids)
    return {
      incidents: found.map((incident) =>
        describeIncident(incident, updates.get(incident.id) ?? [], members.get(incident.id) ?? []),
      ),
    }
  })
