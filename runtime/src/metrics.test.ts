import { Histogram, Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { cheapHistogram, createMetrics } from './metrics.ts'

test('reads totals and values when the metrics are collected, under the prefix', async () => {
  const registry = new Registry()
  const metric = createMetrics(registry, 'part_')
  const state = { refused: 2, waiting: 5 }
  metric.readTotal('refused_total', 'Refused', () => state.refused)
  metric.readGauge('waiting', 'Waiting', () => state.waiting)
  const page = () =>
    registry.metrics().then((text) => text.split('\n').filter((line) => !/^(#|$)/.test(line)))
  expect(await page()).toEqual(['part_refused_total 2', 'part_waiting 5'])
  Object.assign(state, { refused: 3, waiting: 1 })
  expect(await page()).toEqual(['part_refused_total 3', 'part_waiting 1'])
})

test('counts by the labels that follow the help', async () => {
  const registry = new Registry()
  createMetrics(registry).counter('sent_total', 'Sent', 'kind').inc({ kind: 'mail' })
  expect(await registry.metrics()).toContain('sent_total{kind="mail"} 1')
})

test('the cheap histogram reads as the one of prom-client, and has no lines for what was not observed', async () => {
  const [cheap, known] = [new Registry(), new Registry()]
  const given = { name: 'work_seconds', help: 'Time of "work"\nin seconds', buckets: [0.001, 0.03, 1, 30] }
  const of = cheapHistogram(cheap, { ...given, label: 'route' })
  const histogram = new Histogram({ ...given, labelNames: ['route'], registers: [known] })
  of('GET /never')
  for (const route of ['GET /a', 'GET /"b"']) {
    const observe = of(route)
    for (const seconds of [0, 0.001, 0.0011, 0.03, 0.5, 1, 29, 30, 31, 1e6]) {
      observe(seconds)
      histogram.observe({ route }, seconds)
    }
  }
  expect(await cheap.metrics()).toBe(await known.metrics())
  expect(await cheap.getMetricsAsJSON()).toMatchObject([{ name: 'work_seconds', type: 'histogram' }])
})
