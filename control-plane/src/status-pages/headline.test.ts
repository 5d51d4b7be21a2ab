import { IncidentImpact } from '@probe-mesh/contracts/incident/incident'
import { HeadlineLevel } from '@probe-mesh/contracts/status-page/headline'
import { ComponentState, type StatusPageState } from '@probe-mesh/contracts/status-page/status-page'
import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { describe, expect, test } from 'vitest'
import { pageHeadline, stateOf, type OpenIncident, type PageFacts } from './headline.ts'
import { worstFirst } from './page-state.ts'

const pageOf = (
  states: readonly ComponentState[],
  incidents: readonly OpenIncident[] = [],
  isCovered = false,
): PageFacts => ({
  components: states.map((state, n) => ({ id: `c${n}`, displayName: `Part ${n}`, state })),
  incidents,
  isCovered,
})
const incidentOf = (
  impact: IncidentImpact,
  source: 'manual' | 'automatic' = 'manual',
  componentIds: readonly string[] = ['c0'],
): OpenIncident => ({ id: `${source} ${impact}`, title: 'Slow checkout', source, impact, componentIds })

const headline = (facts: PageFacts) => pageHeadline(facts, 'en')
const rank = (level: HeadlineLevel): number => HeadlineLevel.options.indexOf(level)

describe('the headline of measurements', () => {
  test.each<[ComponentState[], HeadlineLevel, string, string[]]>([
    [[], 'no_data', 'Nothing is published here yet', []],
    [['operational', 'operational'], 'operational', 'All systems operational', []],
    [['operational', 'down'], 'partial_outage', 'Partial outage: Part 1', ['c1']],
    [['down', 'down'], 'major_outage', 'Major outage', ['c0', 'c1']],
    [['down', 'degraded'], 'partial_outage', 'Partial outage: Part 0', ['c0']],
    [['operational', 'degraded', 'maintenance'], 'degraded', 'Degraded performance: Part 1', ['c1']],
    [['operational', 'maintenance'], 'maintenance', 'Maintenance in progress: Part 1', ['c1']],
    [['no_data', 'no_data'], 'no_data', 'No current data', ['c0', 'c1']],
    [
      ['no_data', 'no_data', 'operational'],
      'no_data',
      'All measured systems operational. No current data for 2 components.',
      ['c0', 'c1'],
    ],
    [
      ['operational', 'no_data', 'operational'],
      'no_data',
      'All measured systems operational. No current data for 1 component.',
      ['c1'],
    ],
    [
      ['operational', 'no_data', 'degraded'],
      'degraded',
      'Degraded performance: Part 2. No current data for 1 component.',
      ['c2'],
    ],
  ])('%j is %s: %s', (states, level, text, componentIds) => {
    expect(headline(pageOf(states))).toMatchObject({ level, text, componentIds, incidentId: null })
  })

  test('is maintenance while a window covers the whole page', () => {
    expect(headline(pageOf(['maintenance', 'maintenance'], [], true))).toMatchObject({
      level: 'maintenance',
      text: 'Maintenance in progress',
    })
  })
})

describe('an open incident', () => {
  test.each<[IncidentImpact, HeadlineLevel, string]>([
    ['none', 'notice', 'Notice: Slow checkout'],
    ['minor', 'degraded', 'Degraded performance: Slow checkout'],
    ['major', 'partial_outage', 'Partial outage: Slow checkout'],
    ['critical', 'major_outage', 'Major outage: Slow checkout'],
  ])('of impact %s decides over healthy measurements: %s', (impact, level, text) => {
    expect(headline(pageOf(['operational'], [incidentOf(impact)]))).toEqual({
      level,
      text,
      language: 'en',
      incidentId: `manual ${impact}`,
      componentIds: ['c0'],
      unmeasured: 0,
    })
  })

  test('does not hide a worse outage', () => {
    expect(headline(pageOf(['operational', 'down'], [incidentOf('minor')]))).toMatchObject({
      level: 'partial_outage',
      incidentId: null,
      componentIds: ['c1'],
    })
  })

  test('posted by a person decides if it is as bad as the measurements; a measured one does not', () => {
    const facts = (source: 'manual' | 'automatic') =>
      pageOf(['down', 'operational'], [incidentOf('major', source)])
    expect(headline(facts('manual')).text).toBe('Partial outage: Slow checkout')
    expect(headline(facts('automatic')).text).toBe('Partial outage: Part 0')
  })

  test('decides during maintenance if a person posted it, and not if maintenance covers the measured ones', () => {
    const posted = pageOf(['maintenance'], [incidentOf('minor')], true)
    expect(headline(posted)).toMatchObject({ level: 'degraded', incidentId: 'manual minor' })
    expect(stateOf(posted)).toBe('degraded')
    const measured = pageOf(['maintenance', 'operational'], [incidentOf('major', 'automatic')])
    expect(headline(measured)).toMatchObject({ level: 'maintenance', incidentId: null })
    expect(stateOf(measured)).toBe('maintenance')
  })

  test('that was measured still counts when its component is no longer measured', () => {
    const silent = pageOf(['no_data', 'operational'], [incidentOf('major', 'automatic')])
    expect(headline(silent)).toMatchObject({ level: 'partial_outage', incidentId: 'automatic major' })
  })
})

