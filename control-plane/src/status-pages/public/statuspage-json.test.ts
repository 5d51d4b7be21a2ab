import { ComponentState, type StatusPageState } from '@probe-mesh/contracts/status-page/status-page'
import { HeadlineLevel } from '@probe-mesh/contracts/status-page/headline'
import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { describe, expect, test } from 'vitest'
import { stateOf } from '../headline.ts'
import { statuspageDocuments } from './statuspage-json.ts'
import { testPage } from './testing/pages.ts'

const pageIn = (states: readonly ComponentState[]) => {
  const components = states.map((state, n) => ({ id: `${n}`, displayName: '', state }))
  return testPage(states, stateOf({ components, incidents: [], isCovered: false }))
}

describe("a page in Statuspage's format", () => {
  test.each<[ComponentState[], string, string]>([
    [['operational', 'operational'], 'none', 'All Systems Operational'],
    [['operational', 'degraded'], 'minor', 'Degraded Performance'],
    [['operational', 'down'], 'major', 'Partial System Outage'],
    [['down', 'down'], 'critical', 'Major System Outage'],
    [['operational', 'maintenance'], 'maintenance', 'Service Under Maintenance'],
    [['operational', 'no_data'], 'minor', 'No Data for Some Components'],
    [['no_data'], 'minor', 'No Data'],
    [[], 'minor', 'No Data'],
  ])('%j is %s: %s', (states, indicator, description) => {
    const { status } = statuspageDocuments.status(pageIn(states))
    expect(status).toMatchObject({ indicator, description })
  })

  test('missing data is never operational, and x_state has the exact state', () => {
    const states = fc.array(fc.constantFrom(...ComponentState.options), { maxLength: 8 })
    forAll([states], (states) => {
      const { components, status } = statuspageDocuments.summary(pageIn(states))
      components.forEach((component, at) => {
        expect(component.status === 'operational').toBe(states[at] === 'operational')
        expect(component.x_state).toBe(states[at])
      })
      const healthy = states.length > 0 && states.every((state) => state === 'operational')
      expect(status.indicator === 'none').toBe(healthy)
    })
  })

  test('the headline of a posted incident decides over healthy measurements', () => {
    const page = testPage(['operational'], 'operational')
    const statusOf = (level: HeadlineLevel) =>
      statuspageDocuments.status({ ...page, headline: { ...page.headline, level } }).status.indicator
    expect(HeadlineLevel.options.map(statusOf)).toEqual([
      'none',
      'none',
      'minor',
      'maintenance',
      'minor',
      'major',
      'critical',
    ])
  })

  test('groups come before their components, which count their places in the group', () => {
    const page = testPage(['operational', 'down', 'operational', 'degraded'], 'down')
    const components = page.components.map((component, at) => ({
      ...component,
      groupName: at === 1 || at === 2 ? 'Shop' : null,
    }))
    const listed = statuspageDocuments.components({ ...page, components }).components
    const group = listed[1]
    expect(listed.map(({ name, group, position, status }) => [name, group, position, status])).toEqual([
      ['Acme 0', false, 1, 'operational'],
      ['Shop', true, 2, 'major_outage'],
      ['Acme 1', false, 1, 'major_outage'],
      ['Acme 2', false, 2, 'operational'],
      ['Acme 3', false, 3, 'degraded_performance'],
    ])
    expect(group?.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(group).toMatchObject({ components: [components[1]?.id, components[2]?.id] })
    expect(listed.map(({ group_id }) => group_id)).toEqual([null, null, group?.id, group?.id, null])
  })

  test('the summary has open incidents and future windows; the lists have all', () => {
    const page = testPage(['operational'], 'operational')
    const summary = statuspageDocuments.summary(page)
    expect(summary.incidents.map(({ name }) => name)).toEqual(['Acme'])
    expect(statuspageDocuments['incidents/unresolved'](page).incidents).toEqual(summary.incidents)
    expect(statuspageDocuments.incidents(page).incidents).toHaveLength(2)
    expect(summary.scheduled_maintenances).toHaveLength(1)
    expect(statuspageDocuments['scheduled-maintenances/upcoming'](page).scheduled_maintenances).toEqual(
      summary.scheduled_maintenances,
    )
    expect(statuspageDocuments['scheduled-maintenances/active'](page).scheduled_maintenances).toEqual([])
  })

  test.each<[StatusPageState, string]>([
    ['operational', 'scheduled'],
    ['operational', 'active'],
    ['operational', 'ended'],
  ])('a window of a page that is %s may be %s', (state, windowState) => {
    const page = testPage(['operational'], state)
    const windows = page.windows.map((window) => ({ ...window, state: windowState as 'ended' }))
    const [maintenance] = statuspageDocuments['scheduled-maintenances']({
      ...page,
      windows,
    }).scheduled_maintenances
    const statuses = { scheduled: 'scheduled', active: 'in_progress', ended: 'completed' }
    expect(maintenance?.status).toBe(statuses[windowState as 'ended'])
    expect(maintenance?.resolved_at).toBe(windowState === 'ended' ? maintenance?.scheduled_until : null)
  })

  test('an incident names the component that publishes its check', () => {
    const [incident] = statuspageDocuments.incidents(testPage(['down', 'operational'], 'down')).incidents
    expect(incident?.components.map(({ name }) => name)).toEqual(['Acme 0'])
    expect(incident?.incident_updates.map(({ status }) => status)).toEqual(['monitoring', 'investigating'])
    expect(incident?.monitoring_at).toBe(incident?.incident_updates[0]?.created_at)
  })
})
