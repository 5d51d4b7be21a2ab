import { readFile } from 'node:fs/promises'
import { useOnce } from '../../testing/use.ts'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { startMesh } from '../../testing/mesh.ts'
import { readMetrics } from '../../testing/processes/metric.ts'

const mesh = useOnce(() => startMesh({ regions: ['fra'], tiers: {}, budgetScale: 1 }))

type Dashboard = { panels: { title: string; targets?: { expr: string }[] }[] }

/** The metric names in an expression: words followed by a selector or an operator. */
const metricsOf = (expr: string): string[] =>
  (expr.match(/[a-z_0-9]+(?=[[{)]|$| ==)/g) ?? []).filter((word) => word.includes('_'))

/** The name of a histogram without the suffix of its series. */
const base = (name: string): string => name.replace(/_(bucket|sum|count)$/, '')

const figuresShown = async (): Promise<Set<string>> => {
  const text = await readMetrics(new URL(mesh.apiUrl).origin, mesh.metricsToken)
  return new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name = '']) => name))
}

test('shows only metrics that the processes export', async () => {
  const shown = await figuresShown()
  const file = await readFile(new URL('probe-mesh.json', import.meta.url), 'utf8')
  const dashboard = JSON.parse(file) as Dashboard
  const used = dashboard.panels.flatMap((panel) =>
    (panel.targets ?? []).flatMap(({ expr }) => metricsOf(expr)),
  )
  expect(new Set(used).size).toBeGreaterThan(25)
  expect(used.filter((name) => !shown.has(base(name)))).toEqual([])
})

/** Words of an expression that are not functions, labels or strings. */
const figuresIn = (expr: string): string[] =>
  expr
    .replaceAll(/\{[^}]*\}|\[[^\]]*\]|\bby \([^)]*\)/g, ' ')
    .match(/\b[a-z]\w*\b(?! *\()/g)
    ?.filter((word) => !['by', 'and', 'or', 'unless', 'bool', 'on'].includes(word)) ?? []

test('has alert rules only on metrics that the processes export', async () => {
  const file = new URL('../prometheus/alerts.yml', import.meta.url)
  const { groups } = parse(await readFile(file, 'utf8')) as {
    groups: { rules: { alert: string; expr: string }[] }[]
  }
  const shown = await figuresShown()
  const used = groups.flatMap(({ rules }) =>
    rules.flatMap(({ alert, expr }) => figuresIn(expr).map((name) => `${alert}: ${name}`)),
  )
  expect(used.length).toBeGreaterThanOrEqual(17)
  // Prometheus itself sets `up` for each process
  const known = new Set([...shown, 'up'])
  expect(used.filter((name) => !known.has(base(name.split(': ')[1] ?? '')))).toEqual([])
})

/** The metrics in the last cells of the document's tables. */
const metricsIn = (document: string): string[] =>
  document
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .flatMap((line) => [...line.matchAll(/`([a-z][a-z_]*_[a-z_]+)`/g)].map(([, name = '']) => name))
    .filter((name) => !['probe_overloaded', 'probe_resources', 'target_budget'].includes(name))

/** The names of metrics of queues, waits and drops. */
const ofQueues =
  /(_waiting|_refused_total|_dropped_total|_lost_total|_overloaded_total|_lagging_total|_skipped_total|_unwritten_\w+|_pending_\w+|_not_measured_total)$/
/** Metrics with such a name that are not of queues: refused requests and assignments. */
const otherwise = new Set(['probe_mesh_agent_assignments_refused_total', 'error_requests_refused_total'])

test('docs/overload.md names every metric of queues, and only existing ones', async () => {
  const document = await readFile(new URL('../../../docs/overload.md', import.meta.url), 'utf8')
  const figures = await figuresShown()
  const named = new Set(metricsIn(document))
  expect(named.size).toBeGreaterThan(25)
  expect([...named].filter((name) => !figures.has(name))).toEqual([])
  const queues = [...figures].filter((name) => ofQueues.test(name) && !otherwise.has(name))
  expect(queues.filter((name) => !named.has(name))).toEqual([])
})
