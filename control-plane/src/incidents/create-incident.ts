import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { doubleSubmitMs } from '@probe-mesh/contracts/incident/incident'
import type { Incident } from '@probe-mesh/contracts/incident/incident'
import { isRefusal, refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { RouteInput } from '@probe-mesh/contracts/api/routes'
import type { IncidentRecord } from './incident.ts'
import { findSameIncident, insertIncident } from './incidents-store.ts'
import type { AccountContext, Writer } from '../operations/context.ts'
import { lockPageAndCheck } from '../page-record/lock-page-and-check.ts'
import { readIncident } from './read-incident.ts'
import { tellIncidentUpdate } from './tell-incident-update.ts'
import { write } from '../operations/write.ts'

/**
 * Opens an incident with its first update in one transaction, and mails confirmed subscribers (S-1503,
 * S-1504). The same again within a minute, while it is open, is one submission. A
 * region that is neither live nor one of the check's is SV-2001.
 */
export const createIncident = async (
  context: Pick<AccountContext, 'sql' | 'rules' | 'now'>,
  writer: Writer,
  { body: input }: RouteInput<'createIncident'>,
): Promise<Incident | Refusal> => {
  const { accountId } = writer
  const { body, ...said } = input
  const opened = await write(context, writer, noted, async (tx): Promise<Opened | Refusal> => {
    const own = await lockPageAndCheck(tx, accountId, input)
    if (isRefusal(own)) return own
    // what an agent of the account measures is on no status page
    if (own.check.private) return refuse('SV-3002', { message: isPrivate })
    const regions = new Set([...context.rules.regions, ...own.check.regions])
    if (!regions.has(input.region)) return refuseRegion(input.region, [...regions])
    const nowMs = context.now()
    const incident: IncidentRecord = {
      ...said,
      id: uuidv7(nowMs),
      accountId,
      status: 'investigating',
      source: 'manual',
      startedAtMs: nowMs,
      resolvedAtMs: null,
    }
    // the lock of the page makes two of the same, sent at once, one after the other
    const same = await findSameIncident(tx, incident, body, nowMs - doubleSubmitMs)
    if (same !== null) return { incident: await readIncident(tx, same), isNew: false }
    await insertIncident(tx, incident)
    await tellIncidentUpdate(tx, incident, { status: incident.status, body }, nowMs)
    return { incident: await readIncident(tx, incident), isNew: true }
  })
  return isRefusal(opened) ? opened : opened.incident
}

const isPrivate = 'A private check is on no status page, and so in no incident of one.'

type Opened = { incident: Incident; isNew: boolean }

const noted = {
  action: 'createIncident',
  resourceType: 'incident',
  resourceId: ({ incident, isNew }: Opened) => (isNew ? incident.id : null),
  answer: ({ incident }: Opened) => incident,
}

const refuseRegion = (region: string, known: readonly string[]): Refusal => {
  const message = `${region} is neither live nor one of the check's regions: ${known.join(', ')}`
  return refuse('SV-2001', { errors: [{ path: 'region', message }] })
}
