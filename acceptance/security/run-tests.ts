import { spawn } from 'node:child_process'
import { readFile, realpath, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** What is read of Vitest's JSON report. */
type Report = {
  testResults: readonly {
    status: string
    message?: string
    assertionResults: readonly { status: string; fullName: string; failureMessages?: readonly string[] }[]
  }[]
}

export type TestRun = {
  /** Whether all tests ran and passed. */
  green: boolean
  tests: number
  passed: number
  /** A text for each failed test: its full name and its message. */
  failures: readonly string[]
  /** What Vitest prints about the failed tests, with the differences of values. */
  printed: string
  seconds: number
}

/** After SIGTERM, the time to stop servers. */
const stopMsMax = 15_000

/**
 * Runs test files of a tree to their end, or until the limit or the signal. Its processes end with it, and with us.
 * @param root of the tree, with its node_modules
 * @param options.temporary a folder for temporary files; absent: that of the system
 */
export const runTests = async (
  root: string,
  { files, title }: { files: readonly string[]; title?: string | undefined },
  { msMax, signal, temporary }: { msMax: number; signal: AbortSignal; temporary?: string },
): Promise<TestRun> => {
  const beganMs = performance.now()
  const json = join(root, 'report-of-tests.json')
  await rm(json, { force: true })
  const vitest = await realpath(join(root, 'node_modules/.bin/vitest'))
  const withParent = pathToFileURL(join(root, 'infra/start/launch/end-with-parent.mjs'))
  const flags = ['--reporter=default', '--reporter=json', `--outputFile.json=${json}`]
  const env = { ...process.env, NO_COLOR: '1', ...(temporary !== undefined && { TMPDIR: temporary }) }
  const child = spawn(
    process.execPath,
    [
      '--disable-warning=ExperimentalWarning',
      `--import=data:text/javascript,import{endWithParent}from"${withParent.href}";endWithParent()`,
      vitest,
      'run',
      ...flags,
      ...files,
      ...(title === undefined ? [] : ['-t', title]),
    ],
    // a group of its own, which is stopped as a whole
    { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true },
  )
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => (output = (output + chunk.toString()).slice(-outputMax)))
  }
  const kill = (name: NodeJS.Signals): void => {
    try {
      process.kill(-(child.pid ?? 0), name)
    } catch {
      // it has ended
    }
  }
  let killing: NodeJS.Timeout | undefined
  const stop = (): void => {
    kill('SIGTERM')
    killing = setTimeout(() => kill('SIGKILL'), stopMsMax)
  }
  const limit = setTimeout(stop, msMax)
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  clearTimeout(limit)
  clearTimeout(killing)
  signal.removeEventListener('abort', stop)
  const report: Report | null = await readFile(json, 'utf8').then(JSON.parse, () => null)
  await rm(json, { force: true })
  const seconds = Math.round((performance.now() - beganMs) / 1_000)
  return { ...summaryOf(report, code, output), seconds }
}

const outputMax = 2 ** 20
/** Of the output of a run that reports no test. */
const quotedMax = 4_000

/** A report that is missing means that the run broke off. */
const summaryOf = (report: Report | null, code: number | null, output: string): Omit<TestRun, 'seconds'> => {
  const files = report?.testResults ?? []
  const tests = files.flatMap(({ assertionResults }) =>
    assertionResults.filter(({ status }) => ['passed', 'failed'].includes(status)),
  )
  const red = tests
    .filter(({ status }) => status === 'failed')
    .map(({ fullName, failureMessages = [] }) => [fullName, ...failureMessages].join('\n'))
  const broken = files.flatMap(({ status, message = '' }) =>
    status === 'failed' && message !== '' ? [`a file of tests did not run: ${message}`] : [],
  )
  const failures = [...red, ...broken]
  const unexplained = code !== 0 && failures.length === 0
  if (unexplained || tests.length === 0)
    failures.push(`the tests ended with ${code ?? 'a signal'}:\n${output.slice(-quotedMax)}`)
  return {
    green: failures.length === 0,
    tests: tests.length,
    passed: tests.length - red.length,
    failures,
    printed: output.slice(Math.max(0, output.indexOf('Failed Tests'))),
  }
}
