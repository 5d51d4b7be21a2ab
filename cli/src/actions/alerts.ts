import { snoozeMinutesMax, type Alert } from '@probe-mesh/contracts/open-alert/open-alert'
import { failed, onlyOne } from '../acts/find.ts'
import { minutesOf } from '../acts/maintenance.ts'
import type { Api } from '../api/open-api.ts'
import { mapResult, type Result } from '../api/request.ts'
import type { Action, KeyOptions } from '../command-line/command-spec.ts'
import { showName } from '../plan/show-value.ts'
import { displayOf, type Display } from '../show/display.ts'
import { duration, none, time } from '../show/measures.ts'
import { tableLines, type Column } from '../show/table.ts'
import { actOn } from './act-on.ts'

type AlertsOptions = KeyOptions & { for: string | undefined; until: string | undefined }

/** Lists open alerts, or acknowledges, snoozes or ends one. */
export const alerts: Action<AlertsOptions> = (context, options, [act = 'list', given]) =>
  actOn(context, options, async (api) => {
    if (act !== 'list' && act !== 'ack' && act !== 'snooze' && act !== 'resolve') {
      return failed(`alerts has no action ${showName(act)}.`, 'Use list, ack, snooze or resolve.')
    }
    const extra = notTaken(act, options, given)
    if (extra.length > 0)
      return failed(`alerts ${act} does not take ${extra.join(', ')}.`, 'Nothing was done.')
    if (act === 'list') {
      return mapResult(await readAlerts(api), (open) => ({
        json: { alerts: open },
        lines: alertTable(displayOf(context.out, context.environment), open, context.now()),
      }))
    }
    if (given === undefined)
      return failed(`alerts ${act} needs the name or id of a check, or the id of an alert.`)
    const body = act === 'snooze' ? snoozeBody(options) : null
    if (body !== null && !body.ok) return body
    const open = await readAlerts(api)
    if (!open.ok) return open
    const found = findAlert(open.value, given)
    if (!found.ok) return found
    const params = { id: found.value.id }
    const name = showName(found.value.checkName)
    const acted = await api.write(`${doing[act]} the alert on ${name}`, (client) => {
      if (body !== null) return client.call('snoozeAlert', { params, body: body.value })
      return client.call(act === 'ack' ? 'acknowledgeAlert' : 'resolveAlert', { params })
    })
    return mapResult(acted, (alert) => ({
      json: { alert },
      lines: [`The alert on ${name} is ${takenText(alert)}.`],
    }))
  })

/** What was given that an action would ignore. */
const notTaken = (act: string, options: AlertsOptions, given: string | undefined): string[] => [
  ...(act === 'list' && given !== undefined ? [showName(given)] : []),
  ...(act !== 'snooze' && options.for !== undefined ? ['--for'] : []),
  ...(act !== 'snooze' && options.until !== undefined ? ['--until'] : []),
]

const doing = { ack: 'Acknowledging', snooze: 'Snoozing', resolve: 'Ending' } as const

/** Far more than a person reads. */
const pagesMax = 20

const readAlerts = async (api: Api): Promise<Result<Alert[]>> => {
  const all: Alert[] = []
  let cursor: string | null = null
  for (let page = 0; page < pagesMax; page++) {
    const query: { limit: number; cursor?: string } = { limit: 500, ...(cursor === null ? {} : { cursor }) }
    const read = await api.read('Reading the alerts', (client) => client.call('listAlerts', { query }))
    if (!read.ok) return read
    all.push(...read.value.alerts)
    cursor = read.value.nextCursor ?? null
    if (cursor === null) break
  }
  return { ok: true, value: all }
}

/** An alert by its id, or by the id or name of its check. */
const findAlert = (open: readonly Alert[], given: string): Result<Alert> => {
  const wanted = given.toLowerCase()
  const byId = open.find(({ id, checkId }) => id === wanted || checkId === wanted)
  return byId === undefined
    ? onlyOne(
        'open alert',
        given,
        open,
        ({ checkName }) => [checkName],
        ({ id, since, status }) => `${id} (${status}, since ${time(since)})`,
      )
    : { ok: true, value: byId }
}

const snoozeBody = (options: AlertsOptions): Result<{ minutes: number } | { until: string }> => {
  if ((options.for === undefined) === (options.until === undefined)) {
    return failed('alerts snooze needs either --for, such as --for 4h, or --until.')
  }
  if (options.until !== undefined) return { ok: true, value: { until: options.until } }
  const minutes = minutesOf(options.for ?? '')
  if (minutes === null) {
    return failed(`--for: ${JSON.stringify(options.for)} is not a duration such as 30m, 2h or 1d.`)
  }
  if (minutes > snoozeMinutesMax) return failed(`--for: at most ${snoozeMinutesMax / 1_440} days.`)
  return { ok: true, value: { minutes } }
}

const columns: readonly Column[] = [
  { title: 'CHECK', min: 10 },
  { title: 'STATUS' },
  { title: 'FOR', align: 'right' },
  { title: 'TAKEN', min: 16 },
  { title: 'REMINDERS', align: 'right', dropOrder: 2 },
  { title: 'REASON', min: 12, dropOrder: 1 },
]

export const alertTable = (display: Display, open: readonly Alert[], nowMs: number): string[] =>
  open.length === 0
    ? ['No alert is open.']
    : tableLines(
        display,
        columns,
        open.map((alert) => [
          showName(alert.checkName),
          alert.status,
          duration((nowMs - Date.parse(alert.since)) / 1000),
          takenText(alert),
          String(alert.reminders),
          alert.reason ?? none,
        ]),
      )

const takenText = (alert: Alert): string => {
  if (alert.resolvedBy !== null) return `ended by ${alert.resolvedBy}`
  const snoozed = alert.snoozedUntil === null ? [] : [`snoozed until ${time(alert.snoozedUntil)}`]
  const taken = alert.acknowledgedBy === null ? [] : [`acknowledged by ${alert.acknowledgedBy}`]
  return [...taken, ...snoozed].join(', ') || 'not acknowledged'
}
