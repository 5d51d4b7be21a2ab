import { doubleSubmitMs } from '@probe-mesh/contracts/incident/incident'
import type { Incident } from '@probe-mesh/contracts/incident/incident'
import { limits } from '@probe-mesh/contracts/schema/limits'
import { isRefusal, refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { RouteInput } from '@probe-mesh/contracts/api/routes'
import { afterUpdate } from './incident.ts'
import { findSubmission } from './incident-updates-store.ts'
import { isAnotherOpen, lockIncident, updateIncident } from './incidents-store.ts'
import type { AccountContext, Writer } from '../operations/context.ts'
import { readIncident } from './read-incident.ts'
import { tellIncidentUpdate } from './tell-incident-update.ts'
import { write } from '../operations/write.ts'

/**
 * Adds to an incident's timeline: any status after any, and one to a resolved incident opens it again
 * (S-1502) and mails subscribers. The status and body of the latest update, again within a minute, write
 * nothing and mail nobody (S-1505).
 */
export const addIncidentUpdate = async (
  context: Pick<AccountContext, 'sql' | 'now'>,
  writer: Writer,
  { params: { id }, body }: RouteInput<'addIncidentUpdate'>,
): Promise<Incident | Refusal> => {
  try {
    const said = await write(context, writer, noted, async (tx): Promise<Said | Refusal> => {
      const incident = await lockIncident(tx, writer.accountId, id)
      if (incident === null) return refuse('SV-3001')
      const nowMs = context.now()
      const submission = { ...body, incidentId: id }
      const known = await findSubmission(tx, submission, nowMs - doubleSubmitMs)
      if (known.isRepeated) return { incident: await readIncident(tx, incident), isNew: false }
      if (known.updates >= limits.incidentUpdatesMax) return refuseLong
      const next = afterUpdate(incident, { status: body.status, createdAtMs: nowMs })
      await updateIncident(tx, next)
      await tellIncidentUpdate(tx, next, body, nowMs)
      return { incident: await readIncident(tx, next), isNew: true }
    })
    return isRefusal(said) ? said : said.incident
  } catch (error) {
    if (!isAnotherOpen(error)) throw error
    return refuse('SV-3002', {
      message: 'This check has a newer automatic incident open on the page. Write to that one.',
    })
  }
}

type Said = { incident: Incident; isNew: boolean }

const noted = {
  action: 'addIncidentUpdate',
  resourceType: 'incident',
  resourceId: ({ incident, isNew }: Said) => (isNew ? incident.id : null),
  answer: ({ incident }: Said) => incident,
}

const refuseLong = refuse('SV-3002', {
  message: `The incident has ${limits.incidentUpdatesMax} updates, which is the most. Open another one.`,
})
