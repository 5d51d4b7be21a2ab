import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compressed, instantsOf, permuted, shifted, withoutLongStretches } from './altered.ts'
import { conditionAt, metAt, nextChangeMs } from './condition-at.ts'
import { worldProblems } from './world-problems.ts'
import { truthOf, vantages } from './world.ts'
import type { Vantage, World } from './world.ts'
import { readWorld, worldSlugs } from './worlds.ts'

const worlds = await Promise.all((await worldSlugs()).map(readWorld))

/** A world, a service of it, and an instant of it that is no boundary. */
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
/** Exact in the milliseconds of our time. */
const factors = fc.constantFrom(2, 4, 8, 16, 32)

const truthAt = (world: World, slug: string, nowMs: number) =>
  truthOf(world, slug).find(({ from, until }) => from <= nowMs && nowMs < until)?.answer

const changesOf = (world: World): number[] => {
  const changes = []
  let next = nextChangeMs(world, world.from)
  while (next !== null) {
    changes.push(next)
    next = nextChangeMs(world, next)
  }
  return changes
}

describe('a world that is altered', () => {
  it('plays the same at another time', () => {
    fc.assert(
      fc.property(moments, regions, fc.integer(), ({ world, slug, nowMs }, region, byMs) => {
        // whole milliseconds, as the clock has them
        const atMs = Math.round(nowMs)
        const later = shifted(world, byMs)
        expect(conditionAt(later, region, slug, atMs + byMs)).toEqual(
          conditionAt(world, region, slug, atMs),
        )
        expect(truthAt(later, slug, atMs + byMs)).toBe(truthAt(world, slug, atMs))
        expect(worldProblems(later)).toEqual([])
      }),
    )
  })

  it('plays in other places what it played in these', () => {
    fc.assert(
      fc.property(moments, regions, orders, ({ world, slug, nowMs }, region, to) => {
        const elsewhere = permuted(world, to)
        expect(conditionAt(elsewhere, to[region], slug, nowMs)).toEqual(
          conditionAt(world, region, slug, nowMs),
        )
        expect(worldProblems(elsewhere)).toEqual([])
      }),
    )
  })

  it('plays the same faster', () => {
    fc.assert(
      fc.property(moments, regions, factors, ({ world, slug, nowMs }, region, factor) => {
        const faster = compressed(world, factor)
        const atMs = world.from + (nowMs - world.from) / factor
        expect(metAt(faster, region, slug, atMs)).toBe(metAt(world, region, slug, nowMs))
        expect(truthAt(faster, slug, atMs)).toBe(truthAt(world, slug, nowMs))
        expect(changesOf(faster)).toEqual(
          changesOf(world).map((ms) => world.from + (ms - world.from) / factor),
        )
        expect(faster.until - faster.from).toBe((world.until - world.from) / factor)
        expect(worldProblems(faster)).toEqual([])
      }),
    )
  })

  it('keeps all that happens, in order, where long stretches are cut', () => {
    fc.assert(
      fc.property(
        moments,
        regions,
        fc.integer({ min: 60_000, max: 3_600_000 }),
        ({ world, slug, index, nowMs }, region, stretchMsMax) => {
          const shorter = withoutLongStretches(world, stretchMsMax)
          const before = instantsOf(world)
          const after = instantsOf(shorter)
          expect(shorter.from).toBe(world.from)
          expect(after.slice(1).map((ms, at) => ms - (after[at] ?? ms))).toEqual(
            before.slice(1).map((ms, at) => Math.min(ms - (before[at] ?? ms), stretchMsMax)),
          )
          const [from = 0, until = 0] = after.filter((ms) => ms >= world.from).slice(index)
          const atMs = (from + until) / 2
          expect(metAt(shorter, region, slug, atMs)).toBe(metAt(world, region, slug, nowMs))
          expect(truthAt(shorter, slug, atMs)).toBe(truthAt(world, slug, nowMs))
          expect(worldProblems(shorter)).toEqual([])
        },
      ),
    )
  })
})
