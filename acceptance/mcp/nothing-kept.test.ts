import { closeSync, openSync } from 'node:fs'
import { readFile, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { testFolder } from '@probe-mesh/infra/testing/folder'
import { expect, test } from 'vitest'
import { createMeshProcess } from '@probe-mesh/infra/testing/mesh-process'

const calls = 1_000
const atOnce = 20
/** Unique per caller, from the documentation ranges. */
const addressOf = (caller: number): string =>
  caller % 2 === 0 ? `203.0.113.${(caller >> 1) % 250}` : `2001:db8:${(0xa000 + caller).toString(16)}::7`
const agent = 'A-Curious-Agent/7.7'

/** Files of a folder with traces of a caller. */
const traces = async (folder: string): Promise<string[]> => {
  const files = await readdir(folder, { recursive: true, withFileTypes: true })
  const found = await Promise.all(
    files
      .filter((file) => file.isFile())
      .map(async (file) => {
        const path = join(file.parentPath, file.name)
        const text = (await readFile(path)).toString('latin1')
        return /203\.0\.113\.\d|2001:db8:a[0-9a-f]{3}:|Curious-Agent/i.test(text) ? [path] : []
      }),
  )
  return found.flat()
}

test('stores neither address nor user agent of 1,000 keyless calls, in DATA_DIR or in the trace log', async () => {
  const folder = testFolder('nothing-kept-')
  const log = openSync(join(folder, 'log'), 'w')
  const mesh = await createMeshProcess({
    dataDir: join(folder, 'data'),
    environment: { LOG_LEVEL: 'trace', TRUST_PROXY: '127.0.0.1' },
    logTo: log,
  })
  try {
    await mesh.start()
    const url = (await mesh.credentials()).mcpUrl.replace(/mcp$/, 'public')
    let sent = 0
    const statuses = new Map<number, number>()
    const ask = async (): Promise<void> => {
      while (sent < calls) {
        const caller = sent++
        const response = await fetch(url, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            accept: 'application/json, text/event-stream',
            'user-agent': agent,
            'x-forwarded-for': addressOf(caller),
          },
          body: JSON.stringify({
            jsonrpc: '2.0',
            id: caller,
            method: 'tools/call',
            params: { name: 'is_service_down', arguments: { service: `unheard of ${caller}` } },
          }),
        })
        expect(response.headers.get('set-cookie')).toBeNull()
        await response.arrayBuffer()
        statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1)
      }
    }
    await Promise.all(Array.from({ length: atOnce }, ask))
    expect([...statuses]).toEqual([[200, calls]])
    expect(await mesh.metric('mcp_tool_calls_total')).toBe(calls)
    expect(await mesh.stop()).toBe(0)
    expect(await traces(folder)).toEqual([])
    // the search works
    await writeFile(join(folder, 'data', 'control'), addressOf(2))
    expect(await traces(folder)).toEqual([join(folder, 'data', 'control')])
  } finally {
    await mesh.close()
    closeSync(log)
  }
}, 120_000)
