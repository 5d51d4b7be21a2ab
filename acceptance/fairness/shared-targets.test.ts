import { afterAll, beforeAll, expect, test } from 'vitest'
import { fillHost, slowPages } from './attacks/checks.ts'
import { regions, startStage } from './stage.ts'
import type { Stage } from './stage.ts'
import { underAttack } from './under-attack.ts'

/** What accounts share in what they measure: the pages of Chromium, and how often one host is asked. */

const chromium = process.env['TEST_CHROMIUM']
let stage: Stage
beforeAll(async () => {
  stage = await startStage({
    // few, so that it is soon full; half of it is what the owner's own check of 2 s asks its host
    TARGET_REQUESTS_PER_MINUTE: '300',
    CHROMIUM: chromium ?? 'off',
    ...(process.env['TEST_CHROMIUM_WITHOUT_SANDBOX'] === 'yes'
      ? { CHROMIUM_WITHOUT_SANDBOX: 'yes' }
      : {}),
  })
}, 120_000)
afterAll(() => stage?.close())

type Answered = { readings: { verdict: string; cause: string }[] }

const seenIn = ({ readings }: Answered): string[] =>
  readings.map(({ verdict, cause }) => `${verdict} ${cause}`)

test.skipIf(chromium === undefined).each([3, 8])(
  'while %i free accounts try pages that do not come, a browser check of another is run now',
  { timeout: 180_000 },
  async (accounts) => {
    const { owner } = stage
    const page = await stage.site(`127.0.22.${accounts}`, (_request, response) => {
      response.setHeader('content-type', 'text/html').end('<title>shop</title>')
    })
    const check = await owner.done<{ id: string }>('POST', '/typed-checks', {
      type: 'browser',
      name: 'shop',
      settings: { url: `${page}/` },
      intervalSeconds: 3_600,
      regions: ['fra'],
    })
    const people = await stage.attackers(accounts, 'free')
    const verdicts = await underAttack(stage, slowPages, people, async () => {
      const seen: string[] = []
      for (let time = 0; time < 2; time++) {
        seen.push(...seenIn(await owner.done<Answered>('POST', `/checks/${check.id}/run`, {})))
      }
      return seen
    })
    expect(verdicts).toEqual(['up ok', 'up ok'])
  },
)

test(
  'while others ask a host as often as it may be asked, an account creates a check of it and runs it',
  { timeout: 120_000 },
  async () => {
    const { owner } = stage
    const host = await stage.site('127.0.23.1', (_request, response) => response.end('shop'))
    const people = await stage.attackers(8, 'growth')
    const readings = await underAttack(stage, fillHost(host), people, async () => {
      const body = { name: 'shop', url: `${host}/`, intervalSeconds: 60 }
      const check = await owner.done<{ id: string }>('POST', '/checks', body)
      return seenIn(await owner.done<Answered>('POST', `/checks/${check.id}/run`, {}))
    })
    expect(readings).toEqual(regions.map(() => 'up ok'))
  },
)
