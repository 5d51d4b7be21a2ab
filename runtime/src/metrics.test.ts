import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { createMetrics } from './metrics.ts'

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
