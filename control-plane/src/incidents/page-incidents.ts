import { doubleSubmitMs, type Incident } from '@probe-mesh/contracts/incident/incident'
import type {
  CreatePageIncidentInput,
  UpdatePageIncidentInput,
} from '@probe-mesh/contracts/incident/page-incidents'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { limits } from '@probe-mesh/contracts/schema/limits'
import { isRefusal, refuse, type FieldProblem, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import { changed } from '@probe-mesh/runtime/changed'
import { findComponents } from '../records/status-page/components-store.ts'
import { lockStatusPage } from '../records/status-page/status-pages-store.ts'
import type { AccountContext, Writer } from '../accounts/operations/context.ts'
import { write } from '../accounts/operations/write.ts'
import type { Transaction } from '../stores/postgres/connect.ts'
import { afterUpdate, type IncidentRecord } from './incident.ts'
import { holdChecks, writeNamedChecks } from './incident-components-store.ts'
import { findSubmission } from './incident-updates-store.ts'
import {
  auditEntry,
  readIncident,
  refuseAnotherOpen,
  refuseLong,
  writeIncidentUpdate,
  type Written,
} from './incidents.ts'
import {
  findIncident,
  findSameIncident,
  insertIncident,
  isAnotherOpen,
  lockIncident,
  updateIncident,
} from './incidents-store.ts'

/**
 * Opens an incident about components of a page, with the impact that its author chose, and mails confirmed
 * subscribers. A repeat within a minute counts as the same submission. SV-3001: not a page of the account;
 * SV-2001: not a component of the page.
 */
export const createPageIncident = async (
  context: Pick<AccountContext, 'sql' | 'now'>,
  writer: Writer,
  { params: { id: statusPageId }, body: input }: { params: { id: string }; body: CreatePageIncidentInput },
): Promise<Incident | Refusal> => {
  const { accountId } = writer
  const { componentIds, impact, title, status, body } = input
  const opened = await write(
    context,
    writer,
    auditEntry('createPageIncident'),
    async (tx): Promise<Written | Refusal> => {
      const checkIds = await lockChecksOf(tx, { accountId, statusPageId, componentIds })
      if (isRefusal(checkIds)) return checkIds
      const nowMs = context.now()
      const incident: IncidentRecord = {
        id: uuidv7(nowMs),
        accountId,
        statusPageId,
        checkId: checkIds[0] ?? '',
        region: null,
        title,
        status,
        source: 'manual',
        measuredImpact: null,
        postedImpact: impact,
        startedAtMs: nowMs,
        resolvedAtMs: null,
      }
      const same = await findSameIncident(tx, incident, body, nowMs - doubleSubmitMs)
      if (same !== null) return { incident: await readIncident(tx, same), isNew: false }
      await insertIncident(tx, incident)
      await writeNamedChecks(tx, incident, checkIds)
      await writeIncidentUpdate(tx, incident, { status, body }, nowMs)
      return { incident: await readIncident(tx, incident), isNew: true }
    },
  )
  return isRefusal(opened) ? opened : opened.incident
}

/**
 * Adds an update to an incident, can change its title, impact or components, and mails subscribers. A repeat
 * of the latest update within a minute changes the incident and adds nothing (S-1505).
 */
export const updatePageIncident = async (
  context: Pick<AccountContext, 'sql' | 'now'>,
  writer: Writer,
  { params: { id }, body: input }: { params: { id: string }; body: UpdatePageIncidentInput },
): Promise<Incident | Refusal> => {
  const { accountId } = writer
  const { status, body, title, impact, componentIds } = input
  try {
    const written = await write(
      context,
      writer,
      auditEntry('updatePageIncident'),
      async (tx): Promise<Written | Refusal> => {
        const known = await findIncident(tx, accountId, id)
        if (known === null) return refuse('SV-3001')
        const checkIds =
          componentIds === undefined
            ? null
            : await lockChecksOf(tx, { accountId, statusPageId: known.statusPageId, componentIds })
        if (isRefusal(checkIds)) return checkIds
        const incident = await lockIncident(tx, accountId, id)
        if (incident === null) return refuse('SV-3001')
        const nowMs = context.now()
        const submission = { status, body, incidentId: id }
        const { isRepeated, updates } = await findSubmission(tx, submission, nowMs - doubleSubmitMs)
        if (!isRepeated && updates >= limits.incidentUpdatesMax) return refuseLong
        // the checks of an automatic incident are measured, so it keeps the one that it belongs to
        const checkId = incident.source === 'manual' ? checkIds?.[0] : undefined
        const next = afterUpdate(changed(incident, { title, postedImpact: impact, checkId }), {
          status,
          createdAtMs: nowMs,
        })
        await updateIncident(tx, next)
        if (checkIds !== null) await writeNamedChecks(tx, next, checkIds)
        if (!isRepeated) await writeIncidentUpdate(tx, next, { status, body }, nowMs)
        return { incident: await readIncident(tx, next), isNew: true }
      },
    )
    return isRefusal(written) ? written : written.incident
  } catch (error) {
    if (!isAnotherOpen(error)) throw error
    return refuseAnotherOpen
  }
}

/**
 * The checks of these components, locked with their page, so that neither is deleted before the transaction
 * ends. Checks are locked first, as by `lockPageAndCheck`.
 */
const lockChecksOf = async (
  tx: Transaction,
  of: { accountId: string; statusPageId: string; componentIds: readonly string[] },
): Promise<string[] | Refusal> => {
  const before = await findComponents(tx, [of.statusPageId])
  const named = new Set(of.componentIds)
  await holdChecks(
    tx,
    before.filter(({ id }) => named.has(id)).map(({ checkId }) => checkId),
  )
  if ((await lockStatusPage(tx, of.accountId, of.statusPageId)) === null) return refuse('SV-3001')
  const checks = new Map((await findComponents(tx, [of.statusPageId])).map((one) => [one.id, one.checkId]))
  const errors = of.componentIds.flatMap((id, at): FieldProblem[] =>
    checks.has(id)
      ? []
      : [{ path: `componentIds[${at}]`, message: 'is not a component of this status page' }],
  )
  if (errors.length > 0) return refuse('SV-2001', { errors })
  return of.componentIds.flatMap((id) => checks.get(id) ?? [])
}
