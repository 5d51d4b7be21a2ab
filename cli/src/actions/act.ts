import { listMembers } from '@probe-mesh/runtime/headers'
import { IncidentStatus } from '@probe-mesh/contracts/incident/incident'
import { findCheck, readChannels, setPaused, testChannel } from '../acts/check.ts'
import { failed } from '../acts/find.ts'
import { findIncident, openIncident, resolvedText, updateIncident } from '../acts/incident.ts'
import { endMaintenance, minutesOf, startMaintenance } from '../acts/maintenance.ts'
import { readDetail } from '../api/named-checks.ts'
import { mapResult } from '../api/request.ts'
import type { Channel } from '@probe-mesh/contracts/channel/channel'
import type { Action, KeyOptions } from '../command-line/command-spec.ts'
import { showName } from '../plan/show-value.ts'
import { displayOf, type Display } from '../show/display.ts'
import { wrapWords } from '../show/fit-width.ts'
import { time } from '../show/measures.ts'
import { tableLines } from '../show/table.ts'
import { actOn } from './act-on.ts'
import { listMaintenance } from './list-maintenance.ts'

const pausing =
  (paused: boolean): Action<KeyOptions> =>
  (context, options, [given = '']) =>
    actOn(context, options, async (api) => {
      const found = await findCheck(api, given)
      if (!found.ok) return found
      return mapResult(await setPaused(api, found.value, paused), (check) => ({
        json: { check },
        lines: [
          `${showName(check.name)} is ${paused ? 'paused: it is not measured, and no rule alerts on it' : 'measured again'}.`,
        ],
      }))
    })

export const pause = pausing(true)
export const resume = pausing(false)

type IncidentOptions = KeyOptions & {
  page: string | undefined
  region: string | undefined
  title: string | undefined
  body: string | undefined
  status: string | undefined
}

/** Opens, updates or resolves an incident of a status page. */
export const incident: Action<IncidentOptions> = (context, options, [act = '', given = '']) => {
  const { title, body, page, region } = options
  switch (act) {
    case 'open':
      return actOn(context, options, async (api) => {
        if (given === '') return failed('incident open needs the name or id of a check.')
        if (title === undefined) return failed('incident open needs --title.')
        const found = await findCheck(api, given)
        if (!found.ok) return found
        const detail = await readDetail(api, found.value.id)
        if (!detail.ok) return detail
        const asked = { check: detail.value, page, region, title, body: body ?? title }
        return mapResult(await openIncident(api, asked), (opened) => ({
          json: { incident: opened },
          lines: [
            `Opened ${showName(opened.title)} about ${showName(found.value.name)} in ${opened.region ?? '-'}. Its id is ${opened.id}.`,
          ],
        }))
      })
    case 'update':
    case 'resolve':
      return actOn(context, options, async (api) => {
        const status = IncidentStatus.safeParse(act === 'resolve' ? 'resolved' : options.status)
        if (given === '')
          return failed(`incident ${act} needs an incident: its id or title, or the name of its check.`)
        if (!status.success) return failed('incident update needs --status.')
        const text = body ?? (act === 'resolve' ? resolvedText : undefined)
        if (text === undefined) return failed('incident update needs --body.')
        const found = await findIncident(api, given)
        if (!found.ok) return found
        const update = { status: status.data, body: text }
        return mapResult(await updateIncident(api, found.value, update), (updated) => ({
          json: { incident: updated },
          lines: [`${showName(updated.title)} is ${updated.status}.`],
        }))
      })
    default:
      return actOn(context, options, async () =>
        failed(
          `incident has no action ${showName(act)}.`,
          'Use open, update or resolve; `probe-mesh incidents` lists them.',
        ),
      )
  }
}

type MaintenanceOptions = KeyOptions & {
  page: string | undefined
  components: string | undefined
  title: string | undefined
  body: string | undefined
  for: string | undefined
  until: string | undefined
}

/** Starts or ends maintenance of a status page. */
export const maintenance: Action<MaintenanceOptions> = (context, options, [act = 'list', given]) => {
  switch (act) {
    case 'list':
      return listMaintenance(context, options, [])
    case 'start':
      return actOn(context, options, async (api) => {
        const { title, body, until, page } = options
        if (given !== undefined) return failed('maintenance start takes no name: use --page.')
        if (title === undefined) return failed('maintenance start needs --title.')
        if ((options.for === undefined) === (until === undefined)) {
          return failed('maintenance start needs either --for, such as --for 30m, or --until.')
        }
        const minutes = options.for === undefined ? null : minutesOf(options.for)
        if (options.for !== undefined && minutes === null) {
          return failed(`--for: ${JSON.stringify(options.for)} is not a duration such as 30m, 2h or 1d.`)
        }
        const components = listMembers(options.components)
        const length = minutes === null ? { endsAt: until ?? '' } : { durationMinutes: minutes }
        const asked = { page, components, title, body: body ?? title, length }
        return mapResult(await startMaintenance(api, asked), (window) => ({
          json: { window },
          lines: [
            `Maintenance ${showName(window.title)} is ${window.state} until ${time(window.endsAt)}; its alerts are held. Its id is ${window.id}.`,
          ],
        }))
      })
    case 'end':
      return actOn(context, options, async (api) =>
        mapResult(await endMaintenance(api, given), (window) => ({
          json: { window },
          lines: [`Maintenance ${showName(window.title)} is ${window.state}.`],
        })),
      )
    default:
      return actOn(context, options, async () =>
        failed(`maintenance has no action ${showName(act)}.`, 'Use list, start or end.'),
      )
  }
}

/** Tests a channel, or lists the channels. */
export const channel: Action<KeyOptions> = (context, options, [act = 'list', given = '']) =>
  actOn(context, options, async (api) => {
    if (act === 'test') {
      if (given === '') return failed('channel test needs the name or id of a channel.')
      return mapResult(
        await testChannel(api, given),
        ({ channel: tested, delivered, httpStatus, detail }) => ({
          json: { channel: tested, delivered, httpStatus, detail },
          lines: [
            `${showName(tested.name)}: ${delivered ? 'the test message was delivered' : 'the test message failed'}${detail === '' ? '' : `: ${detail}`}`,
          ],
          isBad: !delivered,
        }),
      )
    }
    if (act !== 'list') return failed(`channel has no action ${showName(act)}.`, 'Use list or test.')
    return mapResult(await readChannels(api), (notificationChannels) => ({
      json: { notificationChannels },
      lines: channelTable(displayOf(context.out, context.environment), notificationChannels),
    }))
  })

const channelTable = (display: Display, channels: readonly Channel[]): string[] =>
  channels.length === 0
    ? wrapWords(display, 'This account has no notification channels.')
    : tableLines(
        display,
        [
          { title: 'CHANNEL', min: 10 },
          { title: 'TYPE' },
          { title: 'TESTED' },
          { title: 'ID', dropOrder: 1 },
        ],
        channels.map(({ name, type, verified, id }) => [showName(name), type, verified ? 'yes' : 'no', id]),
      )
