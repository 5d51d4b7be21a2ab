import type { CheckDetail } from '@probe-mesh/contracts/check/check'
import type { Incident, IncidentStatus } from '@probe-mesh/contracts/incident/incident'
import type { StatusPage } from '@probe-mesh/contracts/status-page/status-page'
import type { Api } from '../api/open-api.ts'
import type { Result } from '../api/request.ts'
import { showName } from '../plan/show-value.ts'
import { failed, onlyOne } from './find.ts'

/** The status page with a slug, name or id; without one, the only page, or the only one that publishes a check. */
export const findPage = async (
  api: Api,
  given: string | undefined,
  checkId: string | null = null,
): Promise<Result<StatusPage>> => {
  const listed = await api.read('Reading the status pages', (client) => client.call('listStatusPages', {}))
  if (!listed.ok) return listed
  const { statusPages } = listed.value
  if (given !== undefined) return onlyOne('status page', given, statusPages, ({ slug, name }) => [slug, name])
  const [only] = statusPages
  if (only === undefined) return failed('This account has no status page.', 'Create one in the dashboard.')
  if (statusPages.length === 1) return { ok: true, value: only }
  const publishing =
    checkId === null ? { ok: true as const, value: [] } : await publishers(api, statusPages, checkId)
  if (!publishing.ok) return publishing
  const [one] = publishing.value
  if (one !== undefined && publishing.value.length === 1) return { ok: true, value: one }
  const choices = publishing.value.length > 1 ? publishing.value : statusPages
  return failed('Name the status page with --page.', `One of: ${choices.map(({ slug }) => slug).join(', ')}.`)
}

/** One request for each page, of which an account has few. */
const publishers = async (
  api: Api,
  pages: readonly StatusPage[],
  checkId: string,
): Promise<Result<StatusPage[]>> => {
  const found: StatusPage[] = []
  for (const page of pages) {
    const listed = await api.read('Reading the components', (client) =>
      client.call('listComponents', { params: { id: page.id } }),
    )
    if (!listed.ok) return listed
    if (listed.value.components.some((component) => component.checkId === checkId)) found.push(page)
  }
  return { ok: true, value: found }
}

type Opening = {
  check: CheckDetail
  page: string | undefined
  region: string | undefined
  title: string
  body: string
}

/** Opens an incident about a check, in the region that is down unless one is named. */
export const openIncident = async (
  api: Api,
  { check, page: givenPage, region: givenRegion, title, body }: Opening,
): Promise<Result<Incident>> => {
  const region = givenRegion ?? affectedRegion(check)
  if (region === null) {
    return failed(
      'Name the affected region with --region.',
      `Measured from: ${check.regions.join(', ') || 'none'}.`,
    )
  }
  const page = await findPage(api, givenPage, check.id)
  if (!page.ok) return page
  const input = { statusPageId: page.value.id, checkId: check.id, region, title, body }
  return api.write('Opening the incident', (client) => client.call('createIncident', { body: input }))
}

/** The first region that is down, or the only region; null: a person must say it. */
const affectedRegion = ({ regionStatuses, regions }: CheckDetail): string | null => {
  const down = regionStatuses.find(({ status }) => status === 'down')
  return down?.region ?? (regions.length === 1 ? (regions[0] ?? null) : null)
}

/** The incident with an id or title, or the one open incident about a check with that name. */
export const findIncident = async (api: Api, given: string): Promise<Result<Incident>> => {
  const listed = await api.read('Reading the incidents', (client) =>
    client.call('listIncidents', { query: { limit: 500 } }),
  )
  if (!listed.ok) return listed
  const { incidents } = listed.value
  const byId = incidents.find(({ id }) => id === given.toLowerCase())
  if (byId !== undefined) return { ok: true, value: byId }
  const open = incidents.filter(({ status }) => status !== 'resolved')
  if (open.length === 0) return failed('No incident is open.', 'Name a resolved one by its id.')
  const checks = await api.read('Reading the checks', (client) => client.call('listChecks', {}))
  if (!checks.ok) return checks
  const names = new Map(checks.value.checks.map(({ id, name }) => [id, name]))
  return onlyOne('open incident', given, open, ({ title, checkId }) => [title, names.get(checkId) ?? title])
}

/** The update of a resolved incident, unless its author writes one. */
export const resolvedText = 'This incident is resolved.'

export const updateIncident = (
  api: Api,
  incident: Incident,
  update: { status: IncidentStatus; body: string },
): Promise<Result<Incident>> =>
  api.write(`Updating ${showName(incident.title)}`, (client) =>
    client.call('addIncidentUpdate', { params: { id: incident.id }, body: update }),
  )
