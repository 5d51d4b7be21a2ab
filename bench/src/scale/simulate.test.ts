import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { unevenness } from './run-counts.ts'
import { simulate, sumOf } from './simulate.ts'

let directory = ''
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'probe-mesh-scale-'))
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

const regions = ['fra', 'iad', 'nrt'] as const
const load = { checks: 10_000, intervalSeconds: 60, partitions: 16 }
const mesh = { ...load, regions, agentsPerRegion: 3, stepMs: 100 }

test('every slot of 10,000 checks is stored once, while agents and owners come and go', async () => {
  const outcome = await simulate({ ...mesh, minutes: 2 }, directory, () => undefined)
  const sum = (name: Parameters<typeof sumOf>[1]) => sumOf(outcome, name)
  expect(sum('due')).toBe(60_000)
  expect({
    lost: sum('lost'),
    duplicates: sum('duplicates'),
    strangers: sum('strangers'),
    poison: sum('poison'),
    wrongFlips: sum('wrongFlips'),
  }).toEqual({ lost: 0, duplicates: 0, strangers: 0, poison: 0, wrongFlips: 0 })
  // what the dead agent had between its death and what the others make up for: 3 s of a third
  expect(sum('lostWithAgent')).toBeGreaterThan(0)
  expect(sum('stored')).toBe(sum('due') - sum('lostWithAgent'))
  // the newcomer and the new owner meet what is stored already, or nothing was tried
  expect(sum('twins')).toBeGreaterThan(0)
  expect(sum('flipped')).toBeGreaterThanOrEqual(10)
  expect(unevenness(outcome.runs.byAgent)).toBeLessThan(1.1)
  expect(unevenness(outcome.partitions.map(({ checks }) => checks))).toBeLessThan(1.2)
}, 120_000)
