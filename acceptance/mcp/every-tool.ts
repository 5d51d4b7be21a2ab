import type { System } from './system.ts'

/** Any client of the gateway. */
export type Client = {
  list(): Promise<string[]>
  call(name: string, args: Record<string, unknown>): Promise<Called>
  close(): Promise<void>
}
export type Called = { isError: boolean; text: string; structured: unknown }

/** A call, and the expected part of its answer. */
export type Step = {
  name: string
  args: Record<string, unknown>
  expected: object | null
}

const service = { service: 'here' }
const ofService = { service: { slug: 'local' }, status: 'up', freshness: { verdict: 'fresh' } }

/** The seven outage tools with a measured service. */
export const outageSteps: readonly Step[] = [
  { name: 'is_service_down', args: service, expected: ofService },
  { name: 'get_regional_readings', args: service, expected: ofService },
  { name: 'get_report_volume', args: service, expected: ofService },
  { name: 'list_recent_incidents', args: service, expected: ofService },
  {
    name: 'get_stack',
    args: { stack: 'here' },
    expected: { summary: '0 of 1 services down or degraded' },
  },
  { name: 'internet_weather', args: {}, expected: { vantage: 'local' } },
  { name: 'is_the_internet_down', args: {}, expected: { status: 'none' } },
]

/** Calls every tool once, with a real effect. @returns the names of the called tools */
export const callEveryTool = async (
  { target, statusPageId, errorProjectId, errorIssueId }: System,
  call: (step: Step) => Promise<unknown>,
): Promise<string[]> => {
  const called: string[] = []
  const step = async (name: string, args: Record<string, unknown>, expected: object | null) => {
    called.push(name)
    return (await call({ name, args, expected })) as { id: string }
  }
  for (const { name, args, expected } of outageSteps) await step(name, args, expected)
  const url = target.url('/checked')
  const { id: checkId } = await step('create_check', { name: 'By a tool', url }, { url })
  await step('list_checks', {}, { checks: [{ id: checkId }] })
  await step('get_check_status', { checkId }, { id: checkId })
  await step('list_heartbeat_runs', { checkId, limit: 5 }, { runs: [] })
  await step('update_check_regions', { checkId, regions: ['fra'] }, { regions: ['fra'] })
  const assertions = { assertionStatusMin: 200, assertionStatusMax: 299 }
  await step('update_check_assertions', { checkId, ...assertions }, assertions)
  await step('list_status_pages', {}, { statusPages: [{ id: statusPageId }] })
  const texts = { title: 'It is slow', body: 'We look into it.' }
  const incident = { statusPageId, checkId, region: 'fra', ...texts }
  const { id: incidentId } = await step('create_incident', incident, { status: 'investigating' })
  const update = { incidentId, status: 'resolved', body: 'It is fast again.' }
  await step('add_incident_update', update, { status: 'resolved' })
  await step('list_incidents', { limit: 1 }, { incidents: [{ id: incidentId }] })
  await step('get_active_maintenance_window', { statusPageId }, null)
  const window = { statusPageId, durationMinutes: 5, ...texts }
  const { id: windowId } = await step('create_maintenance_window', window, { state: 'active' })
  await step('end_maintenance_window', { windowId }, { state: 'ended' })
  await step('list_error_projects', {}, { projects: [{ id: errorProjectId }] })
  await step('list_error_issues', { projectId: errorProjectId }, { total: 1, complete: true })
  await step('get_error_issue', { issueId: errorIssueId }, { id: errorIssueId })
  await step('delete_check', { checkId }, { id: checkId, deleted: true })
  return called
}
