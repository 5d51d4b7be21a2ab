import { describe, expect, it } from 'vitest'
import { truthOf } from './world.ts'
import { readWorld, worldSlugs } from './worlds.ts'

const slugs = await worldSlugs()
const outagesMin = 12
const innocentMin = 3

describe('the outages', () => {
  it.each(slugs)(
    '%s: every fact has a source, and every condition and truth follows from facts',
    async (slug) => {
      await expect(readWorld(slug)).resolves.toMatchObject({ title: expect.any(String) })
    },
  )

  it('are at least twelve, with three of them without an outage to report', async () => {
    const worlds = await Promise.all(slugs.map(readWorld))
    const innocent = worlds.filter((world) =>
      world.services.every(({ slug }) =>
        truthOf(world, slug).every(({ answer }) => answer === 'up' || answer === 'out_of_sight'),
      ),
    )
    expect(worlds.length).toBeGreaterThanOrEqual(outagesMin)
    expect(innocent.length).toBeGreaterThanOrEqual(innocentMin)
    expect(innocent.every(({ atFault }) => atFault.kind === 'none')).toBe(true)
  })
})