test('the headline is in the language of the page, and in English without a translation', () => {
  const facts = pageOf(['operational', 'down', 'no_data'])
  expect(pageHeadline(facts, 'de-AT')).toMatchObject({
    text: 'Teilausfall: Part 1. Keine aktuellen Daten für 1 Komponente.',
    language: 'de',
  })
  expect(pageHeadline(facts, 'pt-BR')).toMatchObject({ language: 'en' })
})

describe('for any content of a page', () => {
  const state = fc.constantFrom(...ComponentState.options)
  const incident = fc
    .tuple(
      fc.constantFrom(...IncidentImpact.options),
      fc.constantFrom('manual' as const, 'automatic' as const),
      fc.uniqueArray(fc.constantFrom('c0', 'c1', 'c2', 'c9')),
    )
    .map(([impact, source, ids]) => incidentOf(impact, source, ids))
  const facts = fc
    .tuple(fc.array(state, { maxLength: 8 }), fc.array(incident, { maxLength: 3 }))
    .map(([states, incidents]) => pageOf(states, incidents))
  const least: Readonly<Record<ComponentState, HeadlineLevel>> = {
    down: 'partial_outage',
    degraded: 'degraded',
    maintenance: 'maintenance',
    no_data: 'no_data',
    operational: 'operational',
  }

  test('the headline is never healthier than a component or a posted incident', () => {
    forAll([facts], (page) => {
      const { level, unmeasured, text } = headline(page)
      for (const one of page.components) expect(rank(level)).toBeGreaterThanOrEqual(rank(least[one.state]))
      for (const one of page.incidents.filter(({ source }) => source === 'manual'))
        expect(rank(level)).toBeGreaterThanOrEqual(rank(headline(pageOf(['operational'], [one])).level))
      const silent = page.components.filter((one) => one.state === 'no_data').length
      expect(unmeasured).toBe(silent)
      if (silent > 0) expect(text).not.toBe('All systems operational')
      if (level === 'operational') expect(silent).toBe(0)
    })
  })

  test('the headline is "all operational" only when every component is and no incident is open', () => {
    forAll([facts], (page) => {
      const all = page.components.length > 0 && page.components.every((one) => one.state === 'operational')
      const isOpen = page.incidents.some(
        ({ source, componentIds }) =>
          source === 'manual' || page.components.some(({ id }) => componentIds.includes(id)),
      )
      expect(headline(page).text === 'All systems operational').toBe(all && !isOpen)
    })
  })

  test('one more incident, or a component that fails, never makes it healthier', () => {
    forAll([facts, incident, fc.nat(7)], (page, more, at) => {
      const before = rank(headline(page).level)
      const withMore = { ...page, incidents: [...page.incidents, more] }
      expect(rank(headline(withMore).level)).toBeGreaterThanOrEqual(before)
      const failing = page.components.map((one, n) => (n === at ? { ...one, state: 'down' as const } : one))
      expect(rank(headline({ ...page, components: failing }).level)).toBeGreaterThanOrEqual(before)
    })
  })

  test('the state for programs is never better than any component', () => {
    const badness = (one: ComponentState): number => -worstFirst.indexOf(one)
    forAll([facts], (page) => {
      const said = stateOf(page)
      for (const one of page.components) expect(badness(said)).toBeGreaterThanOrEqual(badness(one.state))
    })
  })

  test('an operational state means an operational headline or a notice, never the other way round with gaps', () => {
    forAll([facts], (page) => {
      const { level, unmeasured } = headline(page)
      const isFine = stateOf(page) === 'operational'
      if (isFine) expect(['operational', 'notice']).toContain(level)
      if (level === 'operational') expect(isFine).toBe(unmeasured === 0)
    })
  })
})

describe('the state of a page', () => {
  test.each<[ComponentState[], StatusPageState]>([
    [[], 'no_data'],
    [['operational'], 'operational'],
    [['operational', 'operational'], 'operational'],
    [['operational', 'no_data'], 'no_data'],
    [['operational', 'no_data', 'maintenance'], 'maintenance'],
    [['maintenance', 'degraded', 'no_data'], 'degraded'],
    [['operational', 'degraded', 'down', 'maintenance', 'no_data'], 'down'],
  ])('of %j is %s, and under maintenance while a window covers all of it', (components, state) => {
    expect(stateOf(pageOf(components))).toBe(state)
    expect(stateOf(pageOf(components, [], true))).toBe('maintenance')
  })

  test('the precedence contains every state', () => {
    expect([...worstFirst].toSorted()).toEqual([...ComponentState.options].toSorted())
  })

  const state = fc.constantFrom(...ComponentState.options)
  const rank = (one: StatusPageState): number => worstFirst.indexOf(one)

  test('is never better than any component and always that of one, in any order', () => {
    forAll([fc.array(state, { minLength: 1, maxLength: 20 }), state], (states, one) => {
      const said = stateOf(pageOf(states))
      expect(states).toContain(said)
      for (const each of states) expect(rank(said)).toBeLessThanOrEqual(rank(each))
      expect(stateOf(pageOf(states.toReversed()))).toBe(said)
      // one more component can make it worse only
      expect(rank(stateOf(pageOf([...states, one])))).toBeLessThanOrEqual(rank(said))
    })
  })
})
