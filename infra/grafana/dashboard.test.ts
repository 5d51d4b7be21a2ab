import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startMesh } from '../testing/mesh.ts'
import type { Mesh } from '../testing/mesh.ts'

let mesh: Mesh
beforeAll(async () => {
  mesh = await startMesh({ regions: ['fra'], tiers: {}, budgetScale: 1 })
})
afterAll(() => mesh?.close())

type Dashboard = { panels: { title: string; targets?: { expr: string }[] }[] }

/** Words of an expression that are followed by what only a metric is followed by. */
const metricsOf = (expr: string): string[] =>
  (expr.match(/[a-z_0-9]+(?=[[{)]|$| ==)/g) ?? []).filter((word) => word.includes('_'))

/** A histogram's series are its name and a suffix. */
const base = (name: string): string => name.replace(/_(bucket|sum|count)$/, '')

test('every figure of the dashboard is one that the processes show', async () => {
  const text = await (await fetch(new URL('/metrics', mesh.apiUrl))).text()
  const shown = new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map((match) => match[1]))
  const file = await readFile(new URL('probe-mesh.json', import.meta.url), 'utf8')
  const dashboard = JSON.parse(file) as Dashboard
  const used = dashboard.panels.flatMap((panel) =>
    (panel.targets ?? []).flatMap(({ expr }) => metricsOf(expr)),
  )
  expect(new Set(used).size).toBeGreaterThan(25)
  expect(used.filter((name) => !shown.has(base(name)))).toEqual([])
})
