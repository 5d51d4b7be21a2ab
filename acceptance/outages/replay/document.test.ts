import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { documentFile, outagesDocument, readOutages } from './document.ts'

const outages = await readOutages()
const innocentMin = 3

describe('docs/outages.md', () => {
  it('matches the recorded plays', async () => {
    expect(await readFile(documentFile, 'utf8')).toBe(outagesDocument(outages))
  })

  it('cites every source', () => {
    const text = outagesDocument(outages)
    const cited = outages
      .filter(({ records }) => records.length > 0)
      .flatMap(({ world }) => Object.values(world.sources))
    expect(cited.filter(({ url }) => !text.includes(`](${url})`))).toEqual([])
  })

  it('has every outage', () => {
    expect(outages.filter(({ records }) => records.length === 0)).toEqual([])
  })

  it('has no answer down for an outage that is out of our sight', () => {
    const innocent = outages.filter(({ world }) => world.conditions.length === 0)
    expect(innocent.length).toBeGreaterThanOrEqual(innocentMin)
    for (const { ours, internet } of innocent.flatMap(({ records }) => records)) {
      expect([...new Set(ours.flatMap(({ statuses }) => Object.keys(statuses)))]).toEqual(['up'])
      expect(internet.every(({ blames }) => blames === null)).toBe(true)
    }
  })
  it('reports Meta down within two intervals', () => {
    const { records = [] } = outages.find(({ slug }) => slug === 'meta-2021') ?? {}
    const down = records.flatMap(({ ours }) => ours).filter(({ truth }) => truth === 'down')
    expect(down.length).toBeGreaterThanOrEqual(4)
    for (const { answeredAfter } of down) expect(answeredAfter).toBeLessThanOrEqual(2)
  })
})
