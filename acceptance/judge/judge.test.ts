import { beforeAll, describe, expect, inject, test } from 'vitest'
import { bounds } from './bounds.ts'
import { judgeWorld } from './judge.ts'
import { plantedFaults } from './planted-faults.ts'
import type { OldRule } from './product.ts'
import { reportText } from './report.ts'
import { addTally, newTally, type Tally } from './tally.ts'
import { generateWorld } from './world/generate-world.ts'
import type { World } from './world/world.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The number of generated worlds in which answers are judged. */
    worlds: number
  }
}

/** Two thousand worlds take minutes of computing. */
const patience = 3_600_000

const judge = async (worlds: Iterable<World>, rule?: OldRule): Promise<Tally> => {
  const tally = newTally()
  for (const world of worlds) addTally(tally, await judgeWorld(world, rule))
  return tally
}

describe('over generated worlds', () => {
  const seeds = Array.from({ length: inject('worlds') }, (_, n) => n + 1)
  let tally: Tally

  beforeAll(async () => {
    tally = await judge(seeds.map(generateWorld))
    console.log(reportText(tally))
  }, patience)

  const isMany = seeds.length > 100
  const known = bounds.map((bound) => ({
    ...bound,
    why: bound.failsBecause ?? (isMany ? bound.rarelyFailsBecause : undefined),
  }))

  test.each(known.filter(({ why }) => why === undefined))('$name: at most $most', ({ figure, most }) => {
    expect(figure(tally)).toBeLessThanOrEqual(most)
  })

  test.each(known.filter(({ why }) => why !== undefined))(
    'known to fail, $name: more than $most, because $why',
    ({ figure, most }) => {
      expect(figure(tally)).toBeGreaterThan(most)
    },
  )

  test('gives the same world and the same verdicts for the same seed', async () => {
    const [one, other] = [await judge([generateWorld(7)]), await judge([generateWorld(7)])]
    expect(reportText(one)).toBe(reportText(other))
  })
})

describe('the bounds catch each planted fault', () => {
  test.each(plantedFaults)(
    '$name: $breaks',
    async ({ rule, worlds, breaks }) => {
      const bound = bounds.find(({ name }) => name === breaks)
      if (bound === undefined) throw new Error(`there is no bound ${breaks}`)
      expect(bound.figure(await judge(worlds)), 'without it').toBeLessThanOrEqual(bound.most)
      expect(bound.figure(await judge(worlds, rule)), 'with it').toBeGreaterThan(bound.most)
    },
    patience,
  )
})
