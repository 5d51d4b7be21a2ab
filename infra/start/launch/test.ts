// `npm test -- [files and flags]`: all tests, or the named ones.
import { realpath } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'
import { isSupportedNode } from './decisions.mjs'
import { ensureTestTools } from './test-tools.ts'

if (!isSupportedNode(process.versions.node)) {
  throw new Error(`the tests need Node 22.19 or newer, and this is ${process.versions.node}`)
}
ensureTestTools(process.env['PATH'] ?? '')
const binary = await realpath(new URL('../../../node_modules/.bin/vitest', import.meta.url))
// In this process, so that the tests end with it.
process.argv = [process.execPath, binary, 'run', ...process.argv.slice(2)]
await import(pathToFileURL(binary).href)
