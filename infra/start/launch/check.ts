// `npm run check`: types, lint, format and the rest in parallel; seconds, without servers.
// `npm run check -- --sizes` prints the figures that ceiling.json limits.
import { spawn } from 'node:child_process'
import { realpath } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { checkRooms } from '../../../dependency-rule/check.ts'
import { checkCeiling, measureSize } from './ceiling.ts'
import { checkLockfiles } from './lockfile.ts'
import { checkExpressions } from './expressions.ts'
import { checkMeasurements } from './measured-defaults.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

const checks = [
  { name: 'types', command: ['tsc', '--noEmit', '-p', '.'] },
  { name: 'types of browser scripts', command: ['tsc', '--noEmit', '-p', 'web/src/islands'] },
  { name: 'lint', command: ['oxlint'] },
  { name: 'format', command: ['oxfmt', '--check', '.'] },
  { name: 'unused code and undeclared imports', command: ['knip', '--no-progress'] },
] as const

const run = async ([binary, ...flags]: readonly string[]): Promise<{
  ok: boolean
  output: string
}> => {
  const script = await realpath(`${root}node_modules/.bin/${binary}`)
  const child = spawn(process.execPath, [script, ...flags], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const chunks: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => chunks.push(chunk))
  }
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) =>
      resolve({ ok: code === 0, output: Buffer.concat(chunks).toString().trim() }),
    )
  })
}

const own = async (name: string, find: () => string[] | Promise<string[]>) => {
  const problems = await find()
  return { name, ok: problems.length === 0, output: problems.join('\n') }
}

if (process.argv.includes('--sizes')) {
  process.stdout.write(`${JSON.stringify(measureSize(root), null, 2)}\n`)
  process.exit()
}
const results = await Promise.all([
  ...checks.map(async ({ name, command }) => ({ name, ...(await run(command)) })),
  own('rooms', checkRooms),
  own('lockfiles', () => checkLockfiles(new URL('../../..', import.meta.url))),
  own('ceiling', () => checkCeiling(root)),
  own('regular expressions', () => checkExpressions(root)),
  own('measurements', () => checkMeasurements(root)),
])
for (const { name, ok, output } of results) {
  process.stdout.write(ok ? `${name}: ok\n` : `${name}: failed\n${output}\n\n`)
}
process.exitCode = results.every(({ ok }) => ok) ? 0 : 1
