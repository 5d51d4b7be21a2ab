// `npm test -- [files and flags]`: the whole suite, or what is named.
import { realpath } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'
import { isGoodNode } from './decisions.mjs'
import { ensureTestTools } from './test-tools.ts'

if (!isGoodNode(process.versions.node)) {
  throw new Error(`the tests need Node 22.19 or newer, and this is ${process.versions.node}`)
}
ensureTestTools(process.env['PATH'] ?? '')
const binary = await realpath(new URL('../../../node_modules/.bin/vitest', import.meta.url))
// In this process, so that whatever ends us ends the run.
process.argv = [process.execPath, binary, 'run', ...process.argv.slice(2)]
await import(pathToFileURL(binary).href)
