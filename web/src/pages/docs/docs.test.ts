import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestWeb } from '../../testing/test-web.ts'
import type { TestWeb } from '../../testing/test-web.ts'

let web: TestWeb
beforeAll(async () => {
  web = await startTestWeb()
})
afterAll(() => web.close())

test('x', async () => {
  for (const path of ['/docs','/docs/api','/docs/api/checks','/docs/api/notification-channels','/docs/api/outages','/docs/errors','/docs/mcp-tools','/docs/rest-api','/docs/reasons','/docs/deploy', '/docs?q=alert', '/docs/nope']) {
    const { status, raw } = await web.visitor().get(path)
    console.log(path, status, raw.length)
  }
})
