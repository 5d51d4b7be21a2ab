import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startKeyedProxy } from './keyed-proxy.ts'
import { startSystem, type System } from './system.ts'

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
const suite = here('../../node_modules/@modelcontextprotocol/conformance/dist/index.js')
/** Scenarios that do not apply to this server, with the reason. */
const baseline = here('conformance-baseline.yml')

let system: System
beforeAll(async () => {
  system = await startSystem()
})
afterAll(() => system.close())

test('the official suite passes, except for features that a tools-only server lacks', async () => {
  const proxy = await startKeyedProxy({
    key: system.credentials.apiKey,
    ports: () => [Number(new URL(system.mcpUrl).port)],
  })
  const folder = await mkdtemp(join(tmpdir(), 'conformance-'))
  try {
    const { code, out } = await new Promise<{ code: unknown; out: string }>((resolve) => {
      execFile(
        process.execPath,
        [suite, 'server', '--url', `${proxy.url}/mcp`, '--expected-failures', baseline],
        { cwd: folder, env: { PATH: process.env['PATH'], HOME: folder } },
        (error, stdout, stderr) => resolve({ code: error === null ? 0 : error.code, out: stdout + stderr }),
      )
    })
    expect(code, out.slice(out.indexOf('=== SUMMARY'))).toBe(0)
    expect(out).toMatch(/✓ dns-rebinding-protection: 2 passed, 0 failed/)
  } finally {
    proxy.close()
    await rm(folder, { recursive: true, force: true })
  }
}, 120_000)
