import { toolsOf } from '@probe-mesh/contracts/api/tools'
import { createGateway } from '@probe-mesh/mcp-gateway/gateway'
import { connectControlPlane } from '@probe-mesh/mcp-gateway/upstream/control-plane'
import pino from 'pino'
import { Registry } from 'prom-client'
import { useOnce } from '@probe-mesh/infra/testing/use'
import { beforeAll, describe, expect, test } from 'vitest'
import { callEveryTool, type Step } from './every-tool.ts'
import { startSystem } from './system.ts'

const gatewayKey = 'the-gateway-key-of-the-golden-cases'
const hosts = ['127.0.0.1']

let url: string
/** The last body that the gateway received. */
let received = ''

const system = useOnce(() => startSystem({ environment: { GATEWAY_KEY: gatewayKey } }))
const controlPlane = useOnce(() => connectControlPlane({ apiUrl: system.apiUrl, gatewayKey }))
const gateway = useOnce(() =>
  createGateway(
    {
      controlPlane: {
        ...controlPlane,
        call: async (request, caller) => {
          const answer = await controlPlane.call(request, caller)
          received = answer.body
          return answer
        },
      },
      registry: new Registry(),
      log: pino({ level: 'silent' }),
      now: Date.now,
    },
    { allowedHosts: hosts, allowedOrigins: hosts, trustProxy: false },
  ),
)
beforeAll(async () => {
  url = await gateway.listen({ host: '127.0.0.1', port: 0 })
})

type ToolResult = {
  isError?: boolean
  content: { text: string }[]
  structuredContent?: { code?: string }
}

const call = async (
  key: string | null,
  { name, args }: Pick<Step, 'name' | 'args'>,
  endpoint = 'mcp',
): Promise<{ status: number; result: ToolResult }> => {
  const response = await fetch(`${url}/${endpoint}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name, arguments: args },
    }),
  })
  const { result } = (await response.json()) as { result: ToolResult }
  return { status: response.status, result }
}

test('returns as the text of every tool exactly the body that the gateway received', async () => {
  const called = await callEveryTool(system, async (step) => {
    const { result } = await call(system.credentials.apiKey, step)
    const [block] = result.content
    expect([step.name, block?.text]).toEqual([step.name, received])
    return JSON.parse(received)
  })
  expect(called.length).toBe(24)
})

test('sends text of an account to models without control characters, and to REST unchanged', async () => {
  const { apiKey } = system.credentials
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
  const name = 'pay\u202elap\u202c\u200b\u{e0041} me'
  const made = await fetch(`${system.apiUrl}/checks`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ name, url: system.target.url('/named') }),
  })
  const { id } = (await made.json()) as { id: string }
  expect(await (await fetch(`${system.apiUrl}/checks/${id}`, { headers })).json()).toMatchObject({
    name,
  })
  const { result } = await call(apiKey, { name: 'get_check_status', args: { checkId: id } })
  expect(result.structuredContent).toMatchObject({ name: 'paylap me' })
  await call(apiKey, { name: 'delete_check', args: { checkId: id } })
})

describe('permissions of tools', () => {
  const isWrite = (name: string): boolean =>
    toolsOf.mcp.find((tool) => tool.name === name)?.annotations.readOnlyHint === false

  /** The code of the refusal, `401`, or `answered`, also if the object no longer exists. */
  const outcomeOf = async (key: string | null, step: Pick<Step, 'name' | 'args'>) => {
    const { status, result } = await call(key, step)
    if (status !== 200) return String(status)
    return result.isError === true ? result.structuredContent?.code : 'answered'
  }

  test('are right for every tool without a key, and with a free, a read and a read_write key', async () => {
    const { freeKey, readKey, apiKey } = system.credentials
    const table: string[] = []
    await callEveryTool(system, async (step) => {
      const { name } = step
      const own = name.startsWith('get_error') || 'checkId' in step.args
      const [none, free, read] = [
        await outcomeOf(null, step),
        await outcomeOf(freeKey, step),
        await outcomeOf(readKey, step),
      ]
      // the free account is another one and has none of these objects
      const mayRead =
        own || /statusPageId|projectId/.test(Object.keys(step.args).join()) ? 'SV-3001' : 'answered'
      expect([name, none, free, read]).toEqual([
        name,
        '401',
        isWrite(name) ? 'SV-1005' : mayRead,
        isWrite(name) ? 'SV-1004' : 'answered',
      ])
      const { result } = await call(apiKey, step)
      expect([name, result.isError ?? false]).toEqual([name, false])
      table.push(name)
      return JSON.parse(received)
    })
    expect(table.toSorted()).toEqual(toolsOf.mcp.map(({ name }) => name).toSorted())
  })
})
