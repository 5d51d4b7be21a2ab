import { describe, expect, it } from 'vitest'
import { turned } from '../altered.ts'
import { vantages } from '../world.ts'
import { readWorld, worldSlugs } from '../worlds.ts'
import { judge } from './timeline.ts'
import { playVirtually } from './virtual.ts'

const slugs = await worldSlugs()
const intervalMs = 60_000
/** Each replays an hour or two of readings, in about a second on an idle machine. */
const patienceMs = 60_000
const answeredWithinMs = 2 * intervalMs
/** Names of eight services fail for one region: our own network there could look the same. */
const doubted = new Set(['dyn-2016 11:10'])

describe('documented outages at the interval of production', () => {
  it.each(slugs.map((slug, index) => [slug, index % vantages.length] as const))(
    '%s, with regions rotated by %d, is reported within two intervals without a false outage',
    async (slug, turn) => {
      const { world, answers } = await playVirtually(turned(await readWorld(slug), turn))
      for (const verdict of judge(world, answers)) {
        const { truth, answeredAfterMs, statuses, from, until } = verdict
        const name = `${slug} ${new Date(from).toISOString().slice(11, 16)}`
        if (truth === 'intermittent' || doubted.has(name)) continue
        expect([name, answeredAfterMs ?? Number.POSITIVE_INFINITY]).toEqual([name, expect.any(Number)])
        expect(answeredAfterMs ?? Number.POSITIVE_INFINITY).toBeLessThanOrEqual(answeredWithinMs)
        const other = answers.filter(
          ({ slug: of, atMs, status }) =>
            of === verdict.slug &&
            from + answeredWithinMs <= atMs &&
            atMs < until &&
            status !== (truth === 'out_of_sight' ? 'up' : truth),
        )
        expect([name, verdict.slug, other.map(({ status }) => status), statuses]).toEqual([
          name,
          verdict.slug,
          [],
          statuses,
        ])
      }
    },
    patienceMs,
  )
})
