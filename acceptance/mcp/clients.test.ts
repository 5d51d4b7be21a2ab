import { toolsOf } from '@probe-mesh/contracts/api/tools'
import { useOnce } from '@probe-mesh/infra/testing/use'
import { describe, expect, test } from 'vitest'
import { connectClient1, connectClient2, openInspector, type Sent } from './clients.ts'
import { callEveryTool, outageSteps, type Client, type Step } from './every-tool.ts'
import { startSystem } from './system.ts'

/** Each client has its own address, because 60 requests a minute are the limit of one. */
let clients = 0
const system = useOnce(() => startSystem())

const namesOf = (endpoint: 'public' | 'mcp') => toolsOf[endpoint].map(({ name }) => name)

/** A call returns the JSON of the route, as text and as structured content. */
const callBy =
  (client: Client) =>
  async ({ name, args, expected }: Step): Promise<unknown> => {
    const { isError, text, structured } = await client.call(name, args)
    expect([name, isError, isError ? text : '']).toEqual([name, false, ''])
    const value: unknown = JSON.parse(text)
    if (expected === null) expect([value, structured]).toEqual([null, undefined])
    else expect([name, value]).toMatchObject([name, expected])
    if (expected !== null) expect(structured).toEqual(value)
    return value
  }

describe.each([
  ['the 1.x client', connectClient1],
  ['the 2.x client, before 2026-07-28', (url, sent) => connectClient2(url, sent, 'legacy')],
  ['the 2.x client, of 2026-07-28', (url, sent) => connectClient2(url, sent, 'modern')],
  ['the inspector', openInspector],
] satisfies [string, (url: string, sent: Sent) => Promise<Client>][])('%s', (_, connect) => {
  test('lists and calls every tool with a key, with the expected effects', async () => {
    const client = await connect(`${system.mcpUrl}/mcp`, {
      authorization: `Bearer ${system.credentials.apiKey}`,
    })
    try {
      expect(await client.list()).toEqual(namesOf('mcp'))
      const called = await callEveryTool(system, callBy(client))
      expect(called.toSorted()).toEqual(namesOf('mcp').toSorted())
    } finally {
      await client.close()
    }
  }, 120_000)

  test('lists and calls the outage tools without a key', async () => {
    const client = await connect(`${system.mcpUrl}/public`, {
      'x-forwarded-for': `192.0.2.${clients++}`,
    })
    try {
      expect(await client.list()).toEqual(namesOf('public'))
      for (const step of outageSteps) await callBy(client)(step)
    } finally {
      await client.close()
    }
  }, 60_000)
})
