import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { describe, expect, it } from 'vitest'
import {
  changesOf,
  compressed,
  instantsOf,
  permuted,
  shifted,
  turned,
  withoutLongStretches,
} from './altered.ts'
import { conditionAt, metAt, nextChangeMs } from './condition-at.ts'
import { worldProblems } from './world-problems.ts'
import { truthOf, vantages, type Vantage, type World } from './world.ts'
import { readWorld, worldSlugs } from './worlds.ts'

const worlds = await Promise.all((await worldSlugs()).map(readWorld))

/** A world, one of its services, and an instant that is not a boundary. */
const moments = fc.constantFrom(...worlds).chain((world) => {
  const instants = instantsOf(world).filter((ms) => world.from <= ms && ms <= world.until)
  const slug = fc.constantFrom(...world.services.map((service) => service.slug))
  return fc.tuple(slug, fc.nat({ max: instants.length - 2 }), part).map(([slug, index, part]) => {
    const [from = 0, until = 0] = instants.slice(index)
    return { world, slug, index, nowMs: from + (until - from) * part }
  })
})
const part = fc.double({ min: 0.01, max: 0.99, noNaN: true })
const regions = fc.constantFrom(...vantages)
const orders = fc
  .shuffledSubarray([...vantages], { minLength: vantages.length })
  .map((to) => Object.fromEntries(vantages.map((from, index) => [from, to[index]])))
  .map((to) => to as Record<Vantage, Vantage>)
/** Powers of two, which keep milliseconds exact. */
const factors = fc.constantFrom(2, 4, 8, 16, 32)

const truthAt = (world: World, slug: string, nowMs: number) =>
  truthOf(world, slug).find(({ from, until }) => from <= nowMs && nowMs < until)?.answer

const nextChangesOf = (world: World): number[] => {
  const changes = []
  let next = nextChangeMs(world, world.from)
  while (next !== null) {
    changes.push(next)
    next = nextChangeMs(world, next)
  }
  return changes
}

describe('an altered world', () => {
  it('plays the same at another time', () => {
    forAll([moments, regions, fc.integer()], ({ world, slug, nowMs }, region, byMs) => {
      // whole milliseconds, like the clock
      const atMs = Math.round(nowMs)
      const later = shifted(world, byMs)
      expect(conditionAt(later, region, slug, atMs + byMs)).toEqual(conditionAt(world, region, slug, atMs))
      expect(truthAt(later, slug, atMs + byMs)).toBe(truthAt(world, slug, atMs))
      expect(worldProblems(later)).toEqual([])
    })
  })

  it('plays the same in other regions', () => {
    forAll([moments, regions, orders], ({ world, slug, nowMs }, region, to) => {
      const elsewhere = permuted(world, to)
      expect(conditionAt(elsewhere, to[region], slug, nowMs)).toEqual(conditionAt(world, region, slug, nowMs))
      expect(worldProblems(elsewhere)).toEqual([])
    })
  })

  it('plays the same faster', () => {
    forAll([moments, regions, factors], ({ world, slug, nowMs }, region, factor) => {
      const faster = compressed(world, factor)
      const atMs = world.from + (nowMs - world.from) / factor
      expect(metAt(faster, region, slug, atMs)).toBe(metAt(world, region, slug, nowMs))
      expect(truthAt(faster, slug, atMs)).toBe(truthAt(world, slug, nowMs))
      expect(nextChangesOf(faster)).toEqual(
        nextChangesOf(world).map((ms) => world.from + (ms - world.from) / factor),
      )
      expect(faster.until - faster.from).toBe((world.until - world.from) / factor)
      expect(worldProblems(faster)).toEqual([])
    })
  })

  it('keeps all changes in order when it shortens stretches without changes', () => {
    forAll(
      [moments, regions, fc.integer({ min: 60_000, max: 3_600_000 })],
      ({ world, slug, index, nowMs }, region, stretchMsMax) => {
        const shorter = withoutLongStretches(world, stretchMsMax)
        const after = instantsOf(shorter)
        expect(shorter.from).toBe(world.from)
        expect(after).toHaveLength(instantsOf(world).length)
        const [from = 0, until = 0] = after.filter((ms) => ms >= world.from).slice(index)
        const atMs = (from + until) / 2
        expect(metAt(shorter, region, slug, atMs)).toBe(metAt(world, region, slug, nowMs))
        expect(truthAt(shorter, slug, atMs)).toBe(truthAt(world, slug, nowMs))
        expect(worldProblems(shorter)).toEqual([])
      },
    )
  })

  it.each(worlds.map((world) => [world.title, world] as const))(
    'keeps enough time for each of its changes: %s',
    (_, world) => {
      const stretchMsMax = 240_000
      const before = changesOf(world)
      const after = changesOf(withoutLongStretches(world, stretchMsMax))
      const isFlapping = (ms: number): boolean =>
        world.conditions.some(({ from, until, flaps }) => flaps !== undefined && from <= ms && ms < until)
      for (const [at, ms] of after.slice(1).entries()) {
        const lasts = ms - (after[at] ?? ms)
        const lasted = (before[at + 1] ?? 0) - (before[at] ?? 0)
        if (isFlapping(before[at] ?? 0)) expect(lasts).toBeGreaterThan(stretchMsMax)
        else expect(lasts).toBe(Math.min(lasted, stretchMsMax))
      }
    },
  )

  it.each([1, 2, 3])('keeps its facts with regions rotated by %d', (by) => {
    for (const world of worlds) {
      const elsewhere = turned(world, by)
      const factsOf = ({ facts, truth, noticed, reports, atFault }: World) => ({
        facts: facts.map(({ id, at, what, source }) => [id, at, what, source]),
        truth,
        noticed,
        reports,
        atFault,
      })
      expect(factsOf(elsewhere)).toEqual(factsOf(world))
      expect(worldProblems(elsewhere)).toEqual([])
      for (const [index, region] of vantages.entries()) {
        const to = vantages[(index + by) % vantages.length] ?? region
        for (const { slug } of world.services) {
          for (const ms of changesOf(world)) {
            expect(conditionAt(elsewhere, to, slug, ms)).toEqual(conditionAt(world, region, slug, ms))
          }
        }
      }
    }
  })
})
