import { describe, expect, it } from 'vitest'
import { turned } from '../altered.ts'
import { vantages } from '../world.ts'
import { readWorld, worldSlugs } from '../worlds.ts'
import { judge } from './timeline.ts'
import { playVirtually } from './virtual.ts'

const slugs = await worldSlugs()
const intervalMs = 60_000
/** An hour or two of readings each; about a second on a machine at rest. */
const patienceMs = 60_000
const toldWithinMs = 2 * intervalMs
/** Names of eight services fail for one region: our own network there could look the same. */
const doubted = new Set(['dyn-2016 11:10'])

describe('documented outages at the interval of production', () => {
  it.each(slugs.map((slug, index) => [slug, index % vantages.length] as const))(
    '%s, with regions rotated by %d, is reported within two intervals without a false outage',
    async (slug, turn) => {
      const { world, told } = await playVirtually(turned(await readWorld(slug), turn))
      for (const verdict of judge(world, told)) {
        const { truth, toldAfterMs, said, from, until } = verdict
        const name = `${slug} ${new Date(from).toISOString().slice(11, 16)}`
        if (truth === 'intermittent' || doubted.has(name)) continue
        expect([name, toldAfterMs ?? Number.POSITIVE_INFINITY]).toEqual([name, expect.any(Number)])
        expect(toldAfterMs ?? Number.POSITIVE_INFINITY).toBeLessThanOrEqual(toldWithinMs)
        const other = told.filter(
          ({ slug: of, atMs, status }) =>
            of === verdict.slug &&
            from + toldWithinMs <= atMs &&
            atMs < until &&
            status !== (truth === 'out_of_sight' ? 'up' : truth),
        )
        expect([name, verdict.slug, other.map(({ status }) => status), said]).toEqual([
          name,
          verdict.slug,
          [],
          said,
        ])
      }
    },
    patienceMs,
  )
})
