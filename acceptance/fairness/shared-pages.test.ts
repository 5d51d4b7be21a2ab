import { useOnce } from '@probe-mesh/infra/testing/use'
import { expect, test } from 'vitest'
import { slowPages } from './attacks/checks.ts'
import { startStage } from './stage.ts'
import { underAttack } from './under-attack.ts'

/** The pages of Chromium, which accounts share. */

const chromium = process.env['TEST_CHROMIUM']
const stage = useOnce(() =>
  startStage({
    CHROMIUM: chromium ?? 'off',
    ...(process.env['TEST_CHROMIUM_WITHOUT_SANDBOX'] === 'yes' ? { CHROMIUM_WITHOUT_SANDBOX: 'yes' } : {}),
  }),
)

type Answered = { readings: { verdict: string }[] }

const seenIn = ({ readings }: Answered): string[] => readings.map(({ verdict }) => verdict)

test.skipIf(chromium === undefined).each([3, 8])(
  'a browser check runs on demand while %i free accounts try pages that do not load',
  { timeout: 180_000 },
  async (accounts) => {
    const { owner } = stage
    const page = await stage.site(`127.0.22.${accounts}`, (_request, response) => {
      response.setHeader('content-type', 'text/html').end('<title>shop</title>')
    })
    const check = await owner.requestOk<{ id: string }>('POST', '/typed-checks', {
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
        seen.push(...seenIn(await owner.requestOk<Answered>('POST', `/checks/${check.id}/run`, {})))
      }
      return seen
    })
    expect(verdicts).toEqual(['up', 'up'])
  },
)
