import { checkFamilies } from '@probe-mesh/control-plane/src/account-metrics/check-metrics'
import { objectiveFamilies } from '@probe-mesh/control-plane/src/account-metrics/objective-metrics'
import { expect, test } from 'vitest'
import { queriesOf, readAccountDashboard } from './account-dashboard.ts'

const served = [...checkFamilies, ...objectiveFamilies].map(({ name }) => name)

/** Names of metrics: they come before a selector or a range, or are a whole query. */
const metricsOf = (query: string): string[] => query.match(/\bprobe_\w+/g) ?? []

test('shows every metric that /v1/metrics serves, and no other', async () => {
  const used = new Set(queriesOf(await readAccountDashboard()).flatMap(metricsOf))
  expect([...used].toSorted()).toEqual(served.toSorted())
})

test('imports unchanged: its data source is a variable, and the choices are labels of served metrics', async () => {
  const dashboard = await readAccountDashboard()
  const [source, ...choices] = dashboard.templating.list
  expect(source).toMatchObject({ name: 'datasource', type: 'datasource', query: 'prometheus' })
  for (const choice of choices) expect(metricsOf(JSON.stringify(choice.query))).toEqual([expect.any(String)])
  expect(
    choices.flatMap(({ query }) => metricsOf(JSON.stringify(query))).filter((name) => !served.includes(name)),
  ).toEqual([])
  const shown = dashboard.panels.filter(({ type }) => type !== 'row')
  for (const { datasource, targets = [] } of shown) {
    expect([datasource, ...targets.map((each) => each.datasource)].map((each) => each?.uid)).toEqual(
      Array.from({ length: targets.length + 1 }, () => '${datasource}'),
    )
  }
  const ids = dashboard.panels.map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
})
