// `npm run acceptance [-- each-change | nightly | NAME ...]`: runs what `npm test` leaves out, and writes a page
// of results.
import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { createWriteStream, globSync } from 'node:fs'
import { mkdir, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { ensureTestTools } from '@probe-mesh/infra/start/launch/test-tools'
import {
  closingLine,
  pageOf,
  quoted,
  resultOfCommand,
  resultsOfTests,
  type Ended,
  type Result,
  type Run,
} from './results.ts'
import { stepsOf, type Step } from './steps.ts'
import { suites } from './suites.ts'

const usage = `\
npm run acceptance                 every suite; two hours and more on two cores
npm run acceptance -- each-change  what left npm test, together, and the gate for costs; for every change
npm run acceptance -- nightly      every suite in full, security, planted holes, faults, the gate, new properties; for a scheduler
npm run acceptance -- properties --minutes 60  tries every property with new seeds for an hour
npm run acceptance -- NAME ...     only the suites whose name contains NAME, in full
npm run acceptance -- --list       list the suites and what each proves
`
/** The time limit of a step, and of a command or a program, which limits itself. */
const minutesMax = 60
const minutesOfCommandMax = 180
/** Whole processes start slowly on a machine that others use; a hanging test still ends. */
const patience = ['--testTimeout=120000', '--hookTimeout=240000']
/** Of the output, for its counts and quotes. */
const outputMax = 64 * 1024
const root = fileURLToPath(new URL('..', import.meta.url))
const folder = join(root, '.data/acceptance')
const page = join(folder, 'report.md')

const run = async (step: Step, command: string, args: readonly string[]): Promise<Ended> => {
  const log = join(folder, `${step.log}.log`)
  const file = createWriteStream(log)
  const beganMs = performance.now()
  const child = spawn(command, args, {
    cwd: root,
    env: { ...process.env, NO_COLOR: '1', ...step.environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: (step.kind === 'tests' ? minutesMax : minutesOfCommandMax) * 60_000,
    killSignal: 'SIGKILL',
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      file.write(chunk)
      if (step.kind === 'program') process.stdout.write(chunk)
      output = (output + chunk.toString()).slice(-outputMax)
    })
  }
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  file.end()
  await finished(file)
  return { code, seconds: Math.round((performance.now() - beganMs) / 1_000), log, output }
}

const vitest = await realpath(new URL('../node_modules/.bin/vitest', import.meta.url))

const perform = async (step: Step): Promise<{ results: Result[]; ended: Ended }> => {
  if (step.kind === 'command') {
    const ended = await run(step, 'npm', ['run', ...step.script])
    return { results: [resultOfCommand(step, ended)], ended }
  }
  if (step.kind === 'program') {
    const ended = await run(step, process.execPath, [join(root, step.program), ...step.flags])
    return { results: [resultOfCommand(step, ended)], ended }
  }
  const json = join(folder, `${step.log}.json`)
  await rm(json, { force: true })
  const files = step.suites.flatMap(({ name, files: own }) =>
    own.length === 0 ? [`${name}/`] : own.flatMap((pattern) => globSync(pattern, { cwd: root })),
  )
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${json}`]
  const ended = await run(step, process.execPath, [vitest, 'run', ...patience, ...reporters, ...files])
  const report = await readFile(json, 'utf8').then(JSON.parse, () => null)
  return { results: resultsOfTests(step, ended, report, root), ended }
}

const words = process.argv.slice(2)
const seed = Number(process.env['PROPERTY_SEED'] ?? randomInt(1, 1e9))
const steps = stepsOf(words, seed)
if (words.includes('--help')) process.stdout.write(usage)
else if (words.includes('--list')) {
  for (const { name, about } of suites) process.stdout.write(`${name}: ${about}\n`)
} else if (steps.length === 0) {
  process.stderr.write(`no suite name contains "${words.join(' ')}"\n\n${usage}`)
  process.exitCode = 2
} else {
  ensureTestTools(process.env['PATH'] ?? '')
  await mkdir(folder, { recursive: true })
  const beganMs = performance.now()
  const title = `npm run acceptance${words.length === 0 ? '' : ` -- ${words.join(' ')}`}`
  const all: { results: Result[]; quotes: Run['quotes'][number][] } = { results: [], quotes: [] }
  const write = async (): Promise<string> => {
    const minutes = Math.round((performance.now() - beganMs) / 60_000)
    const text = pageOf({ title, ...all, minutes })
    await writeFile(page, text)
    return text
  }
  for (const [at, step] of steps.entries()) {
    process.stdout.write(`${at + 1} of ${steps.length}  ${step.name} ... `)
    const { results, ended } = await perform(step)
    all.results.push(...results)
    if (step.kind !== 'tests') all.quotes.push({ name: step.name, lines: quoted(ended.output) })
    process.stdout.write(`${ended.seconds} s: ${closingLine(results)}\n`)
    // also complete up to here if this process is killed
    await write()
  }
  process.stdout.write(`\n${await write()}\n${page}\n${closingLine(all.results)}\n`)
  if (all.results.some(({ failed }) => failed > 0)) process.exitCode = 1
}
