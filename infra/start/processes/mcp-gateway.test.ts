import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const main = fileURLToPath(new URL('mcp-gateway.ts', import.meta.url))

const run = (args: readonly string[], environment: Record<string, string>) =>
  new Promise<{ code: number; out: string; err: string }>((resolve) => {
    const env = { PATH: process.env['PATH'], ...environment }
    execFile(process.execPath, [main, ...args], { env }, (error, out, err) => {
      resolve({ code: error === null ? 0 : Number(error.code), out, err })
    })
  })

test('a gateway lists every wrong value and does not start', async () => {
  const { code, err } = await run([], { MCP_PORT: 'none', CONTROL_PLANE_URL: 'nowhere' })
  expect(code).toBe(1)
  for (const name of ['MCP_PORT', 'GATEWAY_KEY', 'CONTROL_PLANE_URL']) expect(err).toContain(name)
})

test('--help names every variable of the gateway', async () => {
  const { code, out } = await run(['--help'], {})
  expect(code).toBe(0)
  for (const name of ['GATEWAY_KEY', 'CONTROL_PLANE_URL', 'MCP_URL', 'MCP_ALLOWED_ORIGINS']) {
    expect(out).toContain(name)
  }
})
