import {
  incidentsPageDefault,
  doubleSubmitMs,
  type Incident,
  type AddIncidentUpdateInput,
  type IncidentImpact,
} from '@probe-mesh/contracts/incident/incident'
import type { RouteInput } from '@probe-mesh/contracts/api/routes'
import {
  describeIncident,
  afterUpdate,
  incidentEvent,
  type IncidentRecord,
  type IncidentUpdateRecord,
} from './incident.ts'
import { inAccount } from '../stores/postgres/in-account.ts'
import { impactAtOpening } from './impact.ts'
import { findAffected } from './incident-components-store.ts'
import { findMembers } from './incident-members-store.ts'
import { findIncidentUpdates, findSubmission, insertIncidentUpdate } from './incident-updates-store.ts'
import {
  findIncidents,
  findIncident,
  findSameIncident,
  insertIncident,
  isAnotherOpen,
  lockIncident,
  updateIncident,
} from './incidents-store.ts'
import type { AccountContext, Caller, Writer } from '../accounts/operations/context.ts'
import { refuse, isRefusal, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import type { PublishedCheck } from '../records/status-page/page-record.ts'
import { findComponents } from '../records/status-page/components-store.ts'
import { lockPageAndCheck } from '../records/status-page/lock-page-and-check.ts'
import { cutPage, refuseCursor, timeCursor } from '../accounts/operations/page-of.ts'
import { write } from '../accounts/operations/write.ts'
import { limits } from '@probe-mesh/contracts/schema/limits'
import type { Transaction, Connection } from '../stores/postgres/connect.ts'
import { insertOutbox } from '../stores/outbox-store.ts'

/** Incidents of every check, newest first (S-1511). */
export const listIncidents = async (
  context: Pick<AccountContext, 'sql'>,
  { accountId }: Pick<Caller, 'accountId'>,
  { query }: RouteInput<'listIncidents'>,
): Promise<{ incidents: Incident[]; nextCursor: string | null } | Refusal> => {
  const { limit = incidentsPageDefault, cursor } = query
  const after = cursor === undefined ? undefined : timeCursor.parse(cursor)
  if (after === null) return refuseCursor
  return inAccount(context.sql, accountId, async (tx) => {
    const found = await findIncidents(tx, accountId, { ...query, limit: limit + 1, after })
    const { entries, next } = cutPage(found, limit, ({ startedAtMs, id }) =>
      timeCursor.format([startedAtMs, id]),
    )
    return { incidents: await readIncidents(tx, entries), nextCursor: next }
  })
}

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

/**
 * Opens an incident with its first update in one transaction, and mails confirmed subscribers (S-1503,
 * S-1504). A repeat within a minute, while the incident is open, counts as the same submission. Its impact is
 * the measured one (S-1512). A region that is neither live nor one of the check's is SV-2001.
 */
export const createIncident = async (
  context: Pick<AccountContext, 'sql' | 'rules' | 'now'>,
  writer: Writer,
  { body: input }: RouteInput<'createIncident'>,
): Promise<Incident | Refusal> => {
  const { accountId } = writer
  const { body, ...details } = input
  const opened = await write(
    context,
    writer,
    auditEntry('createIncident'),
    async (tx): Promise<Written | Refusal> => {
      const own = await lockPageAndCheck(tx, accountId, input)
      if (isRefusal(own)) return own
      // checks of private agents are on no status page
      if (own.check.private) return refuse('SV-3002', { message: isPrivate })
      const regions = new Set([...context.rules.regions, ...own.check.regions])
      if (!regions.has(input.region)) return refuseRegion(input.region, [...regions])
      const nowMs = context.now()
      const incident: IncidentRecord = {
        ...details,
        id: uuidv7(nowMs),
        accountId,
        status: 'investigating',
        source: 'manual',
        measuredImpact: await measureImpact(tx, input.statusPageId, own.check),
        postedImpact: null,
        startedAtMs: nowMs,
        resolvedAtMs: null,
      }
      // the lock of the page serialises repeats that arrive at the same time
      const same = await findSameIncident(tx, incident, body, nowMs - doubleSubmitMs)
      if (same !== null) return { incident: await readIncident(tx, same), isNew: false }
      await insertIncident(tx, incident)
      await writeIncidentUpdate(tx, incident, { status: incident.status, body }, nowMs)
      return { incident: await readIncident(tx, incident), isNew: true }
    },
  )
  return isRefusal(opened) ? opened : opened.incident
}

const measureImpact = async (
  tx: Transaction,
  statusPageId: string,
  { id, state }: { id: string } & Pick<PublishedCheck, 'state'>,
): Promise<IncidentImpact> => {
  const published = await findComponents(tx, [statusPageId])
  return impactAtOpening(
    { id, status: state.status },
    published.map(({ checkId, check }) => ({ id: checkId, status: check.state.status })),
  )
}

const isPrivate = 'Private checks are not on status pages, so they have no incidents.'

/** `isNew`: false for a repeated submission, which writes nothing. */
export type Written = { incident: Incident; isNew: boolean }

export const auditEntry = (action: string) => ({
  action,
  resourceType: 'incident',
  resourceId: ({ incident, isNew }: Written) => (isNew ? incident.id : null),
  answer: ({ incident }: Written) => incident,
})

const refuseRegion = (region: string, known: readonly string[]): Refusal => {
  const message = `${region} is neither live nor one of the check's regions: ${known.join(', ')}`
  return refuse('SV-2001', { errors: [{ path: 'region', message }] })
}

/**
 * Adds an update to an incident and mails subscribers. Any status may follow any; an update to a resolved
 * incident reopens it (S-1502). A repeat of the latest update within a minute writes nothing and sends no
 * mail (S-1505).
 */
export const addIncidentUpdate = async (
  context: Pick<AccountContext, 'sql' | 'now'>,
  writer: Writer,
  { params: { id }, body }: RouteInput<'addIncidentUpdate'>,
): Promise<Incident | Refusal> => {
  try {
    const written = await write(
      context,
      writer,
      auditEntry('addIncidentUpdate'),
      async (tx): Promise<Written | Refusal> => {
        const incident = await lockIncident(tx, writer.accountId, id)
        if (incident === null) return refuse('SV-3001')
        const nowMs = context.now()
        const submission = { ...body, incidentId: id }
        const known = await findSubmission(tx, submission, nowMs - doubleSubmitMs)
        if (known.isRepeated) return { incident: await readIncident(tx, incident), isNew: false }
        if (known.updates >= limits.incidentUpdatesMax) return refuseLong
        const next = afterUpdate(incident, { status: body.status, createdAtMs: nowMs })
        await updateIncident(tx, next)
        await writeIncidentUpdate(tx, next, body, nowMs)
        return { incident: await readIncident(tx, next), isNew: true }
      },
    )
    return isRefusal(written) ? written : written.incident
  } catch (error) {
    if (!isAnotherOpen(error)) throw error
    return refuseAnotherOpen
  }
}

export const refuseAnotherOpen = refuse('SV-3002', {
  message: 'This check has a newer automatic incident open on the page. Update that one.',
})

export const refuseLong = refuse('SV-3002', {
  message: `The limit of ${limits.incidentUpdatesMax} updates for one incident is reached. Open another incident.`,
})

/**
 * Writes the update of a person, with the mail to the page's subscribers and the event for streams, in the
 * transaction of the incident.
 * @param incident as the update leaves it
 */
export const writeIncidentUpdate = async (
  tx: Transaction,
  incident: IncidentRecord,
  { status, body }: AddIncidentUpdateInput,
  nowMs: number,
): Promise<void> => {
  const update: IncidentUpdateRecord = {
    id: uuidv7(nowMs),
    incidentId: incident.id,
    status,
    body,
    createdAtMs: nowMs,
  }
  await insertIncidentUpdate(tx, incident.accountId, update)
  await insertOutbox(tx, 'mail', { about: 'incident_update', id: update.id }, nowMs)
  await insertOutbox(tx, 'incident', incidentEvent(incident, update), nowMs)
}

/** Incidents with their timelines and members. */
const readIncidents = async (db: Connection, incidents: readonly IncidentRecord[]): Promise<Incident[]> => {
  const ids = incidents.map(({ id }) => id)
  const updates = await findIncidentUpdates(db, ids)
  const members = await findMembers(db, ids)
  const affected = await findAffected(db, ids)
  return incidents.map((incident) =>
    describeIncident(incident, {
      updates: updates.get(incident.id),
      members: members.get(incident.id),
      componentIds: affected.get(incident.id),
    }),
  )
}

export const readIncident = async (db: Connection, incident: IncidentRecord): Promise<Incident> => {
  const [read] = await readIncidents(db, [incident])
  if (read === undefined) throw new Error('an incident was not read')
  return read
}
