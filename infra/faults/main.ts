// `npm run faults [-- F-07 F-15]`: every fault of the list, or those that are named, by their tests.
import { realpath } from 'node:fs/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { ensureTestTools } from '../launch/test-tools.ts'
import { faultRows } from './rows.ts'

const usage = `\
npm run faults                 every fault, and docs/reliability.md anew
npm run faults -- F-07 F-15    only these, and nothing is written
npm run faults -- --list       what there is
`
const wanted = process.argv.slice(2)
const unknown = wanted.filter(
  (id) => id !== '--list' && id !== '--help' && !faultRows.some((row) => row.id === id),
)
if (unknown.length > 0) {
  process.stderr.write(`no such fault: ${unknown.join(', ')}\n\n${usage}`)
  process.exit(2)
}
if (wanted.includes('--help')) {
  process.stdout.write(usage)
  process.exit(0)
}
if (wanted.includes('--list')) {
  for (const { id, fault } of faultRows) process.stdout.write(`${id}  ${fault}\n`)
  process.exit(0)
}

const rows = faultRows.filter(({ id }) => wanted.length === 0 || wanted.includes(id))
const files = new Set(rows.flatMap(({ proofs }) => proofs.map(({ file }) => file)))
process.env['FAULTS'] = rows.map(({ id }) => id).join(',')
ensureTestTools(process.env['PATH'] ?? '')
const binary = await realpath(new URL('../../node_modules/.bin/vitest', import.meta.url))
const config = fileURLToPath(new URL('vitest.config.ts', import.meta.url))
const root = fileURLToPath(new URL('../..', import.meta.url))
// In this process, so that whatever ends us ends the run.
process.argv = [process.execPath, binary, 'run', '--root', root, '--config', config, ...files]
await import(pathToFileURL(binary).href)
