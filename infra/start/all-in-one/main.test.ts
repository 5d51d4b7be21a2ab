import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { parseFlags } from './flags.ts'

const entry = fileURLToPath(new URL('main.ts', import.meta.url))

const run = (environment: Record<string, string>) =>
  new Promise<{ code: number; err: string }>((resolve) => {
    const env = { PATH: process.env['PATH'], ...environment }
    execFile(process.execPath, [entry], { env }, (error, _, err) => {
      resolve({ code: error === null ? 0 : Number(error.code), err })
    })
  })

test('lists an unreadable catalog with the other problems and does not start', async () => {
  const { code, err } = await run({ CATALOG_FILE: '/nowhere/catalog.yaml', MCP_PORT: 'none' })
  expect(code).toBe(1)
  expect(err).toContain('CATALOG_FILE /nowhere/catalog.yaml cannot be read')
  expect(err).toContain('MCP_PORT')
})

test('--help names the catalog', () => {
  const parsed = parseFlags(['--help'], {})
  const help = parsed.kind === 'help' ? parsed.text : ''
  expect(help).toContain('CATALOG_FILE')
  expect(help).toContain('CATALOG_INTERVAL_SECONDS')
})
