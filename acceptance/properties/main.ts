// `npm run acceptance -- properties [--minutes 60]`: tries every property with new seeds, round after round.
import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { createWriteStream, globSync, readFileSync } from 'node:fs'
import { mkdir, readFile, realpath, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { failuresOf, tableOf, type Failure, type VitestReport } from './failures.ts'

/** Rounds of all properties. The rounds between them leave out those that need servers, which are slow. */
const wholeRoundEvery = 4
const roundMsMax = 30 * 60_000

const { values } = parseArgs({
  allowPositionals: true,
  options: { minutes: { type: 'string', default: '60' } },
})
const endMs = performance.now() + Number(values.minutes) * 60_000

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = join(root, '.data/acceptance')
await mkdir(folder, { recursive: true })
const binary = await realpath(join(root, 'node_modules/.bin/vitest'))
const logFile = join(folder, 'properties-rounds.log')
const log = createWriteStream(logFile)
const files = globSync(
  ['*/src/**/*.test.ts', '{check-types,error-tracking,infra,acceptance,bench}/**/*.test.ts'],
  {
    cwd: root,
  },
).filter(
  (file) =>
    !file.includes('node_modules') &&
    /from '(?:fast-check|[^']*\/(?:case-seed|for-all))'/.test(readFileSync(join(root, file), 'utf8')),
)

const play = async (seed: number, isWhole: boolean): Promise<VitestReport | null> => {
  const report = join(folder, 'properties-round.json')
  await rm(report, { force: true })
  const which = isWhole ? [] : ['--project', 'sharing']
  const reporters = ['--reporter=json', `--outputFile=${report}`]
  const child = spawn(process.execPath, [binary, 'run', ...which, ...reporters, ...files], {
    cwd: root,
    env: { ...process.env, PROPERTY_SEED: String(seed), NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: roundMsMax,
  })
  for (const stream of [child.stdout, child.stderr]) stream.pipe(log, { end: false })
  await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve))
  const text = await readFile(report, 'utf8').catch(() => null)
  return text === null ? null : (JSON.parse(text) as VitestReport)
}

const failures: Failure[] = []
let rounds = 0
let tests = 0
let broken = 0
do {
  const seed = randomInt(1, 1e9)
  const isWhole = rounds % wholeRoundEvery === 0
  const beganMs = performance.now()
  process.stdout.write(`round ${(rounds += 1)}, seed ${seed}${isWhole ? '' : ', without servers'}: `)
  const report = await play(seed, isWhole)
  const found = report === null ? [] : failuresOf(report, seed, root)
  failures.push(...found)
  tests += report?.numTotalTests ?? 0
  if (report === null) broken += 1
  const end =
    report === null ? `NO RESULT, see ${logFile}` : `${report.numTotalTests} tests, ${found.length} failed`
  process.stdout.write(`${end}, ${Math.round((performance.now() - beganMs) / 1_000)} s\n`)
} while (performance.now() < endMs)
log.end()
process.stdout.write(`\n${tableOf(failures)}\n`)
const failed = broken > 0 || failures.length > 0
process.stdout.write(
  ` Tests  ${tests} in ${rounds} rounds, ${failures.length} failed, ${broken} rounds broke\n`,
)
if (failed) process.exitCode = 1
