import type { MaintenanceWindow } from '@probe-mesh/contracts/maintenance/maintenance'
import type { Api } from '../api/open-api.ts'
import type { Result } from '../api/request.ts'
import { findPage } from './incident.ts'
import { failed, onlyOne } from './find.ts'

type Starting = {
  page: string | undefined
  /** Components by name or id; none: the whole page. */
  components: readonly string[]
  title: string
  body: string
  length: { durationMinutes: number } | { endsAt: string }
}

/** Announces maintenance that starts now. */
export const startMaintenance = async (
  api: Api,
  { page: given, components, title, body, length }: Starting,
): Promise<Result<MaintenanceWindow>> => {
  const page = await findPage(api, given)
  if (!page.ok) return page
  const ids = await componentIds(api, page.value.id, components)
  if (!ids.ok) return ids
  const input = { statusPageId: page.value.id, title, body, ...length }
  return api.write('Starting the maintenance', (client) =>
    client.call('createMaintenance', {
      body: { ...input, ...(ids.value.length === 0 ? {} : { componentIds: ids.value }) },
    }),
  )
}

const componentIds = async (
  api: Api,
  statusPageId: string,
  given: readonly string[],
): Promise<Result<string[]>> => {
  if (given.length === 0) return { ok: true, value: [] }
  const listed = await api.read('Reading the components', (client) =>
    client.call('listComponents', { params: { id: statusPageId } }),
  )
  if (!listed.ok) return listed
  const found = given.map((one) =>
    onlyOne('component', one, listed.value.components, ({ displayName }) => [displayName]),
  )
  const failures = found.flatMap((one) => (one.ok ? [] : one.failures))
  if (failures.length > 0) return { ok: false, failures }
  return { ok: true, value: found.flatMap((one) => (one.ok ? [one.value.id] : [])) }
}

/** Ends the active window with an id or title, or the only active one. */
export const endMaintenance = async (
  api: Api,
  given: string | undefined,
): Promise<Result<MaintenanceWindow>> => {
  const listed = await api.read('Reading the maintenance', (client) =>
    client.call('listMaintenance', { query: { state: 'active', limit: 500 } }),
  )
  if (!listed.ok) return listed
  const { maintenanceWindows } = listed.value
  const [only] = maintenanceWindows
  if (only === undefined) return failed('No maintenance is active.')
  const isOnly = given === undefined && maintenanceWindows.length === 1
  if (given === undefined && !isOnly) {
    const titles = maintenanceWindows.map(({ title }) => title).join(', ')
    return failed(`${maintenanceWindows.length} windows are active: name one by its title or id.`, titles)
  }
  const found = isOnly
    ? { ok: true as const, value: only }
    : onlyOne('active window', given ?? '', maintenanceWindows, ({ title }) => [title])
  if (!found.ok) return found
  return api.write('Ending the maintenance', (client) =>
    client.call('endMaintenance', { params: { id: found.value.id } }),
  )
}

const minutesPer = { m: 1, min: 1, h: 60, d: 1_440 } as const

/** `30m`, `2h`, `1d` in minutes, or null. */
export const minutesOf = (text: string): number | null => {
  const [, number = '', unit = ''] = /^(\d{1,6}) ?(m|min|h|d)$/.exec(text.trim()) ?? []
  const minutes = Number(number) * (minutesPer[unit as keyof typeof minutesPer] ?? 0)
  return minutes > 0 ? minutes : null
}
