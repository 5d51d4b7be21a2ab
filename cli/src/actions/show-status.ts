import { fail, writeJson } from '../api/failure.ts'
import { readRows } from '../api/check-rows.ts'
import { readDetails } from '../api/named-checks.ts'
import { openApi, type Api } from '../api/open-api.ts'
import type { Action, KeyOptions } from '../command-line/command-spec.ts'
import { checkDetail } from '../show/check-detail.ts'
import { displayOf, type Display } from '../show/display.ts'
import { rowSorts, sortRows } from '../show/sort-rows.ts'
import { statusTable } from '../show/status-table.ts'
import type { CheckDetail } from '@probe-mesh/contracts/check/check'
import type { Incident } from '@probe-mesh/contracts/incident/incident'
import type { MaintenanceWindow } from '@probe-mesh/contracts/maintenance/maintenance'
import type { Result } from '../api/request.ts'
import { wrapWords } from '../show/fit-width.ts'
import { ago, time } from '../show/measures.ts'
import { writeLines } from '../terminal/context.ts'
import { watchStatus, type Watching } from './watch/watch-status.ts'

type StatusOptions = KeyOptions & { watch: boolean; wide: boolean; sort: string | undefined }

/** The status of the account's checks, or of one by region. Exits 0 whatever the status. */
export const showStatus =
  (watching: Watching): Action<StatusOptions> =>
  async (context, options, [name]) => {
    const opened = await openApi(context, options)
    if (!opened.ok) return fail(context, options, opened.failures)
    const { api } = opened
    if (options.watch) return watchStatus(context, api, options, { ...watching, name })
    const { out } = context
    const display = displayOf(out, context.environment)
    if (name === undefined) {
      const listed = await readRows(api)
      if (!listed.ok) return fail(context, options, listed.failures)
      const sort = rowSorts.find((one) => one === options.sort)
      if (options.json) {
        writeJson(out, {
          version: 1,
          checks: sort === undefined ? listed.value : sortRows(listed.value, sort),
        })
        return 0
      }
      const order = { nowMs: context.now(), isWide: options.wide, sort: sort ?? 'status' }
      writeLines(out, statusTable(display, listed.value, order))
      return 0
    }
    const read = await readDetails(api, name)
    if (!read.ok) return fail(context, options, read.failures)
    const known = await readAnnouncements(api, read.value)
    if (!known.ok) return fail(context, options, known.failures)
    if (options.json) writeJson(out, { version: 1, checks: read.value, ...known.value })
    else {
      const shown = read.value.map((check) => [
        ...checkDetail(display, check, context.now()),
        ...announcementLines(display, known.value, check, context.now()),
      ])
      writeLines(
        out,
        shown.flatMap((lines, n) => (n === 0 ? lines : ['', ...lines])),
      )
    }
    return 0
  }

/** What visitors are told about some checks: open incidents and active windows. */
type Announcements = {
  incidents: Incident[]
  maintenanceWindows: (MaintenanceWindow & { checkId: string })[]
}

const readAnnouncements = async (
  api: Api,
  checks: readonly CheckDetail[],
): Promise<Result<Announcements>> => {
  const listed = await api.read('Reading the incidents', (client) =>
    client.call('listIncidents', { query: { limit: 500 } }),
  )
  if (!listed.ok) return listed
  const ids = new Set(checks.map(({ id }) => id))
  const maintenanceWindows: Announcements['maintenanceWindows'] = []
  for (const checkId of ids) {
    const windows = await api.read('Reading the maintenance', (client) =>
      client.call('listMaintenance', { query: { checkId, state: 'active', limit: 100 } }),
    )
    if (!windows.ok) return windows
    maintenanceWindows.push(...windows.value.maintenanceWindows.map((window) => ({ ...window, checkId })))
  }
  const incidents = listed.value.incidents.filter(
    ({ status, checkId, members = [] }) =>
      status !== 'resolved' && (ids.has(checkId) || members.some((member) => ids.has(member.checkId))),
  )
  return { ok: true, value: { incidents, maintenanceWindows } }
}

const announcementLines = (
  display: Display,
  { incidents, maintenanceWindows }: Announcements,
  { id }: CheckDetail,
  nowMs: number,
): string[] => {
  const lines = [
    ...incidents
      .filter(
        ({ checkId, members = [] }) => checkId === id || members.some((member) => member.checkId === id),
      )
      .map(
        ({ title, status, startedAt }) => `Incident, ${status}, opened ${ago(startedAt, nowMs)}: ${title}`,
      ),
    ...maintenanceWindows
      .filter(({ checkId }) => checkId === id)
      .map(({ title, endsAt }) => `Under maintenance until ${time(endsAt)}: ${title}`),
  ]
  return lines.length === 0 ? [] : ['', ...lines.flatMap((line) => wrapWords(display, line))]
}
