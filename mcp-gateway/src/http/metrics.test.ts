import { expect, test } from 'vitest'
import { startTestGateway } from '../testing.ts'

test('serves metrics only with the token, or without one only to this machine', async () => {
  const guarded = await startTestGateway({ metricsToken: 'the-token-of-a-test-0' })
  const bare = await startTestGateway({ trustProxy: ['127.0.0.1'] })
  try {
    const read = async (root: string, headers: Record<string, string> = {}) => {
      const answer = await fetch(`${root}/metrics`, { headers })
      const shows = (await answer.text()).includes('# TYPE')
      return [answer.status, shows, answer.headers.get('www-authenticate')]
    }
    const refused = [401, false, 'Bearer realm="metrics"']
    expect(await read(guarded.url)).toEqual(refused)
    expect(await read(guarded.url, { authorization: 'Bearer of-somebody-else' })).toEqual(refused)
    const token = { authorization: 'Bearer the-token-of-a-test-0' }
    expect(await read(guarded.url, token)).toEqual([200, true, null])
    expect(await read(bare.url)).toEqual([200, true, null])
    expect(await read(bare.url, { 'x-forwarded-for': '127.0.0.1' })).toEqual(refused)
  } finally {
    await guarded.close()
    await bare.close()
  }
})
