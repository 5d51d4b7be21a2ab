import { describe, expect, it } from 'vitest'
import { readWorld, worldSlugs } from './worlds.ts'

const slugs = await worldSlugs()

describe('the outages', () => {
  it.each(slugs)(
    '%s: every fact has a source, and what is played and true follows from facts',
    async (slug) => {
      await expect(readWorld(slug)).resolves.toMatchObject({ title: expect.any(String) })
    },
  )
})
