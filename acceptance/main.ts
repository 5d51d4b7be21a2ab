// `npm run acceptance [-- NAME ...]`: runs every suite that `npm test` leaves out, one after another, with a
// report.
import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, realpath, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { ensureTestTools } from '@probe-mesh/infra/start/launch/test-tools'
import { suites } from './suites.ts'
import type { Suite } from './suites.ts'

const usage = `\
npm run acceptance             every suite, one after another; two hours and more on two cores
npm run acceptance -- NAME ... only the suites whose name contains NAME
npm run acceptance -- properties --minutes 60   tries every property with new seeds for an hour
npm run acceptance -- --list   list the suites and what each proves
`
/** The time limit of a suite. */
const minutesMax = 60
const root = fileURLToPath(new URL('..', import.meta.url))
const folder = join(root, '.data/acceptance')
const report = join(folder, 'report.md')

const names = process.argv.slice(2)
/** The seed of the cases that tests generate. */
const seed = process.env['PROPERTY_SEED'] ?? String(randomInt(1, 1e9))

type Result = { suite: Suite; passed: boolean; seconds: number; tests: string; log: string }

const run = async (binary: string, suite: Suite): Promise<Result> => {
  const log = join(folder, `${suite.name.replaceAll('/', '-')}.log`)
  const file = createWriteStream(log)
  const beganMs = performance.now()
  const { program } = suite
  const command = program === undefined ? [binary, 'run', suite.name] : [join(root, program), ...names]
  const child = spawn(process.execPath, command, {
    cwd: root,
    env: { ...process.env, NO_COLOR: '1', PROPERTY_SEED: seed },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(program === undefined && { timeout: minutesMax * 60_000 }),
    killSignal: 'SIGKILL',
  })
  let end = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      file.write(chunk)
      if (program !== undefined) process.stdout.write(chunk)
      end = (end + chunk.toString()).slice(-4_096)
    })
  }
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  file.end()
  await finished(file)
  const seconds = Math.round((performance.now() - beganMs) / 1_000)
  const tests = /^\s+Tests\s+(.+)$/m.exec(end)?.[1] ?? 'no tests counted'
  return { suite, passed: code === 0, seconds, tests, log }
}

const reportOf = (results: readonly Result[]): string =>
  [
    '| suite | result | seconds | tests |',
    '| --- | --- | --- | --- |',
    ...results.map(
      ({ suite, passed, seconds, tests }) =>
        `| ${suite.name} | ${passed ? 'passed' : 'FAILED'} | ${seconds} | ${tests} |`,
    ),
    '',
  ].join('\n')

const chosen = suites.filter(({ name }) => names.length === 0 || names.some((one) => name.includes(one)))
if (names.includes('--help')) process.stdout.write(usage)
else if (names.includes('--list')) {
  for (const { name, about } of suites) process.stdout.write(`${name}: ${about}\n`)
} else if (chosen.length === 0) {
  process.stderr.write(`no suite name contains "${names.join(' ')}"\n\n${usage}`)
  process.exitCode = 2
} else {
  ensureTestTools(process.env['PATH'] ?? '')
  await mkdir(folder, { recursive: true })
  const binary = await realpath(new URL('../node_modules/.bin/vitest', import.meta.url))
  process.stdout.write(`generated cases have PROPERTY_SEED=${seed}\n`)
  const results: Result[] = []
  for (const [at, suite] of chosen.entries()) {
    process.stdout.write(`${at + 1} of ${chosen.length}  ${suite.name} ... `)
    const result = await run(binary, suite)
    results.push(result)
    const end = result.passed ? 'passed' : `FAILED, see ${result.log}`
    process.stdout.write(`${result.seconds} s, ${result.tests}: ${end}\n`)
    await writeFile(report, reportOf(results))
  }
  const failed = results.filter(({ passed }) => !passed)
  const minutes = Math.round(results.reduce((sum, { seconds }) => sum + seconds, 0) / 60)
  process.stdout.write(
    `\n${results.length - failed.length} of ${results.length} suites passed in ${minutes} minutes; ${report}\n`,
  )
  if (failed.length > 0) process.exitCode = 1
}
