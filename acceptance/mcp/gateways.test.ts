import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { useOnce } from '@probe-mesh/infra/testing/use'
import { expect, test, vi } from 'vitest'
import { freePorts } from '@probe-mesh/infra/testing/processes/free-ports'
import { connectClient1, connectClient2 } from './clients.ts'
import type { Client } from './every-tool.ts'
import { startKeyedProxy } from './keyed-proxy.ts'
import { startSystem } from './system.ts'

const main = fileURLToPath(new URL('../../infra/start/processes/mcp-gateway.ts', import.meta.url))
const gatewayKey = 'the-gateway-key-of-two-gateways-of-a-test'
const rounds = 5

const system = useOnce(() => startSystem({ environment: { GATEWAY_KEY: gatewayKey } }))

const startGatewayProcess = async (port: number): Promise<ChildProcess> => {
  const child = spawn(process.execPath, [main], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      PATH: process.env['PATH'],
      LOG_LEVEL: 'warn',
      GATEWAY_KEY: gatewayKey,
      CONTROL_PLANE_URL: new URL(system.apiUrl).origin,
      MCP_PORT: String(port),
    },
  })
  await vi.waitFor(
    async () => {
      if (child.exitCode !== null) throw new Error(`the gateway ended with ${child.exitCode}`)
      expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200)
    },
    { timeout: 30_000, interval: 50 },
  )
  return child
}

const kill = async (child: ChildProcess): Promise<void> => {
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}

test('no client notices when one of two gateways behind one address is killed at every request', async () => {
  const ports = await freePorts(2)
  const children = await Promise.all(ports.map(startGatewayProcess))
  let living = 0
  // the live gateway is last, so that clients try the dead one first
  const proxy = await startKeyedProxy({
    key: system.credentials.apiKey,
    ports: () => [ports[1 - living] ?? 0, ports[living] ?? 0],
  })
  try {
    const url = `${proxy.url}/mcp`
    const clients: Client[] = [await connectClient1(url, {}), await connectClient2(url, {}, 'modern')]
    for (let round = 0; round < rounds; round++) {
      living = round % 2
      const dead = 1 - living
      const victim = children[dead]
      if (victim === undefined) throw new Error('this test needs two gateways')
      await Promise.all([
        kill(victim),
        ...clients.map(async (client) => {
          expect((await client.list()).length).toBe(24)
          const { isError, text } = await client.call('is_service_down', { service: 'here' })
          expect([isError, JSON.parse(text)]).toMatchObject([false, { status: 'up' }])
          expect(await client.call('list_checks', {})).toMatchObject({ isError: false })
        }),
      ])
      children[dead] = await startGatewayProcess(ports[dead] ?? 0)
    }
    for (const client of clients) await client.close()
  } finally {
    proxy.close()
    for (const child of children) child.kill('SIGKILL')
  }
}, 120_000)
