import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { testFolder } from '@probe-mesh/infra/testing/folder'
import { useOnce } from '@probe-mesh/infra/testing/use'
import { expect, test } from 'vitest'
import { startKeyedProxy } from './keyed-proxy.ts'
import { startSystem } from './system.ts'

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
const suite = here('../../node_modules/@modelcontextprotocol/conformance/dist/index.js')
/** Scenarios that do not apply to this server, with the reason. */
const baseline = here('conformance-baseline.yml')

const system = useOnce(() => startSystem())

test('the official suite passes, except for features that a tools-only server lacks', async () => {
  const proxy = await startKeyedProxy({
    key: system.credentials.apiKey,
    ports: () => [Number(new URL(system.mcpUrl).port)],
  })
  const folder = testFolder('conformance-')
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
  }
}, 120_000)
